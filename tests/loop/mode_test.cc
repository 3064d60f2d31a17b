// SPDX-License-Identifier: Apache-2.0
// The seed's table of modes, row by row.
#include "loop/mode.h"

#include <gtest/gtest.h>

namespace {

using loop::Mode;
using loop::select_mode;

config::Cli settings(bool pty_mode, bool interactive = true) {
  config::Cli cli;
  cli.pty_mode = pty_mode;
  cli.pty_interactive = interactive;
  return cli;
}

TEST(Mode, IsTheOneOfTheTable) {
  EXPECT_EQ(select_mode(settings(false), {}), Mode::headless);
  EXPECT_EQ(select_mode(settings(false), {.pty = true}), Mode::interactive);
  EXPECT_EQ(select_mode(settings(false), {.pty = true, .observe = true}), Mode::observe);
  EXPECT_EQ(select_mode(settings(false), {.observe = true}), Mode::observe);
  EXPECT_EQ(select_mode(settings(true), {}), Mode::interactive);
  EXPECT_EQ(select_mode(settings(true), {.observe = true}), Mode::observe);
  EXPECT_EQ(select_mode(settings(true), {.no_pty = true}), Mode::headless);
}

TEST(Mode, SettingsMayTakeTheKeyboardAwayAndTheFlagGivesItBack) {
  EXPECT_EQ(select_mode(settings(true, false), {}), Mode::observe);
  EXPECT_EQ(select_mode(settings(true, false), {.pty = true}), Mode::interactive);
}

TEST(Mode, HasANameThatIsFoundAgain) {
  for (const Mode each : {Mode::headless, Mode::interactive, Mode::observe})
    EXPECT_EQ(loop::mode_named(loop::name_of(each)), each);
  EXPECT_FALSE(loop::mode_named("other"));
}

}  // namespace
