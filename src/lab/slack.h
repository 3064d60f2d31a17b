// SPDX-License-Identifier: Apache-2.0
// Slack, as a channel sees it: the Web API and Socket Mode on loopback, and people who press buttons and
// write. What the channel posts is kept; what people do is said over the newest socket. Nothing here throws
// on what a channel sends: what is not of the right kind counts as not there.
#pragma once
#include <atomic>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/service.h"

namespace lab {

namespace json = boost::json;

class Slack {
 public:
  // `garble` changes what is said over the socket: for tests that must fail.
  explicit Slack(std::function<void(std::string&)> garble = {});

  Service& service() { return service_; }
  std::string api_url() const { return service_.url() + "/api"; }
  // Where its sockets are said to be, if something stands before it: "wss://localhost:8443".
  void set_front(std::string url) { front_ = std::move(url); }

  // The bodies of what was posted so, in their order.
  std::vector<json::object> posted(const std::string& method = "chat.postMessage") const;
  size_t count(const std::string& method = "chat.postMessage") const;

  // Of a message.
  static json::array buttons(const json::object& message);
  static std::string value_of(const json::object& message, size_t button);  // counted from 0
  static std::string value_of(const json::object& message, std::string_view label);
  // The stamp of the message that was posted as this one, counted from 1.
  static std::string stamp(int number);

  // What people do, as it goes over the socket: press() and write() in an envelope, with a number of its own
  // unless it has one.
  static json::object press(const std::string& user, const std::string& value,
                            const std::string& message = stamp(1));
  json::object write(const std::string& user, const std::string& text, const std::string& thread = "");
  std::string envelope(std::string_view type, json::object payload, const std::string& id = "");
  std::string pressed(const std::string& user, const std::string& value,
                      const std::string& message = stamp(1)) {
    return envelope("interactive", press(user, value, message));
  }
  std::string written(const std::string& user, const std::string& text, const std::string& thread = "") {
    return envelope("events_api", write(user, text, thread));
  }
  void say(std::string envelope);

  // The newest socket.
  size_t link() const { return service_.sockets() - 1; }

 private:
  Service::Answer answer(const Service::Request& request);

  std::function<void(std::string&)> garble_;
  std::string front_;
  std::atomic<int> links_ = 0;
  std::atomic<int> messages_ = 0;
  std::atomic<int> envelopes_ = 0;
  Service service_;
};

}  // namespace lab
