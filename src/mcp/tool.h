// SPDX-License-Identifier: Apache-2.0
// The tools that `tend mcp` offers, one row each: what a tool is called and takes and gives, which of the
// daemon's methods it asks, and what must be known to treat it right. Schemas, help, checks and docs/mcp.md
// follow from this table.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "wire/params.h"

namespace mcp {

struct Argument {
  wire::Param param;
  std::string_view help;
  std::string_view choices = {};  // "text|html": one of these
};

// Of a result: `type` is JSON Schema's, "integer?" may be null as well.
struct Field {
  std::string_view name;
  std::string_view type;
  std::string_view help;
};

// For the client, which may ask its user before it calls; and a tool that only looks is asked again when the
// daemon was replaced meanwhile.
struct Hints {
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
  bool open_world = false;
};

enum class Odd : uint8_t { no, help, spawn, kill, list, run, by_action };

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view help;
  std::string_view method;  // of the daemon; empty for what is answered here
  std::span<const Argument> takes;
  std::span<const Field> gives;  // the ones that are always there
  Hints hints = {};
  std::string_view text = {};  // the field that is shown as it is, and cut where it is too long
  std::string_view list = {};  // the field that is a list, of which the newest are kept; the method's result,
                               // where that is a list
  bool waits = false;          // it may take long: it has a connection of its own, and tells its progress
  Odd odd = Odd::no;           // plan.cc knows what is special about it
};

// In the order of the help.
std::span<const Tool> tools();
const Tool* find_tool(std::string_view name);

// Of k_pty.
struct Action {
  std::string_view name;
  std::string_view tool;
};
std::span<const Action> actions();

}  // namespace mcp
