// SPDX-License-Identifier: Apache-2.0
// The whole flow against telegram-test-api, a Bot API server that somebody else wrote.
#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "channel_fixture.h"
#include "store/channel_memory.h"

namespace channel_test {
namespace {

using testing::HasSubstr;

// The node process; ended with the object.
class OtherServer {
 public:
  OtherServer() {
    auto in = base::make_pipe().value();
    auto out = base::make_pipe().value();
    pid_ = ::fork();
    if (pid_ == 0) {
      for (const auto& [from, to] : {std::pair(in.read_end.get(), 0), std::pair(out.write_end.get(), 1)}) {
        ::fcntl(from, F_SETFL, 0);
        ::dup2(from, to);
      }
      ::close_range(3, ~0U, 0);
      if (::chdir(TELEGRAM_PACKAGES) == 0) ::execl(NODE, NODE, TELEGRAM_SERVER, kToken.c_str(), nullptr);
      ::_exit(127);
    }
    in_ = std::move(in.write_end);
    out_ = std::move(out.read_end);
    url_ = std::string(line().at("url").as_string());
  }
  ~OtherServer() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  OtherServer(const OtherServer&) = delete;
  OtherServer& operator=(const OtherServer&) = delete;

  const std::string& url() const { return url_; }

  json::value ask(const json::object& command) {
    (void)base::write_all(in_.get(), json::serialize(command) + "\n");
    return line();
  }

  // Waits for a message to this chat that has the text.
  json::object message(int64_t chat, std::string_view text) {
    json::object found{{"id", 0}, {"text", ""}, {"markup", nullptr}};
    support::wait_until([&] {
      const json::value all = ask({{"messages", true}});
      for (const json::value& each : all.as_array()) {
        if (each.at("chat") != chat || each.at("text").as_string().find(text) == json::string::npos) continue;
        found = each.as_object();
        return true;
      }
      return false;
    });
    return found;
  }

 private:
  json::value line() {
    std::string text;
    support::wait_until([&] {
      std::array<char, 8192> piece{};
      const ssize_t n = ::read(out_.get(), piece.data(), piece.size());
      if (n > 0) text.append(piece.data(), static_cast<size_t>(n));
      return n == 0 || text.ends_with('\n');
    });
    boost::system::error_code wrong;
    const json::value value = json::parse(text, wrong);
    EXPECT_FALSE(wrong) << text;
    return value;
  }

  pid_t pid_ = 0;
  base::Fd in_;
  base::Fd out_;
  std::string url_;
};

class TelegramServer : public ChannelTest {
 protected:
  void SetUp() override {
    configure();
    std::string settings = support::read_file(home_.file("config/config.yml"));
    settings.replace(settings.find(server_.url()), server_.url().size(), other_.url());
    support::write_file(home_.file("config/config.yml"), settings);
    ASSERT_EQ("ok", home_.start());
    peer_.emplace(peer());
  }
  // Messages that stand for a prompt, as the store knows them.
  int64_t messages_known() const {
    auto connection = store::Connection::open(home_.file("state/store.db"), store::Access::read);
    auto all = connection ? store::recall(*connection, "telegram") : base::fail(connection);
    if (!all) return -1;
    return std::count_if(all->begin(), all->end(), [](const auto& each) { return !each.prompt.empty(); });
  }
  static std::string data_of(const json::object& message, std::string_view label) {
    for (const json::value& row : message.at("markup").at("inline_keyboard").as_array())
      for (const json::value& button : row.as_array())
        if (std::string_view(button.at("text").as_string()) == label)
          return std::string(button.at("callback_data").as_string());
    return "";
  }

  OtherServer other_;
};

TEST_F(TelegramServer, AQuestionIsAskedAnsweredAndToldToBoth) {
  const std::string id = asks_yes_no();
  const auto ann = other_.message(kAnn, "Deploy?");
  const auto bob = other_.message(kBob, "Deploy?");
  ASSERT_FALSE(ann.at("markup").is_null());
  other_.ask({{"press", data_of(ann, "Yes")}, {"user", kAnn}});
  EXPECT_TRUE(prints(id, "got <y>"));
  EXPECT_EQ(other_.message(kBob, "Answered by @user1001.").at("id"), bob.at("id"));
  EXPECT_EQ(other_.message(kAnn, "Answered by @user1001.").at("id"), ann.at("id"));
}

TEST_F(TelegramServer, ARepliesTextIsTheAnswer) {
  const std::string id = asks("read -r -p 'Your name: ' a; echo \"got <$a>\"; sleep 600", "one");
  const auto ann = other_.message(kAnn, "Your name");
  asks("read -r -p 'Your colour: ' a; sleep 600", "two");
  other_.message(kAnn, "Your colour");
  other_.ask({{"say", "Ada"}, {"user", kAnn}, {"reply_to", ann.at("id")}});
  EXPECT_TRUE(prints(id, "got <Ada>"));
}

TEST_F(TelegramServer, CommandsAreAnswered) {
  asks("echo hello there; sleep 600", "web");
  ASSERT_TRUE(becomes_state("good"));
  other_.ask({{"say", "/sessions"}, {"user", kBob}});
  EXPECT_NE(other_.message(kBob, "<b>web</b>").at("id"), 0);
  other_.ask({{"say", "/screen web"}, {"user", kBob}});
  EXPECT_NE(other_.message(kBob, "hello there").at("id"), 0);
  other_.ask({{"say", "/help"}, {"user", kAnn}});
  EXPECT_NE(other_.message(kAnn, "/screen NAME").at("id"), 0);
}

TEST_F(TelegramServer, ButtonsOfBeforeAreGoodAfterARestartOfBoth) {
  const std::string id = asks_yes_no();
  const auto ann = other_.message(kAnn, "Deploy?");
  other_.message(kBob, "Deploy?");
  // What was sent and is not yet remembered is sent again.
  ASSERT_TRUE(support::wait_until([&] { return messages_known() == 2; }));
  const pid_t daemon = daemon_pid(*peer_);
  ASSERT_EQ(0, ::kill(daemon, SIGKILL));
  wait_for_another(daemon);
  peer_.emplace(peer());
  ASSERT_TRUE(becomes_state("good"));
  other_.ask({{"press", data_of(ann, "No")}, {"user", kAnn}});
  EXPECT_TRUE(prints(id, "got <n>"));
  EXPECT_NE(other_.message(kBob, "Answered by @user1001.").at("id"), 0);
  EXPECT_EQ(other_.ask({{"messages", true}}).as_array().size(), 2U);
}

}  // namespace
}  // namespace channel_test
