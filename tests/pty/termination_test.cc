// SPDX-License-Identifier: Apache-2.0
// The test process is the subreaper here, as the keeper is in earnest; no control group helps.
#include "pty/termination.h"

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pty/processes.h"
#include "running_program.h"

namespace pty {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Terminating : public testing::Test {
 protected:
  void SetUp() override { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
  void TearDown() override {
    for (const Process& left : living_members({::getpid(), 0})) signal_process(left, SIGKILL);
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
  }

  // Starts a shell script and waits for it to say "ready".
  pid_t start(const std::string& script) {
    master_ = open_master({}).value();
    Command program = command({"bash", "-c", script});
    program.env.emplace_back("TEND_TEST_MARK=" + std::to_string(::getpid()));
    const pid_t pid = spawn(master_.get(), program).value();
    std::string seen;
    EXPECT_TRUE(support::wait_until([&] {
      char bytes[1024];
      const ssize_t n = ::read(master_.get(), bytes, sizeof bytes);
      if (n > 0) seen.append(bytes, static_cast<size_t>(n));
      return seen.find("ready") != std::string::npos;
    })) << seen;
    return pid;
  }

  Family family(pid_t leader) const {
    return {::getpid(), leader, {"TEND_TEST_MARK=" + std::to_string(::getpid())}};
  }

  // Steps until it is over; the statuses of direct children that ended are kept.
  Termination::State run(Termination& termination) {
    Termination::State state = Termination::State::going_on;
    EXPECT_TRUE(support::wait_until([&] {
      while (const auto ended = wait_any()) ended_.push_back(*ended);
      if (clock_.now() >= termination.next()) state = termination.step(clock_.now());
      return state != Termination::State::going_on;
    }));
    while (const auto ended = wait_any()) ended_.push_back(*ended);
    return state;
  }

  std::optional<ExitStatus> status_of(pid_t pid) const {
    for (const Exited& each : ended_) {
      if (each.pid == pid) return each.status;
    }
    return {};
  }

  base::RealClock clock_;
  base::Fd master_;
  std::vector<Exited> ended_;
};

TEST_F(Terminating, AsksFirstSoThatAProgramCanEndWell) {
  const pid_t pid = start("trap 'exit 42' TERM; echo ready; while :; do sleep 0.05; done");
  Termination termination(family(pid), nullptr, clock_.now(), seconds(60));
  EXPECT_EQ(Termination::State::all_gone, run(termination));
  EXPECT_EQ((ExitStatus{42, 0}), status_of(pid));
}

TEST_F(Terminating, AsksOnlyOnce) {
  const pid_t pid = start(
      "n=0; trap 'n=$((n+1))' TERM; echo ready; until [ $n -gt 0 ]; do sleep 0.05; done; sleep 1; exit $n");
  Termination termination(family(pid), nullptr, clock_.now(), seconds(60));
  EXPECT_EQ(Termination::State::all_gone, run(termination));
  EXPECT_EQ((ExitStatus{1, 0}), status_of(pid))
      << "a second request would have been counted, or have cut the save";
}

TEST_F(Terminating, KillsWhoIgnoresTheRequest) {
  const pid_t pid = start("trap '' TERM HUP; echo ready; while :; do sleep 0.05; done");
  Termination termination(family(pid), nullptr, clock_.now(), milliseconds(200));
  EXPECT_EQ(Termination::State::all_gone, run(termination));
  EXPECT_EQ((ExitStatus{128 + SIGKILL, SIGKILL}), status_of(pid));
}

TEST_F(Terminating, AnInteractiveShellEndsAtOnceByAHangUp) {
  const pid_t pid = start(
      "exec bash --norc -i -c 'trap \"echo hung up; exit 3\" HUP; trap \"\" TERM; echo ready; "
      "while :; do sleep 0.05; done'");
  Termination termination(family(pid), nullptr, clock_.now(), seconds(60));
  EXPECT_EQ(Termination::State::all_gone, run(termination));
  EXPECT_EQ((ExitStatus{3, 0}), status_of(pid));
}

TEST_F(Terminating, OneThatBlocksTheRequestAndTakesItLaterHearsIt) {
  const pid_t pid = start(
      "exec python3 -c 'import signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, {15}); print(\"ready\", "
      "flush=True); signal.sigwait({15}); sys.exit(4)'");
  Termination termination(family(pid), nullptr, clock_.now(), seconds(60));
  EXPECT_EQ(Termination::State::all_gone, run(termination));
  EXPECT_EQ((ExitStatus{4, 0}), status_of(pid));
}

TEST_F(Terminating, OneThatBlocksTheRequestIsAskedWithTheOthers) {
  const pid_t pid = start(
      "exec python3 -c 'import signal; signal.pthread_sigmask(signal.SIG_BLOCK, {15}); print(\"ready\", "
      "flush=True); signal.pause()'");
  Termination termination(family(pid), nullptr, clock_.now(), milliseconds(200));
  ASSERT_EQ(Termination::State::going_on, termination.step(clock_.now()));
  EXPECT_NE(
      std::string::npos,
      support::read_file("/proc/" + std::to_string(pid) + "/status").find("\nShdPnd:\t0000000000004000"));
  EXPECT_EQ(Termination::State::all_gone, run(termination));
}

TEST_F(Terminating, OneThatBlocksTheRequestAndThenIgnoresItIsHungUp) {
  const pid_t pid = start(
      "exec python3 -c 'import signal; signal.signal(1, lambda *_: exit(5))\n"
      "signal.pthread_sigmask(signal.SIG_BLOCK, {15}); print(\"ready\", flush=True)\n"
      "while 15 not in signal.sigpending(): pass\n"
      "signal.signal(15, signal.SIG_IGN); signal.pthread_sigmask(signal.SIG_UNBLOCK, {15})\n"
      "while True: signal.pause()'");
  Termination termination(family(pid), nullptr, clock_.now(), seconds(60));
  ASSERT_EQ(Termination::State::going_on, termination.step(clock_.now()));
  ASSERT_TRUE(support::wait_until([&] { return hearing_of(pid, SIGTERM) == Hearing::ignores; }));
  EXPECT_EQ(Termination::State::all_gone, run(termination));
  EXPECT_EQ((ExitStatus{5, 0}), status_of(pid));
}

TEST_F(Terminating, WakesTheStoppedToHearTheRequest) {
  const pid_t pid = start("trap 'exit 6' TERM; echo ready; kill -STOP $$; while :; do sleep 0.05; done");
  ASSERT_TRUE(support::wait_until([&] { return look_at(pid)->state == 'T'; }));
  Termination termination(family(pid), nullptr, clock_.now(), seconds(60));
  EXPECT_EQ(Termination::State::all_gone, run(termination));
  EXPECT_EQ((ExitStatus{6, 0}), status_of(pid));
}

TEST_F(Terminating, FindsChildrenWithSessionsOfTheirOwn) {
  const pid_t pid =
      start("setsid bash -c 'trap \"\" TERM HUP; while :; do sleep 0.05; done' & echo ready; wait");
  ASSERT_TRUE(support::wait_until([&] { return living_members(family(pid)).size() >= 2; }));
  Termination termination(family(pid), nullptr, clock_.now(), milliseconds(100));
  EXPECT_EQ(Termination::State::all_gone, run(termination));
  EXPECT_TRUE(living_members({::getpid(), 0}).empty());
}

TEST_F(Terminating, FindsOrphansThatForkedTwiceByTheirMark) {
  const pid_t pid =
      start("(setsid bash -c 'trap \"\" TERM HUP; while :; do sleep 0.05; done' &) ; echo ready; exec cat");
  ASSERT_TRUE(support::wait_until([&] {
    const auto members = living_members(family(pid));
    return std::any_of(members.begin(), members.end(),
                       [&](const Process& each) { return each.pid != pid && each.parent == ::getpid(); });
  })) << "an orphan comes to the subreaper";
  Termination termination(family(pid), nullptr, clock_.now(), milliseconds(100));
  EXPECT_EQ(Termination::State::all_gone, run(termination));
  EXPECT_TRUE(living_members({::getpid(), 0}).empty());
}

TEST_F(Terminating, OutrunsAProgramThatKeepsForking) {
  const pid_t pid = start(
      "trap '' TERM HUP; spawn() { trap '' TERM HUP; sleep 0.02; spawn & sleep 0.02; }; echo ready; "
      "for i in 1 2 3 4; do spawn & done; wait; while :; do sleep 0.1; done");
  Termination termination(family(pid), nullptr, clock_.now(), milliseconds(300));
  EXPECT_EQ(Termination::State::all_gone, run(termination));
  EXPECT_TRUE(living_members({::getpid(), 0}).empty());
}

TEST_F(Terminating, LeavesAnotherPtysProcessesAlone) {
  const pid_t other = spawn(open_master({}).value().release(), command({"cat"})).value();
  const pid_t pid = start("echo ready; exec cat");
  Termination termination(family(pid), nullptr, clock_.now(), seconds(60));
  EXPECT_EQ(Termination::State::all_gone, run(termination));
  EXPECT_TRUE(look_at(other).has_value() && !look_at(other)->dead());
}

TEST_F(Terminating, NeverTouchesAProcessOutsideTheTreeWhateverItsNumber) {
  // The leader's number now belongs to a process that is none of ours: our own parent stands in for it.
  EXPECT_TRUE(living_members(family(::getppid())).empty());
}

}  // namespace
}  // namespace pty
