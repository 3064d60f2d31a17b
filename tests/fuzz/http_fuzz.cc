// SPDX-License-Identifier: Apache-2.0
// The head of a request from anywhere: whatever passes is one request to one host, its target says the same
// when it is encoded again, only this server's own names count as its own, and what a query puts into the
// parameters of a method is what that method's table wants.
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <string>

#include "daemon/methods.h"
#include "web/http_head.h"
#include "web/limits.h"
#include "web/origin.h"
#include "web/routes.h"

namespace {

namespace http = boost::beast::http;

void check(bool holds) {
  if (!holds) std::abort();
}

std::string encoded(std::string_view text) {
  std::string result;
  for (const char c : text) result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return result;
}

void check_target(const web::Target& target) {
  std::string again;
  for (const std::string& each : target.segments) again += "/" + encoded(each);
  if (again.empty()) again = "/";
  for (size_t i = 0; i < target.query.size(); i++)
    again += (i == 0 ? "?" : "&") + encoded(target.query[i].first) + "=" + encoded(target.query[i].second);
  const auto same = web::parse_target(again);
  check(same && same->segments == target.segments && same->query == target.query);
}

void check_routes(const web::Target& target) {
  for (const web::Verb verb : {web::Verb::get, web::Verb::post, web::Verb::del}) {
    web::Found found = web::find_route(verb, target);
    if (found.route == nullptr) continue;
    const host::Method* method = host::find_method(found.route->method);
    check(method != nullptr);
    if (web::add_query(target, method->params, found.params))
      for (const auto& [name, value] : found.params) check(!value.is_object() && !value.is_null());
  }
}

void check_host(const web::Request& request) {
  constexpr std::string_view kLocal = "192.0.2.7";
  const std::array<std::string, 1> names = {"tend.example"};
  if (web::is_own_host(request.host, kLocal, names)) {
    const std::string host = web::host_of(request.host);
    check(host == "localhost" || host == kLocal || host == names[0] || web::is_loopback(host));
  }
  if (web::is_own_origin(request.origin, "https", request.host)) check(request.origin.size() >= 8);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  http::request_parser<http::string_body> parser;
  parser.header_limit(web::kMostHeader);
  parser.body_limit(web::kMostBody);
  boost::system::error_code wrong;
  parser.put(boost::asio::const_buffer(data, size), wrong);
  if (wrong || !parser.is_header_done()) return 0;
  const auto request = web::request_in(parser.get().base());
  if (!request) return 0;
  check_target(request->target);
  check_routes(request->target);
  check_host(*request);
  (void)web::cookie_value(request->cookie, "tend");
  (void)web::bearer_token(request->authorization);
  return 0;
}
