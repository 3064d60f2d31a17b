// SPDX-License-Identifier: Apache-2.0
#include "pty/keeper.h"

#include <fstream>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "session_fixture.h"

namespace pty {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

TEST_F(SessionTest, GivesItsHolderARunningProgramAndHowItEnded) {
  const auto held = spawn(0, {"sh", "-c", "echo hello; exit 7"});
  ASSERT_TRUE(held) << held.error().message();
  EXPECT_EQ((ExitStatus{7, 0}), wait_event<ExitStatus>(0));
  EXPECT_TRUE(pump_until(*held, "hello\r\n"));
}

TEST_F(SessionTest, TellsTheProgramWhereItIs) {
  const auto held = spawn(3, {"sh", "-c", "echo [$TEND_SESSION] [$TEND_PTY]"});
  ASSERT_TRUE(held);
  EXPECT_TRUE(pump_until(*held, "[" + link_->welcome().session + "] [3]"));
}

TEST_F(SessionTest, RunsSeveralProgramsAtOnceEachWithItsOwnEnd) {
  for (uint32_t number = 0; number < 8; number++)
    ASSERT_TRUE(spawn(number, {"sh", "-c", "exit " + std::to_string(number + 10)}));
  std::map<uint32_t, int> codes;
  ASSERT_TRUE(support::wait_until([&] {
    auto event = link_->next();
    if (event && *event && std::holds_alternative<ExitStatus>((*event)->what))
      codes[(*event)->pty] = std::get<ExitStatus>((*event)->what).code;
    return codes.size() == 8;
  }));
  for (uint32_t number = 0; number < 8; number++) EXPECT_EQ(static_cast<int>(number) + 10, codes[number]);
}

TEST_F(SessionTest, ReportsWhyAProgramDoesNotStart) {
  const auto held = spawn(0, {"no-such-program"});
  ASSERT_FALSE(held);
  EXPECT_EQ(base::Code::pty_spawn_failed, held.error().code);
  EXPECT_EQ("cannot start no-such-program: No such file or directory", held.error().message());
  EXPECT_TRUE(spawn(0, {"cat"})) << "the number is free, and so is the journal's name";
}

TEST_F(SessionTest, RefusesAProgramWhoseArgumentsAreTooLong) {
  for (const size_t size : {keeper::kMostPayload - 200, keeper::kMostPayload}) {
    const auto held = spawn(0, {"true", std::string(size, 'x')});
    ASSERT_FALSE(held);
    EXPECT_EQ(base::Code::message_too_large, held.error().code) << size;
  }
  EXPECT_TRUE(spawn(0, {"cat"})) << "the connection lives on";
}

TEST_F(SessionTest, StartsNothingThatWasAskedForTooLongAgo) {
  const base::Moment now = base::RealClock().now();
  link_->start_by(now - milliseconds(1));
  const auto late = spawn(0, {"cat"});
  ASSERT_FALSE(late);
  EXPECT_EQ(base::Code::pty_timeout, late.error().code);
  EXPECT_TRUE(spawn(0, {"cat"})) << "it was the limit of one start";
  link_->start_by(now + support::kDeadline);
  EXPECT_TRUE(spawn(1, {"cat"}));
}

TEST_F(SessionTest, RefusesANumberThatIsTaken) {
  ASSERT_TRUE(spawn(0, {"cat"}));
  EXPECT_FALSE(spawn(0, {"cat"}));
  EXPECT_FALSE(spawn(keeper::kMostPtys, {"cat"}));
}

TEST_F(SessionTest, KeepsAProgramRunningAndItsOutputWhenItsHolderGoes) {
  {
    const auto held = spawn(0, {"sh", "-c", "echo before; read line; echo got $line; exit 4"});
    ASSERT_TRUE(held);
    ASSERT_TRUE(pump_until(*held, "before"));
    ASSERT_TRUE(base::write_all(held->master.get(), std::string_view("something\n")));
  }
  link_.reset();
  // Nobody holds it now: the keeper drains.
  const base::Fd file(::open(dir_.file(journal_name(0)).c_str(), O_RDONLY | O_CLOEXEC));
  const Journal journal = Journal::map(file.get(), Journal::Access::read).value();
  EXPECT_TRUE(support::wait_until([&] {
    std::string bytes(1000, '\0');
    bytes.resize(journal.read(0, bytes).count);
    return bytes.find("got something\r\n") != std::string::npos;
  }));
  reconnect();
  EXPECT_EQ(1U, link_->welcome().ptys);
  const auto again = wait_event<HeldPty>(0);
  ASSERT_TRUE(again);
  if (!again->exit) {
    EXPECT_EQ((ExitStatus{4, 0}), wait_event<ExitStatus>(0));
  }
  if (again->exit) {
    EXPECT_EQ((ExitStatus{4, 0}), *again->exit);
  }
}

TEST_F(SessionTest, RemembersHowAProgramEndedWhileNobodyWasThere) {
  ASSERT_TRUE(spawn(0, {"sh", "-c", "read line; kill -SEGV $$"}));
  const auto held = spawn(1, {"sh", "-c", "exit 5"});
  ASSERT_EQ((ExitStatus{5, 0}), wait_event<ExitStatus>(1));
  link_->signal(0, {SIGSEGV, keeper::Signal::To::leader});
  const auto flushed =
      link_->wait_for(link_->signal(1, {SIGTERM, keeper::Signal::To::leader}), support::kDeadline);
  EXPECT_FALSE(flushed) << "the second has ended";
  reconnect();
  for (const auto& [number, expected] :
       {std::pair{0U, ExitStatus{139, SIGSEGV}}, std::pair{1U, ExitStatus{5, 0}}}) {
    const auto again = wait_event<HeldPty>(number);
    ASSERT_TRUE(again);
    EXPECT_EQ(expected, again->exit ? again->exit : wait_event<ExitStatus>(number));
  }
}

TEST_F(SessionTest, HasOneHolderAtATime) {
  auto second = pty_test::hold(socket_path(), {});
  ASSERT_FALSE(second);
  EXPECT_EQ(base::Code::pty_access_denied, second.error().code);
  EXPECT_THAT(second.error().message(), HasSubstr("by process " + std::to_string(::getpid())));
  EXPECT_TRUE(spawn(0, {"cat"})) << "the first one still holds it";
}

TEST_F(SessionTest, RefusesAHolderOfAProtocolThatIsTooOld) {
  ASSERT_TRUE(spawn(0, {"cat"}));
  link_.reset();
  base::Result<KeeperLink> old = base::fail(base::Code::internal, 0, "");
  // Until it has seen that its holder has gone, the keeper says that it is held.
  ASSERT_TRUE(support::wait_until([&] {
    old = pty_test::hold(socket_path(), {.version = 0});
    return !old && old.error().code == base::Code::version_mismatch;
  }));
}

TEST_F(SessionTest, DeliversSignalsToTheForegroundOrTheProgram) {
  const auto held = spawn(0, {"bash", "-c",
                              "trap 'echo usr1' USR1; trap 'echo int' INT; echo ready; while :; do "
                              "sleep 0.05; done"});
  ASSERT_TRUE(held && pump_until(*held, "ready"));
  ASSERT_TRUE(link_->wait_for(link_->signal(0, {SIGUSR1, keeper::Signal::To::leader}), support::kDeadline));
  EXPECT_TRUE(pump_until(*held, "usr1"));
  ASSERT_TRUE(
      link_->wait_for(link_->signal(0, {SIGINT, keeper::Signal::To::foreground}), support::kDeadline));
  EXPECT_TRUE(pump_until(*held, "int"));
  EXPECT_FALSE(link_->wait_for(link_->signal(0, {99, keeper::Signal::To::leader}), support::kDeadline));
  EXPECT_FALSE(link_->wait_for(link_->signal(9, {SIGINT, keeper::Signal::To::leader}), support::kDeadline));
}

TEST_F(SessionTest, KillsAProgramWithAllThatItStarted) {
  const auto held =
      spawn(0, {"bash", "-c",
                "trap '' TERM HUP; setsid sleep 1000 & (setsid bash -c 'trap \"\" TERM HUP; while :; do "
                "sleep 0.1; done' &); sleep 1000 & echo ready; while :; do sleep 0.1; done"});
  ASSERT_TRUE(held && pump_until(*held, "ready"));
  ASSERT_TRUE(spawn(1, {"cat"}));
  const auto answer = link_->wait_for(link_->kill(0, milliseconds(200)), support::kDeadline);
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(0U, std::get<keeper::Gone>(answer->what).survivors);
  EXPECT_EQ((ExitStatus{128 + SIGKILL, SIGKILL}), wait_event<ExitStatus>(0));
  const auto left = living_members({keeper_->pid, 0});
  EXPECT_EQ(1U, left.size()) << "the other program lives on, alone";
}

TEST_F(SessionTest, ForgetsAnEndedProgramAndReusesItsNumber) {
  ASSERT_TRUE(spawn(0, {"cat"}));
  EXPECT_FALSE(link_->wait_for(link_->forget(0), support::kDeadline)) << "it still runs";
  ASSERT_TRUE(link_->wait_for(link_->kill(0, {}), support::kDeadline));
  EXPECT_TRUE(link_->wait_for(link_->forget(0), support::kDeadline));
  ::unlink(dir_.file(journal_name(0)).c_str());
  EXPECT_TRUE(spawn(0, {"cat"}));
}

TEST_F(SessionTest, EndsWithEverythingWhenToldTo) {
  const auto held = spawn(0, {"sh", "-c", "(setsid sleep 1000 &); echo ready; cat"});
  ASSERT_TRUE(held && pump_until(*held, "ready"));
  const pid_t program = held->pid;
  ASSERT_TRUE(link_->wait_for(link_->shut_down(seconds(5)), support::kDeadline));
  EXPECT_TRUE(support::wait_until([&] { return keeper_is_gone(); }));
  EXPECT_FALSE(look_at(program));
  EXPECT_NE(0, ::access(socket_path().c_str(), F_OK));
}

TEST_F(SessionTest, ARequestToTerminateEndsTheSession) {
  ASSERT_TRUE(spawn(0, {"cat"}));
  signal_process(*keeper_, SIGTERM);
  EXPECT_TRUE(support::wait_until([&] { return keeper_is_gone(); }));
}

TEST_F(SessionTest, EndsWithItsHolderIfThatWasTheCondition) {
  link_.reset();
  ASSERT_TRUE(support::wait_until([&] { return keeper_is_gone(); })) << "nothing to keep";
  launch({.end_when_alone = true});
  const auto held = spawn(0, {"cat"});
  ASSERT_TRUE(held);
  const pid_t program = held->pid;
  link_.reset();
  EXPECT_TRUE(support::wait_until([&] { return keeper_is_gone(); }));
  EXPECT_FALSE(look_at(program));
  EXPECT_NE(0, ::access(dir_.file(journal_name(0)).c_str(), F_OK)) << "nobody is left to want the journal";
}

TEST_F(SessionTest, AFullRingMakesTheProgramWaitAndThenTheOldestBytesGo) {
  // More than the ring holds, and nobody processes anything.
  keeper::Spawn large = request({"sh", "-c", "stty raw; seq 1 30000; echo finished"});
  large.journal_capacity = Journal::kLeastCapacity;
  ASSERT_TRUE(link_->wait_for(link_->spawn(0, large), support::kDeadline));
  link_.reset();
  const base::Fd file(::open(dir_.file(journal_name(0)).c_str(), O_RDONLY | O_CLOEXEC));
  const Journal journal = Journal::map(file.get(), Journal::Access::read).value();
  ASSERT_TRUE(support::wait_until([&] { return journal.lost() > 0; })) << "an agent is never hung for ever";
  ASSERT_TRUE(support::wait_until([&] {
    std::string bytes(journal.capacity(), '\0');
    bytes.resize(journal.read(0, bytes).count);
    return bytes.find("finished") != std::string::npos;
  }));
  EXPECT_EQ(journal.window().end - journal.capacity(), journal.lost());
}

TEST_F(SessionTest, AnIdleKeeperIsSmallAndDoesNothing) {
  ASSERT_TRUE(spawn(0, {"cat"}));
  reconnect();
  const auto held = wait_event<HeldPty>(0);
  ASSERT_TRUE(held);
  const auto field = [&](const std::string& file, const std::string& name) {
    std::ifstream lines("/proc/" + std::to_string(keeper_->pid) + "/" + file);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(name)) return std::stol(line.substr(name.size()));
    }
    return -1L;
  };
  const long own = field("smaps_rollup", "Private_Dirty:") + field("smaps_rollup", "Private_Clean:");
  std::printf("keeper: own %ld kB (%ld dirty), PSS %ld kB, RSS %ld kB\n", own,
              field("smaps_rollup", "Private_Dirty:"), field("smaps_rollup", "Pss:"),
              field("smaps_rollup", "Rss:"));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(field("smaps_rollup", "Private_Dirty:"), 300);
#endif
  // Nothing to do means no wake-up at all, however long one watches.
  const long before = field("status", "voluntary_ctxt_switches:");
  EXPECT_FALSE(support::wait_until([&] { return field("status", "voluntary_ctxt_switches:") != before; },
                                   milliseconds(500)));
}

TEST_F(SessionTest, LooksWhetherSomebodyWaitsForATerminal) {
  const auto look = [&](uint32_t number) {
    auto answer = link_->wait_for(link_->look(number), support::kDeadline);
    EXPECT_TRUE(answer) << answer.error().message();
    return answer ? std::get<Look>(answer->what) : Look{};
  };
  const auto reader = spawn(0, {"bash", "-c", "read -s v"});
  ASSERT_TRUE(reader && spawn(1, {"sleep", "1000"}));
  EXPECT_TRUE(support::wait_until([&] { return look(0).verdict == Look::Verdict::waits; }));
  EXPECT_EQ(reader->pid, look(0).reader);
  EXPECT_TRUE(look(0).canonical && !look(0).echo);
  EXPECT_TRUE(support::wait_until([&] { return look(1).command == "sleep"; }));
  EXPECT_EQ(Look::Verdict::busy, look(1).verdict);
  ASSERT_TRUE(link_->wait_for(link_->kill(0, {}), support::kDeadline));
  EXPECT_EQ(Look::Verdict::gone, look(0).verdict);
  const auto none = link_->wait_for(link_->look(9), support::kDeadline);
  ASSERT_FALSE(none);
  EXPECT_EQ(base::Code::pty_session_not_found, none.error().code);
}

TEST_F(SessionTest, FindsAReaderWhoseParentHasEnded) {
  // The orphan comes to the keeper, and is in the foreground still.
  ASSERT_TRUE(spawn(0, {"bash", "-c", "(bash -c 'read v < /dev/tty' & ); sleep 1000"}));
  EXPECT_TRUE(support::wait_until([&] {
    auto answer = link_->wait_for(link_->look(0), support::kDeadline);
    return answer && std::get<Look>(answer->what).verdict == Look::Verdict::may_wait &&
           std::get<Look>(answer->what).command == "bash";
  }));
}

TEST_F(SessionTest, LookingLeavesNothingInTheKeeper) {
  ASSERT_TRUE(spawn(0, {"cat"}));
  const auto dirty = [&] {
    std::ifstream lines("/proc/" + std::to_string(keeper_->pid) + "/smaps_rollup");
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("Private_Dirty:")) return std::stol(line.substr(14));
    }
    return -1L;
  };
  const auto descriptors = [&] {
    const std::filesystem::directory_iterator list("/proc/" + std::to_string(keeper_->pid) + "/fd");
    return std::distance(begin(list), end(list));
  };
  // The keeper closes its copies of what it has handed over behind the answer, and before it hears anything
  // else.
  ASSERT_TRUE(link_->wait_for(link_->look(0), support::kDeadline));
  const long dirty_before = dirty();
  const auto descriptors_before = descriptors();
  for (int i = 0; i < 500; i++) ASSERT_TRUE(link_->wait_for(link_->look(0), support::kDeadline));
  EXPECT_EQ(descriptors_before, descriptors());
  std::printf("keeper: %ld kB dirty before 500 looks, %ld kB after\n", dirty_before, dirty());
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LE(dirty(), dirty_before + 64);
#endif
}

}  // namespace
}  // namespace pty
