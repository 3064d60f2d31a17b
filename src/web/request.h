// SPDX-License-Identifier: Apache-2.0
// A request and its answer, as the parts that decide about them see them: no sockets, no library.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "web/routes.h"
#include "web/target.h"

namespace web {

struct Request {
  std::string method;  // as it came
  Target target;
  std::string address;        // of whoever asks
  std::string local_address;  // where the request came in
  std::string host;
  std::string origin;
  std::string cookie;
  std::string authorization;
  std::string content_type;
  std::string accept_encoding;
  std::string if_none_match;
  std::string last_event_id;
  std::string fetch_dest;
  std::string fetch_site;
  bool upgrade = false;  // wants to be a WebSocket
  std::string body;
};

struct Response {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// `code` in the body, as docs/web.md has them.
Response refusal(unsigned status, std::string_view code, std::string_view message);
Response failure(const base::Error& error, boost::json::object data = {});

// The whole head, with what every answer says.
std::string head_of(const Response& response, std::string_view connection);

}  // namespace web
