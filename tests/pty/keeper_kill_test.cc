// SPDX-License-Identifier: Apache-2.0
// The process that holds a session is killed at random moments, a thousand times, while its program writes.
// The keeper goes on, and whoever comes next finds every line once, in order, and the exit status.
#include <random>
#include <sys/wait.h>
#include <thread>

#include "number_lines.h"
#include "session_fixture.h"

namespace pty {
namespace {

constexpr int kKills = 1000;
constexpr long kLines = 100'000;

// What a daemon does with a PTY: takes it, pumps it, waits for more.
[[noreturn]] void hold(const std::string& socket_path) {
  std::optional<KeeperLink> link;
  while (!link) {
    auto connected = pty_test::hold(socket_path, {});
    if (connected) link.emplace(std::move(*connected));
  }
  std::optional<HeldPty> held;
  while (!held) {
    auto event = link->next();
    if (!event) ::_exit(2);
    if (*event && std::holds_alternative<HeldPty>((*event)->what))
      held = std::get<HeldPty>(std::move((*event)->what));
  }
  Journal journal = Journal::map(held->journal.get(), Journal::Access::write).value();
  Pump pump(held->master.get(), {held->pipe.read_end.get(), held->pipe.write_end.get()}, journal);
  for (;;) {
    const auto step = pump.step();
    if (!step) ::_exit(3);
    if (step->state == Pump::State::closed) ::pause();
    pollfd wait{held->master.get(), POLLIN, 0};
    if (step->state == Pump::State::empty) ::poll(&wait, 1, -1);
  }
}

TEST_F(SessionTest, LosesNothingWhenItsHolderIsKilledAThousandTimes) {
  std::mt19937 random(std::random_device{}());
  int kills = 0;
  int while_writing = 0;
  for (int round = 0; kills < kKills; round++) {
    const uint32_t number = 0;
    ASSERT_TRUE(spawn(number, {"seq", "1", std::to_string(kLines)}));
    link_.reset();
    const base::Fd file(::open(dir_.file(journal_name(number)).c_str(), O_RDONLY | O_CLOEXEC));
    const Journal journal = Journal::map(file.get(), Journal::Access::read).value();
    for (int i = 0; i < 4 && kills < kKills; i++, kills++) {
      const pid_t holder = ::fork();
      if (holder == 0) hold(socket_path());
      // A random moment is the point of this, not a wait for something.
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000));
      const uint64_t at_kill = journal.window().end;
      ::kill(holder, SIGKILL);
      int status = 0;
      ASSERT_EQ(holder, ::waitpid(holder, &status, 0));
      ASSERT_TRUE(WIFSIGNALED(status)) << "a holder gave up: " << WEXITSTATUS(status);
      if (at_kill > 0 && at_kill < 688'895) while_writing++;
    }
    reconnect();
    auto held = wait_event<HeldPty>(number);
    ASSERT_TRUE(held);
    ASSERT_TRUE(pump_until(*held, "\n" + std::to_string(kLines) + "\r\n"));
    const auto exit = held->exit ? held->exit : wait_event<ExitStatus>(number);
    ASSERT_EQ((ExitStatus{0, 0}), exit);
    NumberLines lines("\r\n");
    ASSERT_TRUE(lines.take(all_output(*held))) << "round " << round << ", near line " << lines.lines();
    ASSERT_EQ(kLines, lines.lines());
    ASSERT_TRUE(lines.at_line_end());
    held.reset();
    ASSERT_TRUE(link_->wait_for(link_->forget(number), support::kDeadline));
    ::unlink(dir_.file(journal_name(number)).c_str());
  }
  std::printf("%d kills, %d of them in the middle of the output\n", kills, while_writing);
}

}  // namespace
}  // namespace pty
