// SPDX-License-Identifier: Apache-2.0
// pty_holder SOCKET LOG RUNS [revive]: holds PTY 0 of a keeper as a daemon would, until it is killed. Pumps,
// starts the program again each time that it has ended until it has run RUNS times, and with `revive` asks to
// be started again itself. Says its number in LOG once it holds. The program ends with the number of its run,
// modulo 200; a holder that hears of another status ends itself, with a status of its own.
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <utility>

#include "hold.h"
#include "pty/journal.h"
#include "pty/keeper_link.h"
#include "pty/pump.h"

namespace {

using pty::HeldPty;
using pty::Journal;
using pty::KeeperLink;
using pty::Pump;

constexpr std::chrono::seconds kDeadline{60};

enum Failure : int { no_keeper = 2, keeper_lost, no_journal, no_output, wrong_status, no_respawn };

class Holder {
 public:
  Holder(KeeperLink link, uint32_t runs) : link_(std::move(link)), runs_(runs) {}

  [[noreturn]] void run() {
    for (;;) {
      hear();
      if (held_ && !at_end_) move();
      const bool waits_for_master = held_ && !at_end_ && !closed_;
      if (waits_for_master && moved_) continue;
      if (held_ && held_->exit && !at_end_) {
        at_end_ = true;
        go_on();
        continue;
      }
      pollfd wait[2] = {{link_.fd(), POLLIN, 0}, {waits_for_master ? held_->master.get() : -1, POLLIN, 0}};
      ::poll(wait, 2, -1);
    }
  }

 private:
  void hear() {
    for (;;) {
      auto event = link_.next();
      if (!event) ::_exit(keeper_lost);
      if (!*event) return;
      if (auto* held = std::get_if<HeldPty>(&(*event)->what)) take(std::move(*held));
      if (const auto* exit = std::get_if<pty::ExitStatus>(&(*event)->what)) held_->exit = *exit;
    }
  }

  void take(HeldPty held) {
    pump_.reset();
    held_ = std::move(held);
    at_end_ = closed_ = false;
    auto journal = Journal::map(held_->journal.get(), Journal::Access::write);
    if (!journal) ::_exit(no_journal);
    journal_ = std::move(*journal);
    pump_.emplace(held_->master.get(), pty::PipeEnds{held_->pipe.read_end.get(), held_->pipe.write_end.get()},
                  *journal_);
  }

  void move() {
    const auto step = pump_->step();
    if (!step) ::_exit(no_output);
    moved_ = step->state == Pump::State::moved;
    closed_ = step->state == Pump::State::closed;
  }

  void go_on() {
    if (held_->exit->code != static_cast<int>((held_->restarts + 1) % 200)) ::_exit(wrong_status);
    if (held_->restarts + 1 >= runs_) return;
    pump_.reset();
    auto answer = link_.wait_for(link_.respawn(0, held_->size), kDeadline);
    if (!answer) ::_exit(no_respawn);
    take(std::get<HeldPty>(std::move(answer->what)));
  }

  KeeperLink link_;
  uint32_t runs_;
  std::optional<HeldPty> held_;
  std::optional<Journal> journal_;
  std::optional<Pump> pump_;
  bool moved_ = false;
  bool closed_ = false;
  bool at_end_ = false;
};

std::vector<std::string> words(char** list) {
  std::vector<std::string> all;
  for (; *list != nullptr; list++) all.emplace_back(*list);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 1;
  pty::keeper::Hello hello;
  if (argc > 4) hello.revive = pty::Command{.argv = words(argv), .env = words(environ), .cwd = "/"};
  std::optional<KeeperLink> link;
  const base::RealClock clock;
  // Until the keeper has seen that the one before has gone, the session is held.
  for (const base::Moment end = clock.now() + kDeadline; !link;) {
    auto connected = pty_test::hold(argv[1], hello);
    if (connected) link.emplace(std::move(*connected));
    if (!link && (connected.error().sys == ENOENT || clock.now() > end)) return no_keeper;
  }
  const base::Fd log(::open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!base::write_all(log.get(), std::to_string(::getpid()) + "\n")) return 1;
  Holder(std::move(*link), static_cast<uint32_t>(std::atoi(argv[3]))).run();
}
