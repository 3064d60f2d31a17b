// SPDX-License-Identifier: Apache-2.0
// What each agent prints when its usage limit is reached: one row for each message, with a line that it must
// match. The expressions (RE2, case does not matter) stand for the beginning of a line, behind what agents
// draw before their errors; the first group, where there is one, begins where the time is told.
#pragma once
#include <span>
#include <string_view>

#include "config/config.h"

namespace loop {

struct LimitRow {
  config::Backend backend;
  std::string_view expression;
  std::string_view example;
};

std::span<const LimitRow> limit_table();

}  // namespace loop
