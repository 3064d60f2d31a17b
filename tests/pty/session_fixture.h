// SPDX-License-Identifier: Apache-2.0
// A keeper of the test's own: the real program, started and held by the test process.
#pragma once
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <poll.h>
#include <string>
#include <unistd.h>

#include "base/ids.h"
#include "hold.h"
#include "pty/journal.h"
#include "pty/keeper_link.h"
#include "pty/processes.h"
#include "pty/pump.h"
#include "running_program.h"
#include "support/temp_dir.h"
#include "support/wait.h"

namespace pty {

class SessionTest : public testing::Test {
 protected:
  void SetUp() override { launch({}); }

  void TearDown() override {
    link_.reset();
    if (!keeper_) return;
    // A keeper takes what it keeps with it; one that a test has broken is killed.
    signal_process(*keeper_, SIGTERM);
    EXPECT_TRUE(support::wait_until([&] { return keeper_is_gone(); }));
    signal_process(*keeper_, SIGKILL);
  }

  void launch(const keeper::Hello& hello) {
    session_ = base::new_id();
    auto link = KeeperLink::launch({TEND_KEEPER, session_, socket_path(), dir_.path().string()}, hello);
    ASSERT_TRUE(link) << link.error().message();
    link_.emplace(std::move(*link));
    keeper_ = look_at(link_->welcome().pid);
    ASSERT_TRUE(keeper_);
  }

  std::string socket_path() const { return dir_.file("keeper.sock"); }
  // A journal's name in the folder; the session's id stays known when the link is gone.
  std::string journal_name(uint32_t number) const {
    return session_ + "." + std::to_string(number) + ".journal";
  }
  bool keeper_is_gone() const {
    const auto now = look_at(keeper_->pid);
    return !now || !(*now == *keeper_) || now->dead();
  }

  static keeper::Spawn request(std::vector<std::string> argv) {
    return {.size = {100, 30},
            .journal_capacity = Journal::kDefaultCapacity,
            .command = command(std::move(argv))};
  }

  base::Result<HeldPty> spawn(uint32_t number, std::vector<std::string> argv) {
    auto answer = link_->wait_for(link_->spawn(number, request(std::move(argv))), support::kDeadline);
    if (!answer) return base::fail(answer);
    return std::get<HeldPty>(std::move(answer->what));
  }

  // Waits for an event of a kind about a PTY; the others stay for whoever waits for them.
  template <typename T>
  std::optional<T> wait_event(uint32_t number) {
    std::optional<T> found;
    const auto wanted = [&](const KeeperEvent& event) {
      return event.pty == number && std::holds_alternative<T>(event.what);
    };
    support::wait_until([&] {
      const auto at = std::find_if(events_.begin(), events_.end(), wanted);
      if (at != events_.end()) {
        found = std::get<T>(std::move(at->what));
        events_.erase(at);
        return true;
      }
      auto event = link_->next();
      if (event && *event) events_.push_back(std::move(**event));
      return !event;
    });
    return found;
  }

  void reconnect(const keeper::Hello& hello = {}) {
    link_.reset();
    events_.clear();
    // The keeper needs a moment to see that its holder has gone.
    ASSERT_TRUE(support::wait_until([&] {
      auto link = pty_test::hold(socket_path(), hello);
      if (link) link_.emplace(std::move(*link));
      return link_.has_value();
    }));
  }

  static std::string all_output(const HeldPty& held) {
    const Journal journal = Journal::map(held.journal.get(), Journal::Access::read).value();
    std::string bytes(journal.capacity(), '\0');
    bytes.resize(journal.read(0, bytes).count);
    return bytes;
  }

  // Pumps as a holder does until the text has come.
  static bool pump_until(const HeldPty& held, const std::string& text) {
    Journal journal = Journal::map(held.journal.get(), Journal::Access::write).value();
    Pump pump(held.master.get(), {held.pipe.read_end.get(), held.pipe.write_end.get()}, journal);
    return support::wait_until([&] {
      while (pump.step().value_or(Pump::Step{}).state == Pump::State::moved) {
      }
      return all_output(held).find(text) != std::string::npos;
    });
  }

  support::TempDir dir_;
  std::string session_;
  std::optional<KeeperLink> link_;
  std::deque<KeeperEvent> events_;
  std::optional<Process> keeper_;
};

}  // namespace pty
