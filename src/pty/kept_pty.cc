// SPDX-License-Identifier: Apache-2.0
#include "pty/kept_pty.h"

#include <string_view>
#include <unistd.h>
#include <utility>

namespace pty::keeper {
namespace {

using base::fail;
using base::Result;
using std::chrono::seconds;

constexpr seconds kWaitWhileFull{10};
constexpr seconds kRetry{1};
constexpr int kStepsPerTurn = 16;  // then the next PTY has its turn

void set_variable(std::vector<std::string>& env, const std::string& entry) {
  const std::string name = entry.substr(0, entry.find('=') + 1);
  std::erase_if(env, [&](const std::string& old) { return old.starts_with(name); });
  env.push_back(entry);
}

}  // namespace

std::vector<std::string> environment_marks(const std::string& session, uint32_t number) {
  return {"TEND_SESSION=" + session, "TEND_PTY=" + std::to_string(number)};
}

Result<std::unique_ptr<KeptPty>> KeptPty::start(const std::string& session, uint32_t number, Spawn request,
                                                int journals) {
  std::unique_ptr<KeptPty> pty(new KeptPty);
  auto master = open_master(request.size);
  if (!master) return fail(master);
  pty->master_ = std::move(*master);
  auto pipe = base::make_pipe();
  if (!pipe) return fail(pipe);
  pty->pipe_ = std::move(*pipe);

  pty->journal_name_ = session + "." + std::to_string(number) + ".journal";
  auto file = Journal::create(journals, pty->journal_name_.c_str(), request.journal_capacity);
  if (!file) return fail(file);
  pty->journal_file_ = std::move(*file);

  for (const std::string& mark : environment_marks(session, number)) set_variable(request.command.env, mark);
  pty->group_ = ControlGroup::create("tend-" + session + "-" + std::to_string(number));
  const int group = pty->group_ ? pty->group_->procs_file() : -1;
  auto pid = pty::spawn(pty->master_.get(), request.command, group);
  if (!pid) {
    ::unlinkat(journals, pty->journal_name_.c_str(), 0);
    return fail(pid);
  }
  pty->pid_ = *pid;
  return pty;
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
