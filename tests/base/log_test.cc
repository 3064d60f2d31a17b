// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace base::log {
namespace {

TEST(Log, GoesToTheSinkFromItsLevelOn) {
  std::vector<std::string> lines;
  set_sink([&](Level level,
               std::string_view line) { lines.push_back(fmt::format("{}: {}", level_name(level), line)); },
           Level::warning);
  say(Level::info, "not {}", "this");
  say(Level::error, "but {}", 42);
  set_sink({}, Level::debug);
  say(Level::error, "nor this");
  EXPECT_EQ(std::vector<std::string>{"error: but 42"}, lines);
}

}  // namespace
}  // namespace base::log
