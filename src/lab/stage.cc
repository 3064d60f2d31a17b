// SPDX-License-Identifier: Apache-2.0
#include "lab/stage.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "pty/processes.h"
#include "pty/termination.h"
#include "session/evidence_of.h"
#include "vt/text_view.h"

namespace lab {
namespace {

using base::Code;
using base::Fd;
using base::Moment;
using base::Result;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr size_t kPiece = 64 << 10;
constexpr int kPiecesPerTurn = 16;                  // then conditions and deadlines have their turn
constexpr base::Duration kFlow = milliseconds(50);  // output without a pause for so long is work
constexpr base::Duration kPatience = seconds(10);   // with processes that are being killed
constexpr base::Duration kBetweenKills = milliseconds(1);

const detect::Patterns& usual_patterns() {
  static const detect::Patterns kUsual;
  return kUsual;
}

std::string_view name_in(std::string_view entry) { return entry.substr(0, entry.find('=')); }

std::vector<std::string> environment_for(const Program& program) {
  const auto own = [](const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return std::string(name) + "=" + (value != nullptr ? value : otherwise);
  };
  std::vector<std::string> all{own("PATH", "/usr/local/bin:/usr/bin:/bin"), own("HOME", "/"),
                               "TERM=xterm-256color", "LC_ALL=C.UTF-8"};
  for (const std::string& each : program.env) {
    std::erase_if(all, [&](const std::string& old) { return name_in(old) == name_in(each); });
    all.push_back(each);
  }
  return all;
}

void sleep_for(base::Duration time) {
  const timespec pause{.tv_sec = 0, .tv_nsec = time.count()};
  ::nanosleep(&pause, nullptr);
}

// The session's number is its leader's, which is this process's child and is not reaped before all have gone:
// nobody else can have it.
std::vector<pty::Process> living(pid_t leader) {
  std::vector<pty::Process> found = pty::living_members({.root = ::getpid(), .leader = leader, .marks = {}});
  for (const pty::Process& each : pty::all_processes()) {
    if (each.session == leader && !each.dead() && std::find(found.begin(), found.end(), each) == found.end())
      found.push_back(each);
  }
  return found;
}

void end_all(pid_t leader) {
  const base::RealClock clock;
  const Moment give_up = clock.now() + kPatience;
  for (auto left = living(leader); !left.empty() && clock.now() < give_up; left = living(leader)) {
    for (const pty::Process& each : left) pty::signal_process(each, SIGKILL);
    sleep_for(kBetweenKills);
  }
  while (::waitpid(leader, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

Program shell(std::string script, std::string argument) {
  Program program{.argv = {"/bin/sh", "-c", std::move(script), "lab"}};
  if (!argument.empty()) program.argv.push_back(std::move(argument));
  return program;
}

// What the program asks its terminal is answered by the screen: there is no other terminal.
class Stage::Replies final : public vt::Sink {
 public:
  explicit Replies(Stage& stage) : stage_(stage) {}
  void reply(std::string_view bytes) override {
    if (stage_.ended_ || !stage_.keys_.push(bytes)) return;
    stage_.write_queued();
    stage_.detector_.taken(stage_.clock_.now());
  }

 private:
  Stage& stage_;
};

Result<std::unique_ptr<Stage>> Stage::open(const Program& program, const Options& options) {
  auto master = pty::open_master(program.size);
  if (!master) return base::fail(master);
  const auto pid =
      pty::spawn(master->get(), {.argv = program.argv, .env = environment_for(program), .cwd = program.cwd});
  if (!pid) return std::unexpected(pid.error());
  Fd watched(static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0)));
  if (!watched) {
    const int error = errno;
    end_all(*pid);
    return base::fail(Code::internal, error, "cannot watch a process");
  }
  return std::unique_ptr<Stage>(new Stage(program, options, std::move(*master), *pid, std::move(watched)));
}

Stage::Stage(const Program& program, Options options, Fd master, pid_t pid, Fd watched)
    : options_(std::move(options)),
      master_(std::move(master)),
      pid_(pid),
      watched_(std::move(watched)),
      probe_(master_.get(), pid_),
      replies_(std::make_unique<Replies>(*this)),
      screen_({program.size.cols, program.size.rows}, {}, replies_.get()),
      detector_(options_.settings, options_.patterns != nullptr ? *options_.patterns : usual_patterns()) {}

Stage::~Stage() { end_all(pid_); }

bool Stage::run_until(const std::function<bool()>& condition, base::Duration deadline) {
  const Moment end = clock_.now() + deadline;
  // A program may wait without having written anything.
  if (!std::exchange(watches_, true)) detector_.taken(clock_.now());
  while (true) {
    const bool more = take_output();
    take_end();
    const auto due = detector_.next();
    if (!more && due && *due <= clock_.now()) look();
    pass_on();
    if (condition()) return true;
    if (stopped_ || clock_.now() >= end) return false;
    const auto next = detector_.next();
    if (!more) wait(next ? std::min(*next, end) : end);
  }
}

bool Stage::run_for(base::Duration time) {
  run_until([] { return false; }, time);
  return !stopped_;
}

void Stage::type(std::string_view bytes) {
  if (ended_ || !keys_.push(bytes)) return;
  write_queued();
  const Moment now = clock_.now();
  detector_.input(now, bytes);
  if (options_.observer != nullptr) options_.observer->input(now, bytes);
}

std::string Stage::text() const {
  std::string text;
  for (const std::string& row : vt::rows(screen_)) text += row + '\n';
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

std::vector<detect::Asked> Stage::asked() const {
  std::vector<detect::Asked> all;
  for (const Happening& each : happenings_) {
    if (each.change.kind == detect::Change::Kind::asked) all.push_back(*each.change.asked);
  }
  return all;
}

// Whether there may be more.
bool Stage::take_output() {
  static thread_local std::array<char, kPiece> piece;
  for (int i = 0; i < kPiecesPerTurn && !closed_; i++) {
    ssize_t n = ::read(master_.get(), piece.data(), piece.size());
    // The kernel looks for input first and for the close after that; what was written and closed in between
    // is there at a second look.
    if (n < 0 && errno == EIO) n = ::read(master_.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return false;
    if (n <= 0) {
      closed_ = true;
      return false;
    }
    const std::string_view bytes(piece.data(), static_cast<size_t>(n));
    const Moment now = clock_.now();
    output_bytes_ += bytes.size();
    last_output_ = now;
    if (options_.observer != nullptr) options_.observer->output(now, bytes);
    screen_.feed(bytes);
    if (ended_) continue;
    detector_.output(clock_.now());
    if (!flows_since_) flows_since_ = now;
    if (now - *flows_since_ >= kFlow) detector_.flowing(now);
  }
  return !closed_;
}

// It is looked at and not reaped: its number stays its own until the stage ends.
void Stage::take_end() {
  if (ended_) return;
  siginfo_t about{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid == 0)
    return;
  while (take_output()) {
  }
  ended_ = about.si_code == CLD_EXITED ? pty::ExitStatus{about.si_status, 0}
                                       : pty::ExitStatus{128 + about.si_status, about.si_status};
  detector_.exited(clock_.now());
}

void Stage::look() {
  const Moment begun = clock_.now();
  detect::Evidence evidence = session::evidence_of(probe_.look());
  // What the program wrote before it was looked at may still be in the terminal; the look is worth something
  // only together with it, and counts for nothing if there was any.
  const size_t before = output_bytes_;
  take_output();
  flows_since_.reset();
  if (output_bytes_ != before) return;
  if (options_.veil) options_.veil(evidence);
  const Moment now = clock_.now();
  looks_++;
  if (options_.observer != nullptr) options_.observer->looked(begun, now, evidence);
  detector_.looked(begun, now, evidence, screen_);
}

void Stage::write_queued() {
  // An error here is a program that has gone, and its end is told by itself.
  (void)keys_.flush(master_.get());
}

void Stage::pass_on() {
  for (detect::Change& change : detector_.take_changes()) {
    const Moment now = clock_.now();
    if (options_.observer != nullptr) options_.observer->changed(now, change);
    happenings_.push_back({now, std::move(change)});
  }
}

void Stage::wait(Moment until) {
  // ppoll leaves out what is negative.
  const short wanted = keys_.empty() ? POLLIN : POLLIN | POLLOUT;
  std::array<pollfd, 3> all{{{closed_ ? -1 : master_.get(), wanted, 0},
                             {ended_ ? -1 : watched_.get(), POLLIN, 0},
                             {options_.stop, POLLIN, 0}}};
  const base::Duration left = std::max(until - clock_.now(), base::Duration::zero());
  const auto whole = std::chrono::duration_cast<seconds>(left);
  const timespec timeout{.tv_sec = whole.count(), .tv_nsec = (left - whole).count()};
  if (::ppoll(all.data(), all.size(), &timeout, nullptr) <= 0) return;
  if ((all[0].revents & POLLOUT) != 0) {
    write_queued();
    if (keys_.empty()) detector_.taken(clock_.now());
  }
  if (all[2].revents != 0) stopped_ = true;
}

}  // namespace lab
