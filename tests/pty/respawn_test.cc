// SPDX-License-Identifier: Apache-2.0
// A program that has ended is started again where it was: same number, same journal, a new terminal.
#include <fstream>
#include <gmock/gmock.h>
#include <random>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

#include "base/unix_socket.h"
#include "pty/termination.h"
#include "session_fixture.h"

namespace pty {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

// Counts its runs in a file, says which one this is, and ends with that number.
constexpr const char* kCountingRun =
    "n=$(($(cat count 2>/dev/null || echo 0) + 1)); echo $n > count; echo run $n; seq 1 1000; exit $((n % "
    "200))";

std::string expected_output(uint32_t runs) {
  std::string lines;
  for (int i = 1; i <= 1000; i++) lines += std::to_string(i) + "\r\n";
  std::string all;
  for (uint32_t run = 1; run <= runs; run++) all += "run " + std::to_string(run) + "\r\n" + lines;
  return all;
}

uintmax_t file_size(const std::string& path) {
  std::error_code none;
  const uintmax_t size = std::filesystem::file_size(path, none);
  return none ? 0 : size;
}

class RespawnTest : public SessionTest {
 protected:
  keeper::Spawn counting_run() const {
    keeper::Spawn request = SessionTest::request({"sh", "-c", kCountingRun});
    request.command.cwd = dir_.path().string();
    return request;
  }
  base::Result<HeldPty> start(const keeper::Spawn& request) {
    auto answer = link_->wait_for(link_->spawn(0, request), support::kDeadline);
    if (!answer) return base::fail(answer);
    return std::get<HeldPty>(std::move(answer->what));
  }
  base::Result<HeldPty> respawn(uint32_t number, Size size = {100, 30}) {
    auto answer = link_->wait_for(link_->respawn(number, size), support::kDeadline);
    if (!answer) return base::fail(answer);
    return std::get<HeldPty>(std::move(answer->what));
  }
  size_t wait_for_members(size_t count) const {
    const auto members = [&] { return living_members({keeper_->pid, 0}).size(); };
    support::wait_until([&] { return members() == count; });
    return members();
  }
  // Pumps as long as there is something.
  static void pump_to_the_end(const HeldPty& held) {
    Journal journal = Journal::map(held.journal.get(), Journal::Access::write).value();
    Pump pump(held.master.get(), {held.pipe.read_end.get(), held.pipe.write_end.get()}, journal);
    while (pump.step().value_or(Pump::Step{}).state == Pump::State::moved) {
    }
  }
};

TEST_F(RespawnTest, GivesTheSameProgramANewTerminalAndTheSameJournal) {
  keeper::Spawn first = request({"sh", "-c", "echo [$SECRET] [$TEND_PTY] $(stty size); pwd; umask; exit 3"});
  first.command.env.emplace_back("SECRET=word");
  first.command.cwd = dir_.path().string();
  first.command.umask = 027;
  auto held = start(first);
  ASSERT_TRUE(held);
  ASSERT_TRUE(pump_until(*held, "0027\r\n"));
  ASSERT_EQ((ExitStatus{3, 0}), wait_event<ExitStatus>(0));
  pump_to_the_end(*held);
  const std::string before = all_output(*held);
  EXPECT_THAT(before, HasSubstr("[word] [0] 30 100\r\n"));

  const auto again = respawn(0, {90, 20});
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_NE(held->pid, again->pid);
  EXPECT_EQ(std::nullopt, again->exit);
  EXPECT_EQ(1U, again->restarts);
  EXPECT_EQ(before.size(), again->run_offset);
  EXPECT_GE(again->spawned_at, held->spawned_at);
  EXPECT_EQ((Size{90, 20}), again->size);
  EXPECT_EQ((ExitStatus{3, 0}), wait_event<ExitStatus>(0));
  pump_to_the_end(*again);
  std::string expected = before;
  expected.replace(expected.find("30 100"), 6, "20 90");
  EXPECT_EQ(before + expected, all_output(*again));
  EXPECT_EQ(before + expected, all_output(*held)) << "it is the same file";
}

TEST_F(RespawnTest, IsRefusedWhileTheProgramRunsAndForOneThatIsNotThere) {
  ASSERT_TRUE(spawn(0, {"cat"}));
  const auto running = respawn(0);
  ASSERT_FALSE(running);
  EXPECT_EQ("the program still runs", running.error().message());
  const auto unknown = respawn(1);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(base::Code::pty_session_not_found, unknown.error().code);
}

TEST_F(RespawnTest, IsRefusedWhileWhatTheProgramLeftIsBeingEnded) {
  const auto held =
      spawn(0, {"bash", "-c", "(trap '' TERM HUP; echo ready; sleep 1000) & sleep 0.1; exit 0"});
  ASSERT_TRUE(held && pump_until(*held, "ready"));
  ASSERT_TRUE(wait_event<ExitStatus>(0));
  const uint32_t killed = link_->kill(0, support::kDeadline);
  EXPECT_FALSE(respawn(0));
  // The keeper waits for those who do not hear; they get their end from here.
  for (const Process& each : living_members({keeper_->pid, 0})) signal_process(each, SIGKILL);
  ASSERT_TRUE(link_->wait_for(killed, support::kDeadline));
  EXPECT_TRUE(respawn(0));
}

TEST_F(RespawnTest, LeavesEverythingAsItWasWhenItFails) {
  const std::string program = dir_.file("program");
  const auto install = [&] {
    support::write_file(dir_.file("new"), "#!/bin/sh\necho run\nexit 4\n");
    ::chmod(dir_.file("new").c_str(), 0700);
    ::rename(dir_.file("new").c_str(), program.c_str());
  };
  install();
  const auto held = spawn(0, {program});
  ASSERT_TRUE(held);
  ASSERT_TRUE(wait_event<ExitStatus>(0));
  EXPECT_FALSE(respawn(0, {0, 5})) << "no such size";
  ::unlink(program.c_str());
  const auto again = respawn(0);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message(), HasSubstr("No such file"));
  reconnect();
  const auto still = wait_event<HeldPty>(0);
  ASSERT_TRUE(still);
  EXPECT_EQ((ExitStatus{4, 0}), still->exit);
  EXPECT_EQ(held->pid, still->pid);
  EXPECT_EQ(0U, still->restarts);
  install();
  EXPECT_TRUE(respawn(0));
  ASSERT_TRUE(wait_event<ExitStatus>(0));
  const auto last = respawn(0);
  ASSERT_TRUE(last);
  ASSERT_TRUE(wait_event<ExitStatus>(0));
  pump_to_the_end(*last);
  EXPECT_EQ("run\r\nrun\r\nrun\r\n", all_output(*last));
}

TEST_F(RespawnTest, TakesWhatTheHolderHasNotPumped) {
  auto held = start(counting_run());
  ASSERT_TRUE(held);
  for (int run = 1; run <= 5; run++) {
    ASSERT_EQ((ExitStatus{run, 0}), wait_event<ExitStatus>(0));
    auto again = respawn(0);
    ASSERT_TRUE(again);
    held = std::move(again);
    EXPECT_EQ(expected_output(static_cast<uint32_t>(run)).size(), held->run_offset);
  }
  ASSERT_EQ((ExitStatus{6, 0}), wait_event<ExitStatus>(0));
  pump_to_the_end(*held);
  EXPECT_TRUE(all_output(*held) == expected_output(6));
}

TEST_F(RespawnTest, IsRefusedRatherThanToOverwriteWhatNobodyHasProcessed) {
  keeper::Spawn large = request({"sh", "-c", "printf first; read line; printf second"});
  large.journal_capacity = Journal::kLeastCapacity;
  const auto held = start(large);
  ASSERT_TRUE(held && pump_until(*held, "first"));
  ASSERT_TRUE(base::write_all(held->master.get(), std::string_view("\n")));
  ASSERT_TRUE(wait_event<ExitStatus>(0));
  EXPECT_FALSE(respawn(0)) << "a step may overwrite all of such a small ring";
  pump_to_the_end(*held);
  EXPECT_EQ("first\r\nsecond", all_output(*held));
  EXPECT_TRUE(respawn(0)) << "nothing is left to take, however full the ring";
}

TEST_F(RespawnTest, AKillFindsWhatEarlierRunsLeftBehind) {
  const std::string leave = "trap '' HUP; sleep 1000 & echo ready; read line; exit 0";
  auto held = spawn(0, {"bash", "-c", leave});
  ASSERT_TRUE(held && pump_until(*held, "ready"));
  ASSERT_TRUE(spawn(1, {"cat"}));
  ASSERT_TRUE(base::write_all(held->master.get(), std::string_view("\n")));
  ASSERT_TRUE(wait_event<ExitStatus>(0));
  held = respawn(0);
  ASSERT_TRUE(held);
  EXPECT_EQ(4U, wait_for_members(4)) << "two runs' sleepers, the program, and the other one";
  ASSERT_TRUE(link_->wait_for(link_->kill(0, milliseconds(200)), support::kDeadline));
  EXPECT_EQ(1U, wait_for_members(1));
}

TEST_F(RespawnTest, FiftyTimesInARowLosesNothing) {
  constexpr uint32_t kRuns = 51;
  auto held = start(counting_run());
  ASSERT_TRUE(held);
  for (uint32_t run = 1; run < kRuns; run++) {
    ASSERT_EQ((ExitStatus{static_cast<int>(run), 0}), wait_event<ExitStatus>(0));
    pump_to_the_end(*held);
    ASSERT_EQ(expected_output(run).size(), all_output(*held).size());
    auto again = respawn(0);
    ASSERT_TRUE(again) << again.error().message();
    held = std::move(again);
    ASSERT_EQ(run, held->restarts);
  }
  ASSERT_TRUE(wait_event<ExitStatus>(0));
  pump_to_the_end(*held);
  EXPECT_TRUE(all_output(*held) == expected_output(kRuns));
  const auto keepers =
      std::distance(std::filesystem::directory_iterator("/proc/" + std::to_string(keeper_->pid) + "/fd"), {});
  EXPECT_LT(keepers, 30) << "the old terminals are closed";
}

TEST_F(RespawnTest, TellsANewHolderAllItNeeds) {
  const auto before = std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
  ASSERT_TRUE(start(counting_run()));
  ASSERT_TRUE(wait_event<ExitStatus>(0));
  ASSERT_TRUE(respawn(0, {77, 22}));
  ASSERT_TRUE(wait_event<ExitStatus>(0));
  reconnect();
  const auto held = wait_event<HeldPty>(0);
  ASSERT_TRUE(held);
  EXPECT_THAT(held->argv, ElementsAre("sh", "-c", kCountingRun));
  EXPECT_EQ(dir_.path().string(), held->cwd);
  EXPECT_EQ((Size{77, 22}), held->size);
  EXPECT_EQ(1U, held->restarts);
  EXPECT_EQ(expected_output(1).size(), held->run_offset);
  EXPECT_EQ((ExitStatus{2, 0}), held->exit);
  EXPECT_LE(before, held->spawned_at);
  EXPECT_LE(held->spawned_at, held->exited_at);
  EXPECT_LE(held->exited_at, std::chrono::system_clock::now());
}

// A holder that asks in the same breath as it says hello finds the keeper still watching the old terminal,
// which others have open, too.
TEST_F(RespawnTest, LeavesNoWatchOnTheOldTerminal) {
  const auto held = spawn(
      0,
      {"bash", "-c", "(trap '' HUP; echo ready; while echo more; do sleep 0.01; done) & sleep 0.1; exit 0"});
  ASSERT_TRUE(held && pump_until(*held, "ready"));
  ASSERT_TRUE(wait_event<ExitStatus>(0));
  const uint64_t seen = all_output(*held).size();
  link_.reset();
  const Journal journal = Journal::map(held->journal.get(), Journal::Access::read).value();
  ASSERT_TRUE(support::wait_until([&] { return journal.window().end > seen; })) << "the keeper drains";

  auto socket = base::connect_to(socket_path());
  ASSERT_TRUE(socket);
  const std::string both = keeper::make_frame(keeper::Type::hello, 1, 0, encode(keeper::Hello{})) +
                           keeper::make_frame(keeper::Type::respawn, 2, 0, encode(keeper::Respawn{{80, 24}}));
  ASSERT_EQ(both.size(), base::send_some(socket->get(), both, {}).value_or(0));
  keeper::Connection peer(std::move(*socket), keeper::Connection::Descriptors::keep);
  std::optional<keeper::Type> answer;
  ASSERT_TRUE(support::wait_until([&] {
    for (const keeper::Frame& frame : peer.receive()) {
      if (frame.request == 2) answer = frame.type;
    }
    return answer.has_value();
  }));
  EXPECT_EQ(keeper::Type::held, answer);
  const auto watched = [&] {
    size_t count = 0;
    const std::string folder = "/proc/" + std::to_string(keeper_->pid) + "/fdinfo";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream lines(entry.path());
      for (std::string line; std::getline(lines, line);) count += line.starts_with("tfd:") ? 1 : 0;
    }
    return count;
  };
  // The listener, the signals and this connection.
  EXPECT_TRUE(support::wait_until([&] { return watched() == 3; })) << watched();
}

TEST_F(RespawnTest, LosesNothingWhenItsHolderIsKilledAroundIt) {
  constexpr uint32_t kRuns = 180;
  ASSERT_TRUE(start(counting_run()));
  link_.reset();
  const base::Fd file(::open(dir_.file(journal_name(0)).c_str(), O_RDONLY | O_CLOEXEC));
  const Journal journal = Journal::map(file.get(), Journal::Access::read).value();
  const std::string expected = expected_output(kRuns);
  std::mt19937 random(std::random_device{}());
  int kills = 0;
  while (journal.window().end < expected.size()) {
    const uintmax_t before = file_size(dir_.file("log"));
    const pid_t holder = ::fork();
    if (holder == 0) {
      ::execl(PTY_HOLDER, PTY_HOLDER, socket_path().c_str(), dir_.file("log").c_str(),
              std::to_string(kRuns).c_str(), nullptr);
      ::_exit(127);
    }
    // Every second one holds before it is killed, however slow its start; the others come as far as they
    // come.
    if (kills % 2 == 1) {
      ASSERT_TRUE(support::wait_until([&] { return file_size(dir_.file("log")) > before; }));
    }
    // A random moment is the point of this, not a wait for something.
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 12'000));
    ::kill(holder, SIGKILL);
    int status = 0;
    ASSERT_EQ(holder, ::waitpid(holder, &status, 0));
    ASSERT_TRUE(WIFSIGNALED(status)) << "a holder gave up: " << WEXITSTATUS(status);
    kills++;
    ASSERT_LT(kills, 20'000) << "it does not come on";
  }
  reconnect();
  const auto held = wait_event<HeldPty>(0);
  ASSERT_TRUE(held);
  EXPECT_EQ(kRuns - 1, held->restarts);
  const auto exit = held->exit ? held->exit : wait_event<ExitStatus>(0);
  EXPECT_EQ((ExitStatus{kRuns % 200, 0}), exit);
  pump_to_the_end(*held);
  EXPECT_TRUE(all_output(*held) == expected) << "every byte of every run once, in order";
  std::printf("%d kills, %u runs\n", kills, kRuns);
}

}  // namespace
}  // namespace pty
