// SPDX-License-Identifier: Apache-2.0
#include "wire/message.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

namespace wire {
namespace {

using base::Code;

constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kServerErrors = -32000;

std::string_view text_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  const json::string* text = value != nullptr ? value->if_string() : nullptr;
  return text != nullptr ? std::string_view(text->data(), text->size()) : std::string_view();
}

base::Error read_error(const json::value& value) {
  base::Error error{.what = "the answer carries an error that cannot be read"};
  const json::object* object = value.if_object();
  if (object == nullptr) return error;
  error.what = text_of(*object, "message");
  const json::value* data = object->if_contains("data");
  if (data == nullptr || !data->is_object()) return error;
  const std::string_view name = text_of(data->get_object(), "code");
  for (int code = 0; code <= static_cast<int>(Code::internal); code++) {
    if (base::code_name(static_cast<Code>(code)) == name) error.code = static_cast<Code>(code);
  }
  return error;
}

json::object data_of(const json::value& error) {
  const json::object* object = error.if_object();
  const json::value* data = object != nullptr ? object->if_contains("data") : nullptr;
  return data != nullptr && data->is_object() ? data->get_object() : json::object();
}

bool may_be_id(const json::value& id) { return id.is_string() || id.is_number() || id.is_null(); }

Refusal refuse(json::value id, std::string what) {
  return {std::move(id), kInvalidRequest, {Code::invalid_param, 0, std::move(what)}};
}

std::expected<Message, Refusal> read_request(std::optional<json::value> id, json::object& object) {
  const json::value answer_to = id.value_or(nullptr);
  const json::value* method = object.if_contains("method");
  if (method == nullptr || !method->is_string())
    return std::unexpected(refuse(answer_to, "a request needs a method"));
  Request request{.id = std::move(id), .method = std::string(text_of(object, "method"))};
  if (json::value* params = object.if_contains("params")) {
    if (!params->is_object())
      return std::unexpected(refuse(answer_to, "params must be an object with names"));
    request.params = std::move(params->get_object());
  }
  return request;
}

json::object envelope() { return {{"jsonrpc", "2.0"}}; }

std::string failure(const json::value& id, int number, const base::Error& error, json::object data = {}) {
  data["code"] = base::code_name(error.code);
  if (error.sys != 0) data["errno"] = error.sys;
  json::object message = envelope();
  message["id"] = id;
  message["error"] = json::object{{"code", number}, {"message", error.message()}, {"data", std::move(data)}};
  return json::serialize(message);
}

}  // namespace

int number_of(Code code) {
  switch (code) {
    case Code::unknown_method:
      return -32601;
    case Code::invalid_param:
      return -32602;
    case Code::internal:
      return -32603;
    default:
      return kServerErrors - static_cast<int>(code);
  }
}

std::expected<Message, Refusal> parse_message(std::string_view text) {
  boost::system::error_code wrong;
  json::value value = json::parse(text, wrong);
  if (wrong)
    return std::unexpected(
        Refusal{nullptr, kParseError, {Code::invalid_param, 0, "not JSON: " + wrong.message()}});
  return read_message(std::move(value));
}

std::expected<Message, Refusal> read_message(json::value value) {
  json::object* object = value.if_object();
  if (object == nullptr)
    return std::unexpected(refuse(nullptr, value.is_array()
                                               ? "batches are not supported: send one message a frame"
                                               : "a message must be an object"));
  std::optional<json::value> id;
  if (const json::value* given = object->if_contains("id")) {
    if (!may_be_id(*given)) return std::unexpected(refuse(nullptr, "an id must be a text or a number"));
    id = *given;
  }
  if (text_of(*object, "jsonrpc") != "2.0")
    return std::unexpected(refuse(id.value_or(nullptr), R"("jsonrpc": "2.0" is missing)"));
  if (const json::value* error = object->if_contains("error"))
    return Response{id.value_or(nullptr), std::unexpected(read_error(*error)), data_of(*error)};
  if (json::value* result = object->if_contains("result"))
    return Response{id.value_or(nullptr), std::move(*result), {}};
  return read_request(std::move(id), *object);
}

std::string make_request(const json::value& id, std::string_view method, json::object params) {
  json::object message = envelope();
  message["id"] = id;
  message["method"] = method;
  message["params"] = std::move(params);
  return json::serialize(message);
}

std::string make_notification(std::string_view method, json::object params) {
  json::object message = envelope();
  message["method"] = method;
  message["params"] = std::move(params);
  return json::serialize(message);
}

std::string make_result(const json::value& id, json::value result) {
  json::object message = envelope();
  message["id"] = id;
  message["result"] = std::move(result);
  return json::serialize(message);
}

std::string make_error(const json::value& id, const base::Error& error, json::object data) {
  return failure(id, number_of(error.code), error, std::move(data));
}

std::string make_error(const Refusal& refusal) { return failure(refusal.id, refusal.number, refusal.error); }

}  // namespace wire
