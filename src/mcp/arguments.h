// SPDX-License-Identifier: Apache-2.0
// The arguments of a call held against the tool's row: what comes out is what the row says, and an error
// names the argument that is wrong.
#pragma once
#include <boost/json/object.hpp>

#include "base/result.h"
#include "mcp/tool.h"

namespace mcp {

base::Result<boost::json::object> check_arguments(const Tool& tool, boost::json::object arguments);

}  // namespace mcp
