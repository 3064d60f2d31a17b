// SPDX-License-Identifier: Apache-2.0
// JSON-RPC 2.0 as tend speaks it: requests, notifications (no id, no answer), results, errors. An error
// carries, beside JSON-RPC's number, the name of docs/protocol.md in data.code. Batches are refused: frames
// can simply follow one another.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace wire {

namespace json = boost::json;

constexpr int kVersion = 1;

struct Request {
  std::optional<json::value> id = {};  // none: a notification
  std::string method;
  json::object params = {};
};

struct Response {
  json::value id;
  base::Result<json::value> result;
  json::object data = {};  // what an error carries beside its code
};

using Message = std::variant<Request, Response>;

// What to answer to something that is no message.
struct Refusal {
  json::value id;  // null where it could not be read
  int number;      // JSON-RPC's
  base::Error error;
};

// JSON-RPC's number for a code.
int number_of(base::Code code);

std::expected<Message, Refusal> parse_message(std::string_view text);
// One that was parsed already.
std::expected<Message, Refusal> read_message(json::value value);

std::string make_request(const json::value& id, std::string_view method, json::object params);
std::string make_notification(std::string_view method, json::object params);
std::string make_result(const json::value& id, json::value result);
std::string make_error(const json::value& id, const base::Error& error, json::object data = {});
std::string make_error(const Refusal& refusal);

}  // namespace wire
