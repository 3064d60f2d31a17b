// SPDX-License-Identifier: Apache-2.0
#include "web/request.h"

#include <boost/beast/http/status.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <iterator>

namespace web {
namespace {

using base::Code;
namespace json = boost::json;

// Nothing from elsewhere, nothing inline but styles, which the terminal sets; nobody may frame it.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src "
    "'self'; "
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'";

unsigned status_of(Code code) {
  switch (code) {
    case Code::pty_session_not_found:
    case Code::prompt_not_found:
    case Code::unknown_method:
      return 404;
    case Code::invalid_param:
      return 400;
    case Code::pty_access_denied:
      return 403;
    case Code::prompt_stale:
    case Code::pty_busy:
    case Code::pty_interrupted:
      return 409;
    case Code::pty_process_exited:
      return 410;
    case Code::message_too_large:
      return 413;
    case Code::pty_timeout:
      return 504;
    default:
      return 500;
  }
}

}  // namespace

Response refusal(unsigned status, std::string_view code, std::string_view message) {
  const json::object body{{"error", json::object{{"code", code}, {"message", message}}}};
  return {.status = status, .body = json::serialize(body), .headers = {}};
}

Response failure(const base::Error& error, json::object data) {
  data["code"] = base::code_name(error.code);
  data["message"] = error.message();
  return {.status = status_of(error.code),
          .body = json::serialize(json::object{{"error", std::move(data)}}),
          .headers = {}};
}

std::string head_of(const Response& response, std::string_view connection) {
  const auto reason =
      boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(response.status));
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nServer: tend\r\n", response.status,
                                 std::string_view(reason.data(), reason.size()));
  const auto add = [&](std::string_view name, std::string_view value) {
    fmt::format_to(std::back_inserter(head), "{}: {}\r\n", name, value);
  };
  bool cached = false;
  for (const auto& [name, value] : response.headers) {
    add(name, value);
    cached = cached || name == "Cache-Control";
  }
  if (!cached) add("Cache-Control", "no-store");
  if (!response.type.empty()) add("Content-Type", response.type);
  add("Content-Security-Policy", kPolicy);
  add("X-Content-Type-Options", "nosniff");
  add("X-Frame-Options", "DENY");
  add("Referrer-Policy", "no-referrer");
  add("Cross-Origin-Opener-Policy", "same-origin");
  add("Cross-Origin-Resource-Policy", "same-origin");
  add("Connection", connection);
  return head;
}

}  // namespace web
