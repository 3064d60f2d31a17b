// SPDX-License-Identifier: Apache-2.0
#include "term/window_size.h"

#include <gtest/gtest.h>
#include <map>
#include <pty.h>
#include <string>

#include "base/fd.h"

namespace term {
namespace {

Lookup environment(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

WindowSize size(unsigned short cols, unsigned short rows) { return {.cols = cols, .rows = rows}; }

winsize answer(unsigned short cols, unsigned short rows) {
  return {.ws_row = rows, .ws_col = cols, .ws_xpixel = 0, .ws_ypixel = 0};
}

TEST(WindowSize, IsWhatTheTerminalSays) {
  int master = -1;
  int slave = -1;
  const winsize set{.ws_row = 43, .ws_col = 132, .ws_xpixel = 1056, .ws_ypixel = 688};
  ASSERT_EQ(0, ::openpty(&master, &slave, nullptr, nullptr, &set));
  const base::Fd master_fd(master);
  const base::Fd slave_fd(slave);
  const WindowSize expected{.cols = 132, .rows = 43, .width_px = 1056, .height_px = 688};
  EXPECT_EQ(expected, window_size(slave, environment({{"COLUMNS", "7"}, {"LINES", "7"}})));
}

TEST(WindowSize, FallsBackToTheEnvironmentWithoutATerminal) {
  EXPECT_EQ(size(100, 30), window_size(-1, environment({{"COLUMNS", "100"}, {"LINES", "30"}})));
}

TEST(WindowSize, FallsBackToTheEnvironmentForEachDimensionByItself) {
  const auto lookup = environment({{"COLUMNS", "100"}, {"LINES", "30"}});
  EXPECT_EQ(size(100, 50), window_size_from(answer(0, 50), lookup));
  EXPECT_EQ(size(70, 30), window_size_from(answer(70, 0), lookup));
  EXPECT_EQ(size(70, 24), window_size_from(answer(70, 0), environment({})));
}

TEST(WindowSize, Is80By24WhenNobodyKnows) {
  EXPECT_EQ(size(80, 24), window_size_from(winsize{}, environment({})));
  EXPECT_EQ(size(80, 24), window_size_from({}, environment({{"COLUMNS", ""}, {"LINES", ""}})));
}

TEST(WindowSize, TakesNoGarbageFromTheEnvironment) {
  for (const char* bad : {"0", "-5", "1001", "99999999999999", "80x", " 80", "0x50", "eighty", "+80", "8 0"})
    EXPECT_EQ(size(80, 24), window_size_from({}, environment({{"COLUMNS", bad}, {"LINES", bad}}))) << bad;
  EXPECT_EQ(size(1000, 1), window_size_from({}, environment({{"COLUMNS", "1000"}, {"LINES", "1"}})));
}

TEST(WindowSize, KeepsAHugeTerminalWithinBounds) {
  EXPECT_EQ(size(1000, 1000), window_size_from(answer(1001, 65535), environment({})));
}

}  // namespace
}  // namespace term
