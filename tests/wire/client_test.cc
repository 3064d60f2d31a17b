// SPDX-License-Identifier: Apache-2.0
// The client against a server that says what the test wants.
#include "wire/client.h"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "base/unix_socket.h"
#include "support/temp_dir.h"
#include "support/wait.h"

namespace wire {
namespace {

using std::chrono::seconds;

class ClientTest : public testing::Test {
 protected:
  void SetUp() override {
    listener_ = base::listen_at(dir_.file("sock")).value();
    connect();
  }
  void connect() {
    client_.reset();
    client_.emplace(Client::connect(dir_.file("sock"), {.agent = "me", .channel = "test"}).value());
    ASSERT_TRUE(support::wait_until([&] {
      server_.reset(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      return static_cast<bool>(server_);
    }));
  }

  void say(std::string_view bytes) { ASSERT_TRUE(base::write_all(server_.get(), bytes)); }
  void say_json(std::string_view text) { say(make_frame(FrameType::json, text)); }
  // The next message that the client has sent.
  std::string hear() {
    std::string payload;
    EXPECT_TRUE(support::wait_until([&] {
      char buffer[65536];
      const auto received = base::receive_some(server_.get(), buffer);
      if (received) reader_.append({buffer, received->count});
      const auto frame = reader_.next();
      if (frame && *frame) payload = (*frame)->payload;
      return frame && *frame;
    }));
    return payload;
  }
  // Answers from another thread while the client calls.
  base::Result<json::value> call_while(const std::function<void()>& serve,
                                       base::Duration deadline = support::kDeadline) {
    std::jthread server(serve);
    return client_->call("daemon.status", {}, deadline);
  }

  support::TempDir dir_;
  base::Fd listener_;
  base::Fd server_;
  FrameReader reader_;
  std::optional<Client> client_;
};

TEST_F(ClientTest, GreetsWithTheFirstRequest) {
  const auto answer = call_while([&] {
    const json::value hello = json::parse(hear());
    EXPECT_EQ("hello", hello.at("method").as_string());
    EXPECT_EQ(kVersion, hello.at_pointer("/params/version").as_int64());
    EXPECT_EQ("me", hello.at_pointer("/params/agent_id").as_string());
    EXPECT_EQ("test", hello.at_pointer("/params/channel").as_string());
    EXPECT_EQ("daemon.status", json::parse(hear()).at("method").as_string());
    say_json(make_result(0, json::object{{"version", 1}}));
    say_json(make_result(1, 42));
  });
  ASSERT_TRUE(answer);
  EXPECT_EQ(json::value(42), *answer);
}

TEST_F(ClientTest, FindsItsAnswerAmongOthers) {
  const uint64_t first = client_->send("slow", {});
  const auto answer = call_while([&] {
    say_json(make_notification("event", {{"number", 1}}));
    say(make_frame(FrameType::bytes, "bytes"));
    say_json(make_result(2, "mine"));
    say_json(make_result(1, "the slow one's"));
  });
  ASSERT_TRUE(answer);
  EXPECT_EQ(json::value("mine"), *answer);
  // What else came is still there, in order.
  std::vector<Incoming> rest;
  ASSERT_TRUE(support::wait_until([&] {
    auto next = client_->next();
    if (next && *next) rest.push_back(std::move(**next));
    return rest.size() == 3;
  }));
  EXPECT_EQ("event", std::get<Request>(rest[0]).method);
  EXPECT_EQ("bytes", std::get<Bytes>(rest[1]).data);
  EXPECT_EQ(json::value(first), std::get<Response>(rest[2]).id);
}

TEST_F(ClientTest, KnowsWhichBytesTheDaemonCannotHaveHad) {
  client_->notify("first", {});
  client_->send_bytes("gone");
  EXPECT_EQ("gone", client_->unsent_bytes());
  ASSERT_TRUE(client_->flush());
  EXPECT_EQ("", client_->unsent_bytes());
  EXPECT_EQ(0U, client_->waiting_output());
  // More than the line holds, and some of it in part.
  constexpr size_t kPiece = 100'000;
  for (char each = 'a'; each <= 'z'; each++) client_->send_bytes(std::string(kPiece, each));
  client_->notify("last", {});
  ASSERT_TRUE(client_->flush());
  const std::string unsent = client_->unsent_bytes();
  ASSERT_EQ(0U, unsent.size() % kPiece);
  ASSERT_LT(unsent.size(), 26 * kPiece);
  hear();  // hello
  hear();  // first
  EXPECT_EQ("gone", hear());
  const size_t whole = 26 - unsent.size() / kPiece;
  for (size_t i = 0; i < whole; i++) EXPECT_EQ(std::string(kPiece, static_cast<char>('a' + i)), hear());
  EXPECT_EQ(static_cast<char>('a' + whole), unsent.front());
  EXPECT_EQ('z', unsent.back());
}

TEST_F(ClientTest, GivesTheDaemonsErrorAsItsOwn) {
  const auto answer = call_while([&] { say_json(make_error(1, {base::Code::pty_timeout, 0, "too late"})); });
  ASSERT_FALSE(answer);
  EXPECT_EQ(base::Code::pty_timeout, answer.error().code);
  EXPECT_EQ("too late", answer.error().what);
}

TEST_F(ClientTest, HearsWhyItWasSentAway) {
  const auto answer = call_while([&] {
    say_json(make_error(0, {base::Code::version_mismatch, 0, "another version"}));
    server_.reset();
  });
  ASSERT_FALSE(answer);
  EXPECT_EQ(base::Code::version_mismatch, answer.error().code);
}

TEST_F(ClientTest, HearsWhyItWasSentAwayWithoutAQuestion) {
  const auto answer = call_while([&] {
    say_json(make_error(nullptr, {base::Code::pty_access_denied, 0, "not you"}));
    server_.reset();
  });
  ASSERT_FALSE(answer);
  EXPECT_EQ(base::Code::pty_access_denied, answer.error().code);
}

TEST_F(ClientTest, SaysWhenTheDaemonIsGone) {
  const auto answer = call_while([&] { server_.reset(); });
  ASSERT_FALSE(answer);
  EXPECT_NE(0, answer.error().sys);
  EXPECT_FALSE(client_->next());
  EXPECT_FALSE(client_->next()) << "and goes on saying so";
}

TEST_F(ClientTest, TakesWhatCameBeforeTheEnd) {
  say_json(make_notification("event", {}));
  server_.reset();
  auto last = client_->next();
  ASSERT_TRUE(last && *last);
  EXPECT_FALSE(client_->next());
}

TEST_F(ClientTest, GivesUpAtItsDeadline) {
  const auto answer = client_->call("daemon.status", {}, std::chrono::milliseconds(20));
  ASSERT_FALSE(answer);
  EXPECT_EQ(base::Code::pty_timeout, answer.error().code);
}

TEST_F(ClientTest, RefusesNonsense) {
  for (const std::string& nonsense : {std::string("\xff\xff\xff\xff\x01", 5), std::string("\0\0\0\1\x09x", 6),
                                      make_frame(FrameType::json, "[1]")}) {
    connect();
    say(nonsense);
    const auto answer = client_->call("daemon.status", {}, support::kDeadline);
    EXPECT_FALSE(answer);
  }
}

TEST_F(ClientTest, CutsLongBytesIntoFrames) {
  const std::string keys(2 * kMostPayload + 5, 'k');
  client_->send_bytes(keys);
  std::jthread sender([&] {
    ASSERT_TRUE(support::wait_until([&] { return client_->flush() && client_->waiting_output() == 0; }));
  });
  hear();
  EXPECT_EQ(kMostPayload, hear().size());
  EXPECT_EQ(kMostPayload, hear().size());
  EXPECT_EQ(5U, hear().size());
}

TEST(Connect, ToNobodySaysThatNobodyIsThere) {
  const support::TempDir dir;
  EXPECT_EQ(ENOENT, Client::connect(dir.file("sock"), {}).error().sys);
  {
    const auto gone = base::listen_at(dir.file("sock"));
  }
  EXPECT_EQ(ECONNREFUSED, Client::connect(dir.file("sock"), {}).error().sys);
}

TEST(Agent, IsTheOneOfTheEnvironmentOrTheProcess) {
  ::setenv("TEND_AGENT_ID", "claude-7", 1);
  EXPECT_EQ("claude-7", default_agent());
  ::setenv("TEND_AGENT_ID", "", 1);
  EXPECT_THAT(default_agent(), testing::MatchesRegex("uid:[0-9]+ pid:[0-9]+"));
  ::unsetenv("TEND_AGENT_ID");
  EXPECT_THAT(default_agent(), testing::HasSubstr(std::to_string(::getpid())));
}

}  // namespace
}  // namespace wire
