// SPDX-License-Identifier: Apache-2.0
// Service: a real HTTP server on loopback, with WebSockets, in a thread of its own: the other side of a
// channel, for scenarios and tests. It keeps what it was asked, answers what its owner says, and misbehaves
// on request: another status, late, never.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace lab {

class Service {
 public:
  struct Request {
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers;  // names in small letters
    std::string body;
    std::chrono::steady_clock::time_point at;
  };

  struct Answer {
    int status = 200;
    std::string body = {};
    std::map<std::string, std::string> headers = {};
    std::chrono::milliseconds delay{0};
    bool never = false;  // the connection stays open, and nothing comes
  };

  // Called in the service's thread.
  using Handler = std::function<Answer(const Request&)>;

  explicit Service(Handler handler);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  // The next requests whose target ends with this are answered so, once each, instead.
  void fault(const std::string& target_end, Answer answer);

  std::vector<Request> all(std::string_view target_end = "") const;
  size_t count(std::string_view target_end = "") const;

  // WebSockets, in the order they came, counted from 0.
  size_t sockets() const;
  std::string socket_target(size_t number) const;
  bool is_open(size_t number) const;
  void send(size_t number, std::string text);
  std::vector<std::string> received(size_t number) const;
  void drop(size_t number);
  // It reads no more, and so answers no ping: half open.
  void fall_silent(size_t number);
  // What a new WebSocket is sent first.
  void set_greeting(std::string text);

 private:
  struct Core;
  std::shared_ptr<Core> core_;
  uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace lab
