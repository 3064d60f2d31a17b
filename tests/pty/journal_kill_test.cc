// SPDX-License-Identifier: Apache-2.0
// The process that pumps a PTY's output into its journal is killed at random moments, thousands of times;
// whoever comes next finds every byte, once.
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "number_lines.h"
#include "pty/journal.h"
#include "pty/pty.h"
#include "pty/pump.h"
#include "running_program.h"
#include "support/temp_dir.h"

namespace pty {
namespace {

constexpr size_t kCapacity = 16 << 20;
constexpr size_t kMostPerWriter = 8 << 20;  // so that no writer, however long it lives, laps what was checked
constexpr int kKills = 3000;

[[noreturn]] void pump_until_killed(int master, PipeEnds pipe, int journal_file) {
  auto journal = Journal::map(journal_file, Journal::Access::write);
  if (!journal) ::_exit(2);
  Pump pump(master, pipe, *journal);
  for (size_t moved = 0; moved < kMostPerWriter;) {
    const auto step = pump.step();
    if (!step || step->state == Pump::State::closed) ::_exit(3);
    pollfd wait{master, POLLIN, 0};
    if (step->state == Pump::State::empty) ::poll(&wait, 1, -1);
    moved += step->count;
  }
  for (;;) ::pause();
}

TEST(JournalKill, LosesAndRepeatsNothingInThousandsOfKills) {
  const support::TempDir dir;
  const base::Fd folder(::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const base::Fd file = Journal::create(folder.get(), "journal", kCapacity).value();
  Journal journal = Journal::map(file.get(), Journal::Access::write).value();
  const base::Pipe pipe = base::make_pipe().value();
  const base::Fd master = open_master({}).value();
  const pid_t program = spawn(master.get(), command({"sh", "-c", "stty raw; exec seq 1 1000000000"})).value();

  std::mt19937 random(std::random_device{}());
  NumberLines lines("\n");
  uint64_t checked = 0;
  int in_the_middle = 0;
  for (int kills = 0; kills < kKills; kills++) {
    const pid_t writer = ::fork();
    if (writer == 0) pump_until_killed(master.get(), {pipe.read_end.get(), pipe.write_end.get()}, file.get());
    // A random moment is the point of this, not a wait for something.
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 1000));
    ::kill(writer, SIGKILL);
    int status = 0;
    ASSERT_EQ(writer, ::waitpid(writer, &status, 0));
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);

    const uint64_t before = journal.window().end;
    journal.recover(pipe.read_end.get());
    const uint64_t end = journal.window().end;
    if (end > before) in_the_middle++;
    ASSERT_TRUE(lines.take(journal.view(checked, end))) << "near line " << lines.lines();
    checked = end;
  }
  ::kill(program, SIGKILL);
  ::waitpid(program, nullptr, 0);
  EXPECT_GT(lines.lines(), 1000);
  std::printf("%d kills, %d of them between reading and publishing, %lu bytes\n", kKills, in_the_middle,
              checked);
}

}  // namespace
}  // namespace pty
