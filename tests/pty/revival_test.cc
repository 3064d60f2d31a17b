// SPDX-License-Identifier: Apache-2.0
// When and how a keeper without a holder starts a new one.
#include "pty/revival.h"

#include <fstream>
#include <gmock/gmock.h>
#include <sched.h>
#include <sstream>
#include <sys/wait.h>

#include "pty/detached.h"
#include "pty/termination.h"
#include "session_fixture.h"

namespace pty {
namespace {

using keeper::Revival;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr base::Moment kStart{seconds(1000)};

// The pauses between that many tries after a loss.
std::vector<milliseconds> pauses(Revival& revival, base::Moment lost, int count) {
  std::vector<milliseconds> list;
  for (base::Moment last = lost; count > 0; count--) {
    list.push_back(std::chrono::duration_cast<milliseconds>(*revival.due() - last));
    last = *revival.due();
    revival.tried(last);
  }
  return list;
}

TEST(Revival, TriesAtOnceAndThenAfterPausesThatDoubleUpToABound) {
  Revival revival;
  revival.held(command({"daemon"}), kStart);
  EXPECT_FALSE(revival.due()) << "there is a holder";
  revival.lost(kStart + seconds(5));
  using ms = milliseconds;
  EXPECT_THAT(pauses(revival, kStart + seconds(5), 12),
              ElementsAre(ms(0), ms(100), ms(200), ms(400), ms(800), ms(1600), ms(3200), ms(6400), ms(12800),
                          ms(25600), ms(30000), ms(30000)));
}

TEST(Revival, BeginsAnewAfterAHolderThatStayed) {
  Revival revival;
  revival.held(command({"daemon"}), kStart);
  revival.lost(kStart);
  pauses(revival, kStart, 8);
  revival.held(command({"daemon"}), kStart + seconds(60));
  EXPECT_FALSE(revival.due());
  revival.lost(kStart + seconds(61));
  EXPECT_EQ(kStart + seconds(61), revival.due());
}

TEST(Revival, AHolderThatIsLostAtOnceIsATryThatFailed) {
  Revival revival;
  base::Moment now = kStart;
  milliseconds waited{0};
  for (int round = 0; round < 5; round++) {
    revival.held(command({"daemon"}), now);
    now += milliseconds(10);
    revival.lost(now);
    waited = std::chrono::duration_cast<milliseconds>(*revival.due() - now);
    now = *revival.due();
    revival.tried(now);
  }
  EXPECT_EQ(milliseconds(800), waited);
}

TEST(Revival, DoesNothingForAHolderThatLeftOrNeverAskedForIt) {
  Revival revival;
  revival.held(command({"daemon"}), kStart);
  revival.release();
  revival.lost(kStart);
  EXPECT_FALSE(revival.due());
  revival.held({}, kStart);
  revival.lost(kStart);
  EXPECT_FALSE(revival.due());
}

TEST(StartDetached, FailsWhereThereIsNoParent) {
  const pid_t outer = ::fork();
  if (outer == 0) {
    // The next child is the first process of a PID namespace. Root needs no user namespace for that, which a
    // process with more than one thread (a sanitizer's) could not have.
    if (::unshare(::geteuid() == 0 ? CLONE_NEWPID : CLONE_NEWUSER | CLONE_NEWPID) != 0)
      ::_exit(errno == EPERM || errno == ENOSPC ? 0 : 1);
    const pid_t first = ::fork();
    if (first == 0) {
      const auto started = start_detached(command({"true"}));
      ::_exit(!started && started.error().sys == EINVAL ? 0 : 2);
    }
    int status = 0;
    ::waitpid(first, &status, 0);
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
  }
  int status = 0;
  ASSERT_EQ(outer, ::waitpid(outer, &status, 0));
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// A process that a test started and that is not its child.
class Stray {
 public:
  explicit Stray(pid_t pid) : process_(look_at(pid)) {}
  Stray(const Stray&) = delete;
  Stray& operator=(const Stray&) = delete;
  ~Stray() {
    if (process_) signal_process(*process_, SIGKILL);
  }
  bool alive() const {
    const auto now = process_ ? look_at(process_->pid) : std::nullopt;
    return now && *now == *process_ && !now->dead();
  }
  const Process& seen() const { return *process_; }

 private:
  std::optional<Process> process_;
};

class RevivalTest : public SessionTest {
 protected:
  void SetUp() override {}  // each starts its keeper with a hello of its own

  static std::string lines_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  // What a process writes in one go by renaming.
  std::string wait_for_report(const std::string& name) const {
    EXPECT_TRUE(support::wait_until([&] { return ::access(dir_.file(name).c_str(), F_OK) == 0; })) << name;
    return lines_of(dir_.file(name));
  }
  pid_t wait_for_pid(const std::string& name) const { return std::atoi(wait_for_report(name).c_str()); }
  // The first of them writes its number to a file and stays; those of later tries end, as with a daemon's
  // lock.
  keeper::Hello revive_sleeper(const std::string& name) const {
    return revive({"sh", "-c",
                   "mkdir lock." + name + " || exit; echo $$ > part; mv part " + name + "; exec sleep 1000"});
  }
  keeper::Hello revive(std::vector<std::string> argv) const {
    keeper::Hello hello{.revive = command(std::move(argv))};
    hello.revive->cwd = dir_.path().string();
    return hello;
  }

  // The last in the log of the holders, once there are that many.
  pid_t wait_for_holder(size_t count) const {
    std::vector<pid_t> pids;
    EXPECT_TRUE(support::wait_until([&] {
      pids.clear();
      std::istringstream log(lines_of(dir_.file("log")));
      for (pid_t pid = 0; log >> pid;) pids.push_back(pid);
      return pids.size() >= count;
    })) << count;
    return pids.empty() ? 0 : pids.back();
  }

  long wakeups() const {
    std::ifstream lines("/proc/" + std::to_string(keeper_->pid) + "/status");
    const std::string name = "voluntary_ctxt_switches:";
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(name)) return std::stol(line.substr(name.size()));
    }
    return -1;
  }
  bool sleeps_for(milliseconds time) const {
    const long before = wakeups();
    return !support::wait_until([&] { return wakeups() != before; }, time);
  }
  // Once it is through with what the test has asked for, it does nothing more. The window is longer than the
  // first pauses between tries.
  bool sleeps_on() const {
    return support::wait_until([&] { return sleeps_for(milliseconds(20)); }) && sleeps_for(milliseconds(500));
  }
};

TEST_F(RevivalTest, StartsAProcessThatHasNothingOfTheKeeper) {
  const std::string script =
      "mkdir lock || exit; (echo sid $(cut -d' ' -f6 /proc/$$/stat) of $$; grep -E '^(SigBlk|SigIgn):' "
      "/proc/$$/status;"
      " for f in /proc/$$/fd/*; do echo fd ${f##*/} $(readlink $f); done; umask; pwd;"
      " cat /proc/$$/cgroup; tr '\\0' '\\n' < /proc/$$/environ; echo args $*) > part; mv part report; exec "
      "sleep 1000";
  keeper::Hello hello = revive({"sh", "-c", script, "daemon", "one", "two"});
  hello.revive->env.emplace_back("MARK=of the daemon");
  hello.revive->umask = 027;
  launch(hello);
  const auto held = spawn(0, {"cat"});
  ASSERT_TRUE(held);
  const std::string programs_groups = lines_of("/proc/" + std::to_string(held->pid) + "/cgroup");
  link_.reset();

  const std::string report = wait_for_report("report");
  const size_t of = report.find(" of ") + 4;
  const Stray daemon(std::stoi(report.substr(of)));
  ASSERT_TRUE(daemon.alive());
  EXPECT_THAT(report, HasSubstr("sid " + std::to_string(daemon.seen().pid) + " of"));
  EXPECT_EQ(look_at(keeper_->pid)->parent, daemon.seen().parent) << "the keeper's sibling";
  EXPECT_NE(keeper_->pid, daemon.seen().parent);
  for (const char* line : {"SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000", "fd 0 /dev/null",
                           "fd 1 /dev/null", "fd 2 /dev/null", "MARK=of the daemon", "args one two", "0027"})
    EXPECT_THAT(report, HasSubstr(line));
  EXPECT_THAT(report, Not(HasSubstr("fd 3")));
  EXPECT_THAT(report, Not(HasSubstr("TEND_")));
  EXPECT_THAT(report, HasSubstr(dir_.path().string() + "\n"));
  const std::string groups = lines_of("/proc/" + std::to_string(keeper_->pid) + "/cgroup");
  EXPECT_THAT(report, HasSubstr(groups)) << "the keeper's own, as the daemon's before it";
  EXPECT_THAT(report, Not(HasSubstr("tend-" + session_))) << "not the program's";
  // Where the keeper may make control groups, this has tested something.
  std::printf("the program has a control group: %s\n",
              programs_groups.find("tend-" + session_) != std::string::npos ? "yes" : "no");
}

TEST_F(RevivalTest, TheEndOfASessionIsNotTheEndOfTheNewDaemon) {
  launch(revive_sleeper("first"));
  ASSERT_TRUE(spawn(0, {"sh", "-c", "(setsid sleep 1000 &); cat"}));
  link_.reset();
  const Stray first(wait_for_pid("first"));
  reconnect(revive_sleeper("second"));
  const auto answer = link_->wait_for(link_->kill(0, milliseconds(200)), support::kDeadline);
  ASSERT_TRUE(answer);
  EXPECT_EQ(0U, std::get<keeper::Gone>(answer->what).survivors);
  EXPECT_TRUE(living_members({keeper_->pid, 0}).empty());
  EXPECT_TRUE(first.alive()) << "the kill of the last program takes all that is below the keeper";
  link_.reset();
  const Stray second(wait_for_pid("second"));
  signal_process(*keeper_, SIGTERM);
  ASSERT_TRUE(support::wait_until([&] { return keeper_is_gone(); }));
  EXPECT_TRUE(first.alive());
  EXPECT_TRUE(second.alive());
}

TEST_F(RevivalTest, HoldersThatAreKilledComeBackAndNothingIsLost) {
  constexpr int kKills = 5;
  launch(revive({PTY_HOLDER, socket_path(), dir_.file("log"), "1", "revive"}));
  const std::string lines =
      "for i in $(seq 1 400); do seq $(($i * 100 - 99)) $(($i * 100)); sleep 0.01; done; exit 1";
  const auto held = spawn(0, {"sh", "-c", lines});
  ASSERT_TRUE(held);
  const Process program = *look_at(held->pid);
  link_.reset();
  for (size_t kill = 1; kill <= kKills; kill++) {
    const auto process = look_at(wait_for_holder(kill));
    ASSERT_TRUE(process) << "holder " << kill;
    const auto before = std::chrono::steady_clock::now();
    ASSERT_TRUE(signal_process(*process, SIGKILL));
    wait_for_holder(kill + 1);
    std::printf("holder %zu was back after %ld ms\n", kill,
                std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - before).count());
    const auto now = look_at(program.pid);
    EXPECT_TRUE(!now || *now == program) << "the program goes on untouched";
  }
  const Stray last(wait_for_holder(kKills + 1));
  const base::Fd file(::open(dir_.file(journal_name(0)).c_str(), O_RDONLY | O_CLOEXEC));
  const Journal journal = Journal::map(file.get(), Journal::Access::read).value();
  std::string expected;
  for (int i = 1; i <= 40'000; i++) expected += std::to_string(i) + "\r\n";
  EXPECT_TRUE(support::wait_until([&] { return journal.window().end >= expected.size(); }));
  std::string bytes(journal.capacity(), '\0');
  bytes.resize(journal.read(0, bytes).count);
  EXPECT_TRUE(bytes == expected) << "every byte once, in order";
  EXPECT_TRUE(last.alive()) << "it holds, and saw the right status";
  // The keeper first, or it would start one more.
  signal_process(*keeper_, SIGTERM);
  EXPECT_TRUE(support::wait_until([&] { return keeper_is_gone(); }));
}

TEST_F(RevivalTest, AHolderThatLeavesOnPurposeIsNotReplaced) {
  launch(revive({"sh", "-c", "touch first"}));
  ASSERT_TRUE(spawn(0, {"sh", "-c", "read line; echo got $line; cat"}));
  const auto held = spawn(1, {"cat"});
  ASSERT_TRUE(held);
  ASSERT_TRUE(link_->wait_for(link_->release(), support::kDeadline));
  EXPECT_TRUE(spawn(2, {"cat"})) << "it is the holder until it goes";
  ASSERT_TRUE(base::write_all(held->master.get(), std::string_view("drain me\n")));
  link_.reset();
  const base::Fd file(::open(dir_.file(journal_name(1)).c_str(), O_RDONLY | O_CLOEXEC));
  const Journal journal = Journal::map(file.get(), Journal::Access::read).value();
  ASSERT_TRUE(support::wait_until([&] { return journal.window().end == 2 * strlen("drain me\r\n"); }));
  EXPECT_TRUE(sleeps_on()) << "it drains, and waits for nothing but events";
  reconnect(revive({"sh", "-c", "touch second"}));
  link_.reset();
  wait_for_report("second");
  EXPECT_NE(0, ::access(dir_.file("first").c_str(), F_OK));
}

TEST_F(RevivalTest, AKeeperThatIsHeldWaitsForNothing) {
  launch(revive_sleeper("daemon"));
  const auto held = spawn(0, {"cat"});
  ASSERT_TRUE(held);
  EXPECT_TRUE(sleeps_on());
  ASSERT_TRUE(link_->wait_for(link_->release(), support::kDeadline));
}

TEST_F(RevivalTest, TriesAgainAfterGrowingPauses) {
  const auto uptime = [] {
    double value = 0;
    std::ifstream("/proc/uptime") >> value;
    return value;
  };
  launch(revive({"sh", "-c", "cut -d' ' -f1 /proc/uptime >> stamps"}));
  ASSERT_TRUE(spawn(0, {"cat"}));
  const double lost_at = uptime();
  link_.reset();
  std::vector<double> stamps;
  ASSERT_TRUE(support::wait_until([&] {
    stamps.clear();
    std::istringstream lines(lines_of(dir_.file("stamps")));
    for (double stamp = 0; lines >> stamp;) stamps.push_back(stamp);
    return stamps.size() >= 6;
  }));
  // No try comes before all the pauses in front of it have passed. The uptime has hundredths.
  double earliest = lost_at;
  double pause = 0.1;
  for (size_t i = 1; i < 6; i++, pause *= 2) {
    earliest += pause;
    EXPECT_GE(stamps[i], earliest - 0.03) << "try " << i;
  }
  reconnect();
}

TEST_F(RevivalTest, KeepsTryingAProgramThatCannotBeStarted) {
  launch(revive({dir_.file("daemon")}));
  ASSERT_TRUE(spawn(0, {"cat"}));
  link_.reset();
  EXPECT_FALSE(support::wait_until([&] { return keeper_is_gone(); }, milliseconds(300)));
  support::write_file(dir_.file("new"),
                      "#!/bin/sh\nmkdir lock || exit\necho $$ > part\nmv part report\nexec sleep 1000\n");
  ASSERT_EQ(0, ::chmod(dir_.file("new").c_str(), 0700));
  ASSERT_EQ(0, ::rename(dir_.file("new").c_str(), dir_.file("daemon").c_str()));
  const Stray daemon(wait_for_pid("report"));
  EXPECT_TRUE(daemon.alive());
  reconnect();
  EXPECT_TRUE(wait_event<HeldPty>(0)) << "the session is whole";
}

TEST_F(RevivalTest, AKeeperThatNobodyCanFindEndsWithItsLastProgram) {
  launch(revive({"true"}));
  pid_t pid = 0;
  {
    const auto held = spawn(0, {"cat"});
    ASSERT_TRUE(held);
    pid = held->pid;
  }
  ASSERT_EQ(0, ::unlink(socket_path().c_str()));
  link_.reset();
  EXPECT_FALSE(support::wait_until([&] { return keeper_is_gone(); }, milliseconds(300)))
      << "the program runs on";
  const auto program = look_at(pid);
  ASSERT_TRUE(program);
  ASSERT_TRUE(signal_process(*program, SIGKILL));
  EXPECT_TRUE(support::wait_until([&] { return keeper_is_gone(); }));
}

TEST_F(RevivalTest, RefusesAHolderThatNamesNoProgram) {
  const auto link = KeeperLink::launch({TEND_KEEPER, base::new_id(), socket_path(), dir_.path().string()},
                                       {.revive = Command{}});
  ASSERT_FALSE(link);
  EXPECT_EQ(base::Code::invalid_param, link.error().code);
}

TEST_F(RevivalTest, ASessionThatEndsWithItsHolderStartsNothing) {
  keeper::Hello hello = revive({"sh", "-c", "touch daemon"});
  hello.end_when_alone = true;
  launch(hello);
  ASSERT_TRUE(spawn(0, {"cat"}));
  link_.reset();
  ASSERT_TRUE(support::wait_until([&] { return keeper_is_gone(); }));
  EXPECT_NE(0, ::access(dir_.file("daemon").c_str(), F_OK));
}

}  // namespace
}  // namespace pty
