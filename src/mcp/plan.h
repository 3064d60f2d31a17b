// SPDX-License-Identifier: Apache-2.0
// Plan: what a call of a tool comes to: the daemon's method with its parameters, or an answer that needs no
// daemon. Everything that is special about a tool stands in plan.cc and listing.cc.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "mcp/tool.h"

namespace mcp {

struct Plan {
  const Tool* tool = nullptr;  // the one that does the work: for k_pty, that of its action
  std::string action = {};     // of k_pty; empty otherwise
  boost::json::object arguments = {};
  std::string method = {};
  boost::json::object params = {};
  std::optional<boost::json::object> answer = {};  // without the daemon
  size_t most_chars = 0;
  bool waits = false;    // it may take long
  bool again = false;    // it may be asked again if the daemon goes meanwhile
  std::string run = {};  // the name of the run, by which it can be cancelled
};

// `defaults` is what a new session gets where the call says nothing: cwd, env, umask, settings. The error is
// one of the arguments.
base::Result<Plan> make_plan(std::string_view tool, boost::json::object arguments,
                             const boost::json::object& defaults);

}  // namespace mcp
