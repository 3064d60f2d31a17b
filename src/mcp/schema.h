// SPDX-License-Identifier: Apache-2.0
// What tools/list says of a tool, made of its row in the table.
#pragma once
#include <boost/json/object.hpp>

#include "mcp/tool.h"

namespace mcp {

boost::json::object input_schema(const Tool& tool);
// A result has all fields of the row, or an `error`.
boost::json::object output_schema(const Tool& tool);
boost::json::object describe(const Tool& tool);

}  // namespace mcp
