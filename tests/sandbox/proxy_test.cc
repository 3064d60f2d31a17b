// SPDX-License-Identifier: Apache-2.0
// The program tend-proxy by itself, with clients that mean no good.
#include <csignal>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/wait.h>

#include "local_server.h"
#include "support/wait.h"

namespace sandbox {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ProxyProgram : public testing::Test {
 protected:
  ProxyProgram() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    EXPECT_EQ(0, ::bind(listener_, reinterpret_cast<sockaddr*>(&address_), size));
    EXPECT_EQ(0, ::listen(listener_, 128));
    EXPECT_EQ(0, ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address_), &size));
    const std::string rule = "localhost:" + server_.port();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(listener_, 3);
      ::fcntl(3, F_SETFD, 0);
      ::execl(TEND_PROXY, TEND_PROXY, rule.c_str(), "allowed.invalid", nullptr);
      ::_exit(127);
    }
  }
  ~ProxyProgram() override {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::close(listener_);
  }

  int connect() const {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(0, ::connect(fd, reinterpret_cast<const sockaddr*>(&address_), sizeof address_));
    return fd;
  }
  // What comes back until the proxy closes, or has said nothing for a while.
  static std::string rest(int fd) {
    std::string text;
    std::array<char, 4096> piece;
    pollfd wait{fd, POLLIN, 0};
    while (::poll(&wait, 1, 20'000) > 0) {
      const ssize_t n = ::recv(fd, piece.data(), piece.size(), 0);
      if (n <= 0) break;
      text.append(piece.data(), static_cast<size_t>(n));
    }
    ::close(fd);
    return text;
  }
  std::string ask(const std::string& request) const {
    const int fd = connect();
    EXPECT_EQ(static_cast<ssize_t>(request.size()), ::send(fd, request.data(), request.size(), MSG_NOSIGNAL));
    return rest(fd);
  }

  LocalServer server_;
  int listener_;
  sockaddr_in address_{};
  pid_t pid_ = -1;
};

TEST_F(ProxyProgram, LetsTheAllowedThrough) {
  const std::string to = "localhost:" + server_.port();
  EXPECT_THAT(ask("GET http://" + to + "/a HTTP/1.1\r\nHost: " + to + "\r\n\r\n"),
              HasSubstr("GET /a HTTP/1.1"));
  EXPECT_THAT(ask("CONNECT " + to + " HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n"),
              testing::AllOf(StartsWith("HTTP/1.1 200 Connection established\r\n\r\n"), HasSubstr("GET /b")));
  EXPECT_THAT(ask("CONNECT LOCALHOST.:" + server_.port() + " HTTP/1.1\r\n\r\nGET /c HTTP/1.1\r\n\r\n"),
              HasSubstr("GET /c"));
}

TEST_F(ProxyProgram, RefusesEverythingElse) {
  const std::string port = server_.port();
  for (const std::string& target :
       {"127.0.0.1:" + port, "[::1]:" + port, "[::ffff:127.0.0.1]:" + port, "0.0.0.0:" + port,
        "127.1:" + port, "2130706433:" + port, "0x7f000001:" + port, "017700000001:" + port,
        "localhost@127.0.0.1:" + port, "localhost#.example.com:" + port, "localhost%00.example.com:" + port})
    EXPECT_THAT(ask("CONNECT " + target + " HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 400")) << target;
  for (const std::string& target :
       {std::string("localhost:22"), "other.example.com:" + port, "x.localhost:" + port,
        "localhost.example.com:" + port, std::string("allowed.invalid:25")})
    EXPECT_THAT(ask("CONNECT " + target + " HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 403")) << target;
  EXPECT_THAT(ask("GET http://localhost:" + port + "/ HTTP/1.1\r\nHost: other.example.com\r\n\r\n"),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nHost: localhost:" + port + "\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("CONNECT allowed.invalid:443 HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 502"));
  EXPECT_EQ(0, server_.requests());
}

TEST_F(ProxyProgram, BearsALongHeadAndManySilentClients) {
  const int fd = connect();
  const std::string line = "X: " + std::string(60'000, 'x') + "\r\n";
  (void)::send(fd, "GET http://a/ HTTP/1.1\r\n", 24, MSG_NOSIGNAL);
  for (int i = 0; i < 4; i++) (void)::send(fd, line.data(), line.size(), MSG_NOSIGNAL);
  EXPECT_EQ("", rest(fd)) << "it hangs up";
  std::vector<int> silent;
  for (int i = 0; i < 63; i++) silent.push_back(connect());
  EXPECT_THAT(ask("CONNECT localhost:" + server_.port() + " HTTP/1.1\r\n\r\nGET /d HTTP/1.1\r\n\r\n"),
              HasSubstr("GET /d"));
  for (const int each : silent) ::close(each);
}

}  // namespace
}  // namespace sandbox
