// SPDX-License-Identifier: Apache-2.0
#include "pty/probe.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "pty/probe_group.h"
#include "pty/probe_sets.h"
#include "pty/probe_sockets.h"
#include "pty/probe_threads.h"

namespace pty {
namespace {

using probe::Doing;
using probe::Group;
using probe::Source;
using probe::Task;
using probe::Thread;
using Verdict = Look::Verdict;

constexpr int kMostRelays = 4;
constexpr size_t kMostWriters = 32;
constexpr unsigned kSlaveMajor = 136;

void add(uint16_t& sum, size_t more) {
  sum = static_cast<uint16_t>(std::min<size_t>(sum + more, UINT16_MAX));
}

void append(std::vector<Source>& to, const std::vector<Source>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// One look at one terminal. The slave is open only as long as this lives: an open slave hides the hang-up
// from whoever reads the master.
class Looker {
 public:
  Looker(int master, pid_t first, int depth) : master_(master), first_(first), depth_(depth) {}

  Look look();

 private:
  void read_settings();
  void open_slave();
  uint32_t unread() const;
  void go_through(const Group& group);
  void note(Thread thread, const Group& group);
  bool is_better(const Thread& thread) const;
  void forgive_pipes(const Group& group);
  void describe_reader(const Group& group);
  bool has_multiplexer(const Group& group);
  Verdict judge_group(const Group& group);
  bool has_moved() const;
  std::optional<Look> look_through_relay() const;

  int master_;
  pid_t first_;
  int depth_;
  base::Fd slave_;
  probe::Search search_;
  Look look_;
  std::optional<Thread> reader_;
  std::vector<Source> read_pipes_;    // by threads that do nothing else
  std::vector<Source> polled_pipes_;  // by threads that wait for nothing but pipes
  bool works_ = false;
  bool unsure_ = false;  // somebody may wake by himself, or wait for something else
};

void Looker::read_settings() {
  termios settings{};
  if (::tcgetattr(master_, &settings) != 0) return;
  look_.canonical = (settings.c_lflag & ICANON) != 0;
  look_.echo = (settings.c_lflag & ECHO) != 0;
}

Look Looker::look() {
  read_settings();
  look_.group = std::max(::tcgetpgrp(master_), 0);
  look_.verdict = Verdict::gone;
  if (look_.group == 0) return look_;
  open_slave();
  const Group group = probe::find_group(first_, ::tcgetsid(master_), look_.group);
  if (group.processes.empty()) {
    if (!group.whole || ::killpg(look_.group, 0) == 0 || errno == EPERM) look_.verdict = Verdict::unknown;
    return look_;
  }
  go_through(group);
  // Those that the reader waits with, if it has not moved when this is judged: it may have made others on the
  // way to where it was found.
  read_settings();
  look_.unread = unread();
  look_.verdict = judge_group(group);
  if (look_.verdict == Verdict::may_wait && depth_ < kMostRelays) {
    if (auto inner = look_through_relay()) return std::move(*inner);
  }
  return look_;
}

void Looker::open_slave() {
  slave_.reset(::ioctl(master_, TIOCGPTPEER, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  struct stat about{};
  unsigned number = 0;
  if (slave_ && ::fstat(slave_.get(), &about) == 0)
    search_.terminal = {about.st_rdev, about.st_dev, about.st_ino};
  else if (::ioctl(master_, TIOCGPTN, &number) == 0)
    // A program may have it for itself (TIOCEXCL).
    search_.terminal = {makedev(kSlaveMajor, number), 0, 0};
}

uint32_t Looker::unread() const {
  if (!slave_) return 0;
  // Polling first waits for what has been written to the master and is on its way.
  pollfd flush{slave_.get(), POLLIN, 0};
  ::poll(&flush, 1, 0);
  int count = 0;
  return ::ioctl(slave_.get(), FIONREAD, &count) == 0 ? static_cast<uint32_t>(std::max(count, 0)) : 0;
}

void Looker::go_through(const Group& group) {
  add(look_.processes, group.processes.size());
  add(look_.threads, group.threads.size());
  for (const Task task : group.threads) note(probe::look_at_thread(search_, task), group);
  for (const pid_t pid : group.processes) {
    clockid_t clock = 0;
    timespec used{};
    if (::clock_getcpuclockid(pid, &clock) == 0 && ::clock_gettime(clock, &used) == 0)
      look_.cpu_ns +=
          static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec);
  }
  if (!reader_) {
    const bool secret = look_.canonical && !look_.echo;
    for (const Task task : group.guests) {
      Thread thread = probe::look_at_thread(search_, task);
      // Somebody who asks for a secret is expected to be somebody else; any other stranger is none of ours.
      const bool counts = thread.wants_terminal() || (thread.doing == Doing::hidden && secret);
      if (!counts) continue;
      add(look_.threads, 1);
      note(std::move(thread), group);
    }
  }
  forgive_pipes(group);
  describe_reader(group);
}

void Looker::note(Thread thread, const Group& group) {
  if (thread.doing == Doing::waits_among || thread.doing == Doing::waits_elsewhere) {
    add(look_.requests, weigh_sockets(thread.task, thread.set, group.processes));
    thread.doing = probe::judge(thread.set);
  }
  switch (thread.doing) {
    case Doing::works:
    case Doing::other_io:
      works_ = true;
      break;
    case Doing::reads_pipe:
      append(read_pipes_, thread.set.sources);
      break;
    case Doing::waits_elsewhere:
      if (thread.set.count(Source::Kind::pipe) == thread.set.sources.size())
        append(polled_pipes_, thread.set.sources);
      else
        unsure_ = true;
      break;
    case Doing::waits_timed:
    case Doing::waits_among:
    case Doing::naps:
      unsure_ = true;
      break;
    case Doing::hidden:
      add(look_.refused, 1);
      break;
    default:
      break;
  }
  add(look_.sockets, thread.set.count(Source::Kind::socket) + thread.set.count(Source::Kind::connection));
  add(look_.pipes, thread.set.count(Source::Kind::pipe));
  add(look_.timers, thread.set.count(Source::Kind::timer) + (thread.doing == Doing::naps ? 1 : 0));
  if (thread.wants_terminal() && is_better(thread)) {
    look_.turns = probe::Turns(thread.task).now();
    reader_ = std::move(thread);
  }
}

bool Looker::is_better(const Thread& thread) const { return !reader_ || thread.doing < reader_->doing; }

// Whoever waits for a pipe that another one of the group writes into (`… | tee log`, git and its ssh) waits
// for that one, who is looked at himself.
void Looker::forgive_pipes(const Group& group) {
  for (size_t i = 0; reader_ && i < std::min(group.processes.size(), kMostWriters); i++) {
    const Task process{group.processes[i], group.processes[i]};
    drop_pipes_written_by(search_, process, read_pipes_);
    drop_pipes_written_by(search_, process, polled_pipes_);
  }
  works_ = works_ || !read_pipes_.empty();
  unsure_ = unsure_ || !polled_pipes_.empty();
}

void Looker::describe_reader(const Group& group) {
  look_.command = group.leader;
  if (!reader_) return;
  const Task process{reader_->task.pid, reader_->task.pid};
  look_.reader = reader_->task.pid;
  look_.thread = reader_->task.tid;
  look_.call = reader_->set.call;
  look_.timeout_ms = reader_->set.timeout_ms;
  if (look_.reader != look_.group) {
    if (auto state = probe::state_of(process)) look_.command = std::move(state->name);
    return;
  }
  // Every job-control shell ignores these two at its prompt (dash and fish do not ignore SIGTTIN), and nobody
  // else leads the foreground with both ignored.
  constexpr std::array kIgnored{SIGTSTP, SIGTTOU};
  look_.shell = probe::ignores_all(process, kIgnored);
}

// The reader has run since it was looked at.
bool Looker::has_moved() const {
  return probe::Turns(reader_->task).now() != look_.turns || !probe::is_still_there(*reader_);
}

// These give their terminal to a server that is not below us and serves many. A script may have started it.
bool Looker::has_multiplexer(const Group& group) {
  for (size_t i = 0; i < std::min(group.processes.size(), kMostWriters); i++) {
    auto state = probe::state_of({group.processes[i], group.processes[i]});
    if (!state || !(state->name.starts_with("tmux") || state->name.starts_with("screen"))) continue;
    look_.command = std::move(state->name);
    return true;
  }
  return false;
}

Verdict Looker::judge_group(const Group& group) {
  if (!group.whole || !search_.seen_all) return Verdict::unknown;
  if (reader_) {
    if (look_.unread > 0 || has_moved()) return Verdict::busy;
    if (works_) return Verdict::both;
    return unsure_ || look_.refused > 0 ? Verdict::may_wait : Verdict::waits;
  }
  if (look_.refused > 0) return Verdict::unknown;
  if (!works_ && !look_.canonical && has_multiplexer(group)) return Verdict::unknown;
  return Verdict::busy;
}

// A relay waits for its terminal and for the master of one other, and passes everything through. A program
// that has connections besides uses the other terminal for purposes of its own.
std::optional<Look> Looker::look_through_relay() const {
  const auto& set = reader_->set;
  if (set.count(Source::Kind::master) != 1 || look_.sockets > 0) return {};
  const auto at = std::find_if(set.sources.begin(), set.sources.end(),
                               [](const Source& each) { return each.kind == Source::Kind::master; });
  const base::Fd master = probe::copy_descriptor(reader_->task, at->fd);
  if (!master) return {};
  Look inner = Looker(master.get(), reader_->task.pid, depth_ + 1).look();
  inner.relayed = true;
  // Nobody in there yet, or no more: nobody to ask anything.
  if (inner.verdict == Verdict::gone) inner.verdict = Verdict::busy;
  add(inner.processes, look_.processes);
  add(inner.threads, look_.threads);
  add(inner.refused, look_.refused);
  inner.cpu_ns += look_.cpu_ns;
  return inner;
}

}  // namespace

Look Probe::look() const { return Looker(master_, first_, 0).look(); }

}  // namespace pty
