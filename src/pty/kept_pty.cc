// SPDX-License-Identifier: Apache-2.0
#include "pty/kept_pty.h"

#include <poll.h>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace pty::keeper {
namespace {

using base::Code;
using base::fail;
using base::Result;
using std::chrono::seconds;

constexpr seconds kWaitWhileFull{10};
constexpr seconds kRetry{1};
constexpr int kStepsPerTurn = 16;  // then the next PTY has its turn
constexpr size_t kMostOfTheRest = 1 << 20;

// Asking flushes what the kernel still has under way between the two sides of the terminal.
bool holds_output(int master, int pipe) {
  int in_pipe = 0;
  if (::ioctl(pipe, FIONREAD, &in_pipe) == 0 && in_pipe > 0) return true;
  pollfd ask{master, POLLIN, 0};
  return ::poll(&ask, 1, 0) > 0 && (ask.revents & POLLIN) != 0;
}

void set_variable(std::vector<std::string>& env, const std::string& entry) {
  const std::string name = entry.substr(0, entry.find('=') + 1);
  std::erase_if(env, [&](const std::string& old) { return old.starts_with(name); });
  env.push_back(entry);
}

}  // namespace

std::vector<std::string> environment_marks(const std::string& session, uint32_t number) {
  return {"TEND_SESSION=" + session, "TEND_PTY=" + std::to_string(number)};
}

namespace {

Command marked(Command command, const std::string& session, uint32_t number) {
  for (const std::string& mark : environment_marks(session, number)) set_variable(command.env, mark);
  return command;
}

}  // namespace

Result<std::unique_ptr<KeptPty>> KeptPty::start(const std::string& session, uint32_t number, Spawn request,
                                                Surroundings where, Stamp now) {
  std::unique_ptr<KeptPty> pty(new KeptPty);
  auto master = open_master(request.size);
  if (!master) return fail(master);
  pty->master_ = std::move(*master);
  auto pipe = base::make_pipe();
  if (!pipe) return fail(pipe);
  pty->pipe_ = std::move(*pipe);

  pty->journal_name_ = session + "." + std::to_string(number) + ".journal";
  if (auto made = pty->make_journal(where, request.journal_capacity); !made) return fail(made);

  pty->command_ = marked(std::move(request.command), session, number);
  pty->confinement_ = where.confinement;
  pty->group_name_ = "tend-" + session + "-" + std::to_string(number);
  pty->groups_ = where.groups;
  pty->group_ = ControlGroup::create(where.groups, pty->group_name_);
  if (auto spawned = pty->spawn_on(pty->master_.get()); !spawned) {
    ::unlinkat(where.journals, pty->journal_name_.c_str(), 0);
    return fail(spawned);
  }
  pty->spawned_at_ = now;
  return pty;
}

Result<void> KeptPty::make_journal(const Surroundings& where, size_t capacity) {
  if (where.ready_journal && capacity == Journal::kDefaultCapacity &&
      Journal::give_name(where.ready_journal.get(), where.journals, journal_name_.c_str())) {
    journal_file_ = std::move(where.ready_journal);
    return {};
  }
  auto file = Journal::create(where.journals, journal_name_.c_str(), capacity);
  if (!file) return fail(file);
  journal_file_ = std::move(*file);
  return {};
}

Result<void> KeptPty::spawn_on(int master) {
  if (group_ && group_->is_spent()) {
    group_.reset();
    group_ = ControlGroup::create(groups_, group_name_ + "-" + std::to_string(restarts_ + 1));
  }
  auto pid = pty::spawn(master, command_, group_ ? group_->folder() : -1, confinement_);
  if (!pid) return fail(pid);
  pid_ = *pid;
  return {};
}

Result<void> KeptPty::respawn(Size size, Stamp now) {
  auto master = open_master(size);
  if (!master) return fail(master);
  auto pipe = base::make_pipe();
  if (!pipe) return fail(pipe);
  auto taken = take_the_rest();
  if (!taken) return fail(taken);
  if (auto spawned = spawn_on(master->get()); !spawned) return fail(spawned);
  master_ = std::move(*master);
  pipe_ = std::move(*pipe);
  exit_.reset();
  closed_ = false;
  spawned_at_ = now;
  restarts_++;
  run_offset_ = *taken;
  return {};
}

Result<void> KeptPty::replace(const std::string& session, uint32_t number, Spawn request, Stamp now) {
  Command before = std::exchange(command_, marked(std::move(request.command), session, number));
  auto done = respawn(request.size, now);
  if (!done) command_ = std::move(before);
  return done;
}

// What the program wrote before it ended is in the kernel's hands at most: the terminal's buffer and the
// pipe, both far below the bound here, which is for those who still write to the old terminal. A holder that
// has pumped to the end leaves nothing to take.
Result<uint64_t> KeptPty::take_the_rest() {
  auto journal = Journal::map(journal_file_.get(), Journal::Access::write);
  if (!journal) return fail(journal);
  Pump pump(master_.get(), {pipe_.read_end.get(), pipe_.write_end.get()}, *journal);
  for (size_t taken = 0; taken < kMostOfTheRest && holds_output(master_.get(), pipe_.read_end.get());) {
    if (journal->unprocessed() + Pump::kMostPerStep > journal->capacity())
      return fail(Code::pty_read_failed, 0, "output of the ended program waits for room in the journal");
    auto step = pump.step();
    if (!step) return fail(step);
    if (step->state != Pump::State::moved) break;
    taken += step->count;
  }
  return journal->window().end;
}

Held KeptPty::describe() const {
  return {.pid = pid_,
          .exit = exit_,
          .spawned_at = spawned_at_,
          .exited_at = exit_ ? exited_at_ : Stamp{},
          .restarts = restarts_,
          .run_offset = run_offset_,
          .size = size_of(master_.get()).value_or(Size{}),
          .cwd = command_.cwd,
          .argv = command_.argv};
}

std::array<int, kDescriptorsPerPty> KeptPty::descriptors() const {
  return {master_.get(), pipe_.read_end.get(), pipe_.write_end.get(), journal_file_.get()};
}

void KeptPty::start_draining() { draining_ = true; }

void KeptPty::stop_draining() {
  draining_ = false;
  may_lose_ = false;
  paused_until_.reset();
  pump_.reset();
  journal_.reset();
}

void KeptPty::drain(base::Moment now) {
  if (!draining_ || closed_) return;
  const bool waited = paused_until_ && now >= *paused_until_;
  if (paused_until_ && !waited) return;
  paused_until_.reset();
  if (!ready_to_pump()) {
    paused_until_ = now + kRetry;
    return;
  }
  for (int step = 0; step < kStepsPerTurn; step++) {
    if (full() && !may_lose_) {
      if (!waited) {
        paused_until_ = now + kWaitWhileFull;
        return;
      }
      may_lose_ = true;
    }
    const auto moved = pump_->step();
    if (!moved) {
      paused_until_ = now + kRetry;
      return;
    }
    count_lost();
    if (moved->state == Pump::State::closed) closed_ = true;
    if (moved->state != Pump::State::moved) return;
  }
}

// The mapping may fail for want of memory; the program waits then, and it is tried again.
bool KeptPty::ready_to_pump() {
  if (pump_) return true;
  auto journal = Journal::map(journal_file_.get(), Journal::Access::write);
  if (!journal) return false;
  journal_ = std::move(*journal);
  pump_.emplace(master_.get(), PipeEnds{pipe_.read_end.get(), pipe_.write_end.get()}, *journal_);
  return true;
}

bool KeptPty::full() const { return journal_->unprocessed() + Pump::kMostPerStep > journal_->capacity(); }

void KeptPty::count_lost() {
  const uint64_t waiting = journal_->unprocessed();
  if (waiting <= journal_->capacity()) return;
  const uint64_t lost = waiting - journal_->capacity();
  journal_->add_lost(lost);
  journal_->set_processed(journal_->processed() + lost);
}

}  // namespace pty::keeper
