// SPDX-License-Identifier: Apache-2.0
// What MCP fixes: versions, the numbers of its errors, the levels of its log.
#pragma once
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "wire/message.h"

namespace mcp {

namespace json = boost::json;

// The version to speak with a client that asks for this one: the same if it is known, else the newest.
std::string_view negotiate(std::string_view asked);
// Later versions have taken batches out.
bool has_batches(std::string_view version);
// Later versions tell the model of arguments that do not fit, so that it can do better; in earlier ones that
// is an error of the protocol.
bool tells_of_arguments(std::string_view version);

constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kUnknownMethod = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kInternal = -32603;
constexpr int kNoResource = -32002;

std::string make_error(const json::value& id, int number, std::string_view message, json::object data = {});

// debug, info, notice, warning, error, critical, alert, emergency; nothing for another word.
std::optional<base::log::Level> level_named(std::string_view name);

// Texts of a message's parameters, whatever else they may be.
std::optional<std::string> text_at(const json::object& object, std::string_view name);
const json::object* object_at(const json::object& object, std::string_view name);

}  // namespace mcp
