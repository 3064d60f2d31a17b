// SPDX-License-Identifier: Apache-2.0
// Whatever comes over its socket, a keeper goes on, and so does the program that it keeps.
#include <random>
#include <sys/socket.h>

#include "base/unix_socket.h"
#include "session_fixture.h"

namespace pty {
namespace {

class AbusedKeeper : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    auto held = spawn(0, {"sh", "-c", "while read line; do echo got $line; done"});
    ASSERT_TRUE(held);
    held_ = std::move(*held);
  }

  // The program still answers, the holder still holds, and requests are served.
  void expect_healthy(const std::string& word) {
    ASSERT_TRUE(base::write_all(held_->master.get(), word + "\n"));
    EXPECT_TRUE(pump_until(*held_, "got " + word));
    EXPECT_TRUE(link_->wait_for(link_->signal(0, {SIGCONT, keeper::Signal::To::leader}), support::kDeadline));
  }

  base::Fd stranger() {
    base::Fd socket;
    // A full backlog is a refusal, not a wait; the keeper comes round to it.
    EXPECT_TRUE(support::wait_until([&] {
      auto connected = base::connect_to(socket_path());
      if (connected) socket = std::move(*connected);
      return connected || connected.error().sys != EAGAIN;
    }));
    EXPECT_TRUE(socket);
    return socket;
  }
  static void shout(const base::Fd& socket, std::string_view bytes) {
    [[maybe_unused]] const auto sent = base::send_some(socket.get(), bytes, {});
  }

  std::optional<HeldPty> held_;
};

TEST_F(AbusedKeeper, SurvivesGarbage) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; round++) {
    const base::Fd socket = stranger();
    std::string bytes(random() % 5000, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    shout(socket, bytes);
  }
  expect_healthy("garbage");
}

TEST_F(AbusedKeeper, SurvivesWellFormedFramesOfNonsense) {
  std::mt19937 random(6);
  const base::Fd socket = stranger();
  for (int round = 0; round < 2000; round++) {
    std::string payload(random() % 64, '\0');
    for (char& c : payload) c = static_cast<char>(random());
    shout(socket,
          keeper::make_frame(static_cast<keeper::Type>(random() % 80), static_cast<uint32_t>(random()),
                             static_cast<uint32_t>(random() % 3), payload));
  }
  expect_healthy("nonsense");
}

TEST_F(AbusedKeeper, SurvivesNonsenseFromItsOwnHolder) {
  for (uint16_t type = 2; type < 80; type++) {
    if (static_cast<keeper::Type>(type) == keeper::Type::shutdown) continue;
    const std::string frame =
        keeper::make_frame(static_cast<keeper::Type>(type), 999, 70, std::string(33, '\xFF'));
    [[maybe_unused]] const auto sent = base::send_some(link_->fd(), frame, {});
  }
  expect_healthy("holder");
}

TEST_F(AbusedKeeper, SurvivesHalfMessagesThatNeverEnd) {
  std::vector<base::Fd> sockets;
  for (int i = 0; i < 50; i++) {
    sockets.push_back(stranger());
    const std::string frame = keeper::make_frame(keeper::Type::hello, 1, 0, std::string(500, 'x'));
    shout(sockets.back(), std::string_view(frame).substr(0, static_cast<size_t>(i)));
  }
  expect_healthy("half");
}

TEST_F(AbusedKeeper, RefusesAMessageThatIsTooLarge) {
  const base::Fd socket = stranger();
  const keeper::Header header{keeper::kMostPayload + 1, 1, 0, 1, 0};
  shout(socket, {reinterpret_cast<const char*>(&header), sizeof header});
  char byte = 0;
  EXPECT_TRUE(support::wait_until([&] { return ::recv(socket.get(), &byte, 1, MSG_DONTWAIT) == 0; }))
      << "the connection ends";
  expect_healthy("large");
}

TEST_F(AbusedKeeper, SurvivesAFloodOfConnections) {
  for (int i = 0; i < 10'000; i++) {
    auto socket = base::connect_to(socket_path());
    // A full backlog is a refusal, not a wait.
    if (!socket) {
      EXPECT_EQ(EAGAIN, socket.error().sys);
    }
  }
  expect_healthy("flood");
}

TEST_F(AbusedKeeper, SurvivesAPeerThatAsksAndNeverReads) {
  const base::Fd socket = stranger();
  const std::string frame = keeper::make_frame(keeper::Type::spawn, 1, 0, {});
  std::string many;
  for (int i = 0; i < 1000; i++) many += frame;
  // Each is refused; the refusals pile up to a bound, and then the connection is lost.
  EXPECT_TRUE(support::wait_until([&] { return !base::send_some(socket.get(), many, {}).has_value(); }));
  expect_healthy("deaf");
}

TEST_F(AbusedKeeper, KeepsNoDescriptorThatAStrangerSends) {
  const auto count = [&] {
    return std::distance(std::filesystem::directory_iterator("/proc/" + std::to_string(keeper_->pid) + "/fd"),
                         {});
  };
  const auto before = count();
  const base::Fd socket = stranger();
  const int fds[] = {0, 1, 2};
  for (int i = 0; i < 100; i++) [[maybe_unused]]
    const auto sent = base::send_some(socket.get(), keeper::make_frame(keeper::Type::forget, 1, 9, {}), fds);
  expect_healthy("descriptors");
  // What it has just been sent it may have for a moment.
  EXPECT_TRUE(support::wait_until([&] { return count() <= before + 1; }))
      << "one more connection, nothing else";
}

TEST_F(AbusedKeeper, LetsAHolderInThoughStrangersHoldAllPlaces) {
  std::vector<base::Fd> strangers;
  for (int i = 0; i < 20; i++) strangers.push_back(stranger());
  held_.reset();
  reconnect();
  held_ = wait_event<HeldPty>(0);
  ASSERT_TRUE(held_);
  expect_healthy("back");
}

}  // namespace
}  // namespace pty
