// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "pty/keeper_protocol.h"

namespace pty::keeper {
namespace {

TEST(KeeperProtocol, ASpawnRequestComesOutAsItWentIn) {
  const Spawn sent{
      .size = {132, 43},
      .journal_capacity = 1 << 20,
      .command = {.argv = {"vim", "", "a b"}, .env = {"A=1", "B="}, .cwd = "/tmp", .umask = 027}};
  const auto received = decode<Spawn>(encode(sent));
  ASSERT_TRUE(received);
  EXPECT_EQ(sent.size, received->size);
  EXPECT_EQ(sent.journal_capacity, received->journal_capacity);
  EXPECT_EQ(sent.command.argv, received->command.argv);
  EXPECT_EQ(sent.command.env, received->command.env);
  EXPECT_EQ(sent.command.cwd, received->command.cwd);
  EXPECT_EQ(sent.command.umask, received->command.umask);
}

TEST(KeeperProtocol, EveryCutOfAMessageIsRefused) {
  const std::string whole =
      encode(Spawn{.size = {}, .journal_capacity = 1, .command = {{"sh"}, {"A=1"}, "/", 0}});
  ASSERT_TRUE(decode<Spawn>(whole));
  for (size_t size = 0; size < whole.size(); size++)
    EXPECT_FALSE(decode<Spawn>(whole.substr(0, size))) << size;
  EXPECT_FALSE(decode<Spawn>(whole + "x"));
}

TEST(KeeperProtocol, AZeroByteInAnArgumentIsRefused) {
  EXPECT_FALSE(
      decode<Spawn>(encode(Spawn{.command = {.argv = {std::string("a\0b", 3)}, .env = {}, .cwd = {}}})));
}

TEST(KeeperProtocol, AFalseCountCostsNothing) {
  std::string message = encode(Spawn{});
  // The count of the arguments stands eight bytes before the end.
  message.replace(message.size() - 8, 4, "\xFF\xFF\xFF\xFF");
  EXPECT_FALSE(decode<Spawn>(message));
}

TEST(KeeperProtocol, AnExitIsThereOrNot) {
  EXPECT_EQ(std::nullopt, decode<Held>(encode(Held{.pid = 5}))->exit);
  EXPECT_EQ((ExitStatus{137, 9}), decode<Held>(encode(Held{.pid = 5, .exit = ExitStatus{137, 9}}))->exit);
}

TEST(KeeperProtocol, AHelloSaysWhatToReviveOrNothing) {
  EXPECT_FALSE(decode<Hello>(encode(Hello{}))->revive);
  const Hello sent{.end_when_alone = true,
                   .revive = Command{.argv = {"tend", "daemon"}, .env = {"A=1"}, .cwd = "/", .umask = 077}};
  const std::string whole = encode(sent);
  const auto received = decode<Hello>(whole);
  ASSERT_TRUE(received && received->revive);
  EXPECT_TRUE(received->end_when_alone);
  EXPECT_EQ(sent.revive->argv, received->revive->argv);
  EXPECT_EQ(sent.revive->env, received->revive->env);
  EXPECT_EQ(sent.revive->cwd, received->revive->cwd);
  EXPECT_EQ(sent.revive->umask, received->revive->umask);
  for (size_t size = 0; size < whole.size(); size++)
    EXPECT_FALSE(decode<Hello>(whole.substr(0, size))) << size;
}

TEST(KeeperProtocol, AMomentComesOutAsItWentIn) {
  const base::Moment moment{std::chrono::nanoseconds(123'456'789'012'345)};
  EXPECT_EQ(moment, decode<StartBy>(encode(StartBy{moment}))->moment);
  EXPECT_FALSE(decode<StartBy>(encode(StartBy{moment}) + "x"));
}

TEST(KeeperProtocol, AHeldPtyComesOutAsItWentIn) {
  const Held sent{.pid = 5,
                  .exit = ExitStatus{3, 0},
                  .spawned_at = Stamp(std::chrono::microseconds(1'700'000'000'123'456)),
                  .exited_at = Stamp(std::chrono::microseconds(1'700'000'001'000'001)),
                  .restarts = 7,
                  .run_offset = uint64_t{1} << 40,
                  .size = {132, 43},
                  .cwd = "/tmp",
                  .argv = {"vim", "", "a b"}};
  const auto received = decode<Held>(encode(sent));
  ASSERT_TRUE(received);
  EXPECT_EQ(sent.spawned_at, received->spawned_at);
  EXPECT_EQ(sent.exited_at, received->exited_at);
  EXPECT_EQ(sent.restarts, received->restarts);
  EXPECT_EQ(sent.run_offset, received->run_offset);
  EXPECT_EQ(sent.size, received->size);
  EXPECT_EQ(sent.cwd, received->cwd);
  EXPECT_EQ(sent.argv, received->argv);
}

Look some_look() {
  return {.verdict = Look::Verdict::may_wait,
          .canonical = true,
          .shell = true,
          .call = Look::Call::epoll,
          .timeout_ms = 250,
          .group = 4711,
          .reader = 4712,
          .thread = 4713,
          .command = "node (x)",
          .turns = uint64_t{1} << 40,
          .cpu_ns = uint64_t{1} << 50,
          .unread = 4095,
          .processes = 3,
          .threads = 11,
          .refused = 1,
          .sockets = 4,
          .requests = 2,
          .pipes = 5,
          .timers = 6};
}

TEST(KeeperProtocol, ALookComesOutAsItWentIn) {
  EXPECT_EQ(some_look(), decode<Look>(encode(some_look())));
  EXPECT_EQ(Look{}, decode<Look>(encode(Look{})));
  const Look other{.verdict = Look::Verdict::gone, .echo = true, .relayed = true};
  EXPECT_EQ(other, decode<Look>(encode(other)));
}

TEST(KeeperProtocol, EveryCutOfALookIsRefused) {
  const std::string whole = encode(some_look());
  for (size_t size = 0; size < whole.size(); size++)
    EXPECT_FALSE(decode<Look>(whole.substr(0, size))) << size;
  EXPECT_FALSE(decode<Look>(whole + "x"));
  Look long_name = some_look();
  long_name.command = "sixteen bytes ..";
  EXPECT_FALSE(decode<Look>(encode(long_name)));
}

TEST(KeeperProtocol, AVerdictOfANewerKeeperIsUnknown) {
  std::string message = encode(some_look());
  message[0] = 77;
  message[8] = 77;
  const auto received = decode<Look>(message);
  ASSERT_TRUE(received);
  EXPECT_EQ(Look::Verdict::unknown, received->verdict);
  EXPECT_EQ(Look::Call::none, received->call);
  EXPECT_EQ(some_look().turns, received->turns);
}

TEST(FrameReader, GivesWholeFramesHoweverTheyWereCut) {
  std::string bytes;
  for (uint32_t i = 0; i < 50; i++) bytes += make_frame(Type::exited, i, i * 2, std::string(i * 7, 'p'));
  for (const size_t piece : {size_t{1}, size_t{3}, size_t{16}, size_t{1000}, bytes.size()}) {
    FrameReader reader;
    uint32_t expected = 0;
    for (size_t at = 0; at < bytes.size(); at += piece) {
      reader.append(std::string_view(bytes).substr(at, piece));
      for (;;) {
        const auto frame = reader.next();
        ASSERT_TRUE(frame);
        if (!*frame) break;
        EXPECT_EQ(expected, (*frame)->request);
        EXPECT_EQ(expected * 7, (*frame)->payload.size());
        expected++;
      }
    }
    EXPECT_EQ(50U, expected);
  }
}

TEST(FrameReader, RefusesAFrameThatIsTooLarge) {
  const Header header{kMostPayload + 1, 1, 0, 0, 0};
  FrameReader reader;
  reader.append({reinterpret_cast<const char*>(&header), sizeof header});
  const auto frame = reader.next();
  ASSERT_FALSE(frame);
  EXPECT_EQ(base::Code::message_too_large, frame.error().code);
}

}  // namespace
}  // namespace pty::keeper
