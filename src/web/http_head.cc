// SPDX-License-Identifier: Apache-2.0
#include "web/http_head.h"

#include <boost/beast/websocket/rfc6455.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace web {

namespace beast = boost::beast;
namespace http = beast::http;

std::optional<Request> request_in(const HttpHead& head) {
  auto target = parse_target(std::string_view(head.target()));
  if (!target || head.count(http::field::host) != 1 || head.count(http::field::origin) > 1) return {};
  const auto field = [&](http::field name) { return std::string(head[name]); };
  const auto named = [&](std::string_view name) { return std::string(head[{name.data(), name.size()}]); };
  return Request{.method = std::string(head.method_string()),
                 .target = std::move(*target),
                 .address = {},
                 .local_address = {},
                 .host = field(http::field::host),
                 .origin = field(http::field::origin),
                 .cookie = field(http::field::cookie),
                 .authorization = field(http::field::authorization),
                 .content_type = field(http::field::content_type),
                 .accept_encoding = field(http::field::accept_encoding),
                 .if_none_match = field(http::field::if_none_match),
                 .last_event_id = named("Last-Event-ID"),
                 .fetch_dest = named("Sec-Fetch-Dest"),
                 .fetch_site = named("Sec-Fetch-Site"),
                 .upgrade = beast::websocket::is_upgrade(head),
                 .body = {}};
}

}  // namespace web
