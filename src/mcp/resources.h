// SPDX-License-Identifier: Apache-2.0
// Resources: the screen and the output of every PTY, as tend://session/{id}/{pty}/screen and …/log.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mcp {

struct Resource {
  enum class Kind : uint8_t { screen, log };
  std::string session;
  uint32_t pty = 0;
  Kind kind = Kind::screen;
};

std::optional<Resource> parse_resource(std::string_view uri);

boost::json::array resource_templates();
// Of the sessions in an answer of session.list.
boost::json::array list_resources(const boost::json::array& sessions);

}  // namespace mcp
