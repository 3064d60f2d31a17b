// SPDX-License-Identifier: Apache-2.0
// A web server on this machine that says what it was asked.
#pragma once
#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace sandbox {

class LocalServer {
 public:
  LocalServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(0, ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size));
    EXPECT_EQ(0, ::listen(listener_, 16));
    EXPECT_EQ(0, ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size));
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~LocalServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  std::string port() const { return std::to_string(port_); }
  int requests() const { return requests_; }

 private:
  void serve() {
    for (int client = 0; (client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;
         ::close(client)) {
      std::string text;
      std::array<char, 4096> piece;
      while (text.find("\r\n\r\n") == std::string::npos) {
        const ssize_t n = ::recv(client, piece.data(), piece.size(), 0);
        if (n <= 0) break;
        text.append(piece.data(), static_cast<size_t>(n));
      }
      if (text.empty()) continue;
      requests_++;
      const std::string answer =
          "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + std::to_string(text.size()) +
          "\r\n\r\n" + text;
      [[maybe_unused]] const ssize_t n = ::send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
    }
  }

  int listener_;
  uint16_t port_ = 0;
  std::atomic<int> requests_ = 0;
  std::thread thread_;
};

}  // namespace sandbox
