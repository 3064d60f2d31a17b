// SPDX-License-Identifier: Apache-2.0
// BotServer: a Bot API server on loopback, for tests, that does what it should or whatever a test tells it to
// do wrong. It keeps what was asked of it, and the messages that people would see.
#pragma once
#include <atomic>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/fd.h"

namespace channel_test {

namespace json = boost::json;

struct BotCall {
  std::string method;
  json::object params;
  std::chrono::steady_clock::time_point at;
};

struct BotMessage {
  int64_t chat = 0;
  int64_t id = 0;
  std::string text;
  json::object markup;
  int edits = 0;
};

// What goes wrong, instead of an answer.
struct Fault {
  enum class Kind {
    status,   // this status and body
    silence,  // the request is read, and nothing comes
    hang_up,  // the connection is closed
    trickle,  // a body that never ends, a byte now and then
    flood,    // a body without end, as fast as it can be
    lost,     // it is done, and then the connection is closed: nobody hears of it
  };
  Kind kind = Kind::status;
  int status = 500;
  std::string body = {};
  std::string headers = {};  // each with \r\n
};

Fault too_many(int retry_after);
Fault internal_error();
Fault conflict();
Fault says(std::string body);

class BotServer {
 public:
  explicit BotServer(std::string token);
  ~BotServer();
  BotServer(const BotServer&) = delete;
  BotServer& operator=(const BotServer&) = delete;

  std::string url() const;

  // The next so many calls of a method come to this.
  void fail(const std::string& method, Fault fault, int times = 1);
  // No more faults.
  void heal();

  // People.
  void say(int64_t user, const std::string& text, int64_t reply_to = 0, json::object more = {});
  void press(int64_t user, const BotMessage& message, const std::string& label);
  // The number of the press, for alert().
  std::string press_data(int64_t user, const std::string& data);
  // As it is, whatever it is.
  void add_update(json::object update);
  // The newest once more, under its number of before.
  void repeat_last_update();
  // Everything that was sent since, once more.
  void repeat_updates();

  std::vector<BotCall> calls(std::string_view method) const;
  std::vector<BotMessage> messages(int64_t chat) const;
  // Waits for a message to this chat that has the text; nothing at the deadline.
  std::optional<BotMessage> message(int64_t chat, std::string_view text) const;
  // The texts with which buttons were answered.
  std::vector<std::string> alerts() const;
  // Waits for the one that answers this press; nothing at the deadline.
  std::optional<std::string> alert(const std::string& press) const;
  int strangers() const;  // requests with another token

  std::atomic<std::chrono::milliseconds> hold{std::chrono::milliseconds(1000)};  // of getUpdates

 private:
  struct Client;

  void accept_all();
  void serve(int socket);
  bool answer(int socket, const std::string& method, const json::object& params);
  json::value run(const std::string& method, const json::object& params);
  json::value updates(const json::object& params);
  std::optional<Fault> next_fault(const std::string& method);
  bool suffer(int socket, const Fault& fault);

  std::string token_;
  base::Fd listener_;
  int port_ = 0;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool ending_ = false;
  std::map<std::string, std::deque<Fault>> faults_;
  std::vector<BotCall> calls_;
  std::map<std::string, std::string> alerts_;  // by press
  int64_t next_press_ = 1;
  std::vector<BotMessage> messages_;
  std::vector<json::object> updates_;
  std::vector<json::object> all_updates_;
  int64_t next_update_ = 100;
  int64_t next_message_ = 500;
  int strangers_ = 0;
  std::vector<int> sockets_;
  std::vector<std::thread> threads_;
};

}  // namespace channel_test
