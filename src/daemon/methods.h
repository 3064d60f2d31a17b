// SPDX-License-Identifier: Apache-2.0
// The methods of the protocol, one row each: name, parameters, function. docs/protocol.md describes them, and
// a test holds the page against this table.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "daemon/call.h"
#include "wire/params.h"

namespace host {

struct Method {
  std::string_view name;
  std::span<const wire::Param> params;
  void (*run)(const std::shared_ptr<Call>& call);
  std::string_view action;  // in the audit; empty: none
};

// Sorted by name.
std::span<const Method> methods();
const Method* find_method(std::string_view name);

// Runs it for whoever asks; parameters that do not fit its table are the answer already.
void start_call(Context& context, const std::weak_ptr<Asker>& asker, wire::Request request,
                const Method& method);

// What the daemon tells a client without being asked.
std::span<const std::string_view> notifications();

}  // namespace host
