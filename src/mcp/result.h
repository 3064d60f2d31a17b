// SPDX-License-Identifier: Apache-2.0
// The result of a tool as MCP has it: structured, and as text for clients and models that read only that.
// Text is bounded, because every character of it costs whoever reads it.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>

#include "base/result.h"
#include "mcp/plan.h"

namespace mcp {

constexpr size_t kUsualChars = 12'000;

// Keeps the newest characters; how many were left out.
size_t keep_newest(std::string& text, size_t most_chars);

// What the daemon said becomes the result of the tool.
boost::json::object make_result(const Plan& plan, boost::json::value said);
// A failure is a result too. `data` is what the error carries: the output so far, and the like.
boost::json::object make_failure(const Plan& plan, const base::Error& error, boost::json::object data);

}  // namespace mcp
