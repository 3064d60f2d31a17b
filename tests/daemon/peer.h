// SPDX-License-Identifier: Apache-2.0
// Peer: a client of the daemon, for tests: asks and expects, waits for what is announced, and reads a PTY the
// way an attached terminal does, from the journal that it maps.
#pragma once
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "pty/journal.h"
#include "wire/client.h"

namespace host_test {

namespace json = wire::json;

class Peer {
 public:
  explicit Peer(wire::Client client) : client_(std::move(client)) {}

  wire::Client& client() { return client_; }

  // The result; a failure of the test where there is an error.
  json::value ok(std::string_view method, json::object params = {});
  // The name of the error's code; "" where there is none.
  std::string code(std::string_view method, json::object params = {});

  // The parameters of the next notification of this name that fits; what comes before it is kept for others.
  using Fits = std::function<bool(const json::object&)>;
  std::optional<json::object> heard(std::string_view method, const Fits& fits = {});
  // The answer to a request that was sent.
  std::optional<wire::Response> answer(uint64_t id);
  // The bytes that were sent behind an answer.
  std::string bytes(size_t count);
  // What is there now, without waiting.
  void take_all();
  size_t count(std::string_view method) const;
  // The daemon has closed the connection.
  bool closed();

  // Attaches, and keeps the journal and the snapshot.
  json::object attach(json::object params);
  // After session.create with "attach".
  void use(const json::object& attached);
  void type(std::string_view keys);
  // Waits until all that is shown to this client (snapshot, output, notices) has the text.
  bool shows(std::string_view text);
  const std::string& shown() const { return shown_; }
  uint64_t offset() const { return offset_; }

 private:
  bool wait(const std::function<bool()>& condition);
  void read_journal(uint64_t end);

  wire::Client client_;
  std::deque<wire::Incoming> kept_;
  bool closed_ = false;
  std::optional<pty::Journal> journal_;
  uint64_t offset_ = 0;
  std::string shown_;
};

}  // namespace host_test
