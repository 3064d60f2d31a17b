// SPDX-License-Identifier: Apache-2.0
// The routes under /api/ that are methods of the protocol. One table: what is dispatched, what a read-only
// token may do, and what openapi.json says all come from it.
#pragma once
#include <boost/json/object.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "daemon/methods.h"
#include "web/target.h"
#include "web/tokens.h"

namespace web {

enum class Verb { get, post, del };

std::string_view verb_name(Verb verb);

struct Route {
  Verb verb;
  std::string_view path;    // "/api/sessions/{session}"
  std::string_view method;  // of the protocol
  Access access;            // what a token needs
};

std::span<const Route> routes();

struct Found {
  const Route* route = nullptr;  // null: none of this path, or none of this verb
  bool path_exists = false;
  boost::json::object params = {};  // the names in the path
};
Found find_route(Verb verb, const Target& target);

// The texts of a query as what the method wants them to be.
base::Result<void> add_query(const Target& target, std::span<const wire::Param> known,
                             boost::json::object& params);

boost::json::object openapi();

}  // namespace web
