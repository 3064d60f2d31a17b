// SPDX-License-Identifier: Apache-2.0
// Channels over TLS, to a server whose certificate is of an authority of the test's own, and through a proxy.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/strings.h"
#include "bot_server.h"
#include "lab/slack.h"
#include "media_home.h"

namespace media_test {
namespace {

using lab::Slack;
using testing::HasSubstr;

constexpr const char* kToken = "123456789:AAtest-token_of-no-bot-at-all-000000";
constexpr int64_t kAnn = 1001;

// TLS, and a proxy, before a server on this machine.
class Front {
 public:
  Front(const std::string& key, const std::string& certificate, const std::string& port) {
    int in[2];
    int out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    ::posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    const char* argv[] = {NODE, TLS_FRONT, key.c_str(), certificate.c_str(), port.c_str(), nullptr};
    ::posix_spawn(&pid_, NODE, &actions, nullptr, const_cast<char**>(argv), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    stay_ = in[1];
    said_ = ::fdopen(out[0], "r");
    // A whole line, and nothing behind it.
    if (std::sscanf(line().c_str(), "%d %d", &tls_, &proxy_) != 2) ADD_FAILURE() << "there is no front";
  }
  ~Front() {
    ::close(stay_);
    ::waitpid(pid_, nullptr, 0);
    std::fclose(said_);
  }
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  int tls() const { return tls_; }
  int proxy() const { return proxy_; }
  // What the next CONNECT is for.
  std::string next_connect() const { return line(); }

 private:
  std::string line() const {
    char text[256] = {};
    if (std::fgets(text, sizeof text, said_) == nullptr) return "";
    return std::string(base::trim(text));
  }

  pid_t pid_ = -1;
  int stay_ = -1;
  FILE* said_ = nullptr;
  int tls_ = 0;
  int proxy_ = 0;
};

class TlsTest : public MediaTest {
 protected:
  // An authority, and a certificate of it for these names.
  void make_certificates() {
    const std::string commands = fmt::format(
        "cd {} && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=An authority of the tests' "
        "-keyout ca.key -out ca.pem 2> /dev/null && openssl req -newkey rsa:2048 -nodes -subj /CN=front "
        "-keyout front.key -out front.csr 2> /dev/null && printf "
        "'subjectAltName=DNS:localhost,DNS:bot.example' "
        "> names && openssl x509 -req -in front.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 "
        "-extfile "
        "names -out front.pem 2> /dev/null",
        home_.path());
    ASSERT_EQ(0, std::system(commands.c_str()));
  }
  Front front_of(uint16_t port) {
    return {home_.file("front.key"), home_.file("front.pem"), std::to_string(port)};
  }
  std::string detail(const std::string& kind) {
    const json::value list = peer_->ok("channel.list");
    for (const json::value& each : list.as_array())
      if (each.at("kind").as_string() == kind) return std::string(each.at("detail").as_string());
    return "";
  }
  std::string slack_config(int port) {
    return fmt::format(
        "channels:\n  slack:\n    bot_token_file: {0}\n    app_token_file: {0}\n    allowed_users: [U1]\n"
        "    api_url: https://localhost:{1}/api\n  request_timeout_seconds: 2\n",
        secret_file("any.token", "a-token-of-the-tests"), port);
  }

  Slack slack_;
};

TEST_F(TlsTest, SlackIsReachedWhereItsAuthorityIsNamed) {
  make_certificates();
  const Front front = front_of(slack_.service().port());
  slack_.set_front(fmt::format("wss://localhost:{}", front.tls()));
  start(slack_config(front.tls()) + fmt::format("  ca_file: {}\n", home_.file("ca.pem")));
  ASSERT_TRUE(support::wait_until([&] { return channel_state("slack") == "good"; })) << detail("slack");
  asks("api", "Continue? (y/n)");
  ASSERT_TRUE(support::wait_until([&] { return slack_.count() == 1; }));
  slack_.say(slack_.pressed("U1", Slack::value_of(slack_.posted()[0], 0)));
  EXPECT_TRUE(reads("api", "y\n"));
}

TEST_F(TlsTest, NobodyIsTrustedWhoseAuthorityIsNotKnown) {
  make_certificates();
  const Front front = front_of(slack_.service().port());
  slack_.set_front(fmt::format("wss://localhost:{}", front.tls()));
  start(slack_config(front.tls()));
  ASSERT_TRUE(support::wait_until([&] { return channel_state("slack") == "troubled"; }));
  EXPECT_THAT(detail("slack"), HasSubstr("certificate"));
  EXPECT_EQ(0U, slack_.service().count());
}

// The Web API is reached, and the socket is another's: its certificate is for another name.
TEST_F(TlsTest, ASocketWithAnothersCertificateIsNotSpokenTo) {
  make_certificates();
  const Front front = front_of(slack_.service().port());
  slack_.set_front(fmt::format("wss://127.0.0.1:{}", front.tls()));
  start(slack_config(front.tls()) + fmt::format("  ca_file: {}\n", home_.file("ca.pem")));
  ASSERT_TRUE(support::wait_until([&] { return channel_state("slack") == "troubled"; }));
  EXPECT_THAT(detail("slack"), HasSubstr("no safe connection to 127.0.0.1"));
  EXPECT_EQ(0U, slack_.service().sockets());
}

TEST_F(TlsTest, AFileThatIsNotThereIsToldAtOnce) {
  start(slack_config(1) + "  ca_file: /nonexistent/ca.pem\n");
  ASSERT_TRUE(support::wait_until([&] { return channel_state("slack") == "troubled"; }));
  EXPECT_THAT(detail("slack"), HasSubstr("channels.ca_file: /nonexistent/ca.pem"));
}

// As a company has it: a proxy in the environment, and an authority of its own, also there.
TEST_F(TlsTest, TelegramIsReachedThroughAProxy) {
  make_certificates();
  channel_test::BotServer bot(kToken);
  const std::string port = bot.url().substr(bot.url().rfind(':') + 1);
  const Front front{home_.file("front.key"), home_.file("front.pem"), port};
  ::setenv("https_proxy", fmt::format("http://127.0.0.1:{}", front.proxy()).c_str(), 1);
  ::setenv("SSL_CERT_FILE", home_.file("ca.pem").c_str(), 1);
  start(
      fmt::format("channels:\n  telegram:\n    token_file: {}\n    allowed_users: ['{}']\n    api_url: "
                  "https://bot.example\n  request_timeout_seconds: 2\n",
                  secret_file("bot.token", kToken), kAnn));
  ::unsetenv("https_proxy");
  ::unsetenv("SSL_CERT_FILE");
  ASSERT_TRUE(support::wait_until([&] { return channel_state("telegram") == "good"; })) << detail("telegram");
  EXPECT_EQ("bot.example:443", front.next_connect());
  asks("api", "Continue? (y/n)");
  const auto ann = bot.message(kAnn, "Continue?");
  ASSERT_TRUE(ann);
  bot.press(kAnn, *ann, "Yes");
  EXPECT_TRUE(reads("api", "y\n"));
}

}  // namespace
}  // namespace media_test
