// SPDX-License-Identifier: Apache-2.0
#include "session/keys.h"

#include <gtest/gtest.h>

namespace session {
namespace {

class Keys : public testing::Test {
 protected:
  std::string key(std::string_view name) {
    const auto bytes = key_bytes(name, screen_);
    return bytes ? *bytes : "error";
  }
  vt::Screen screen_{{80, 24}, {}, nullptr};
};

TEST_F(Keys, HaveTheirBytes) {
  EXPECT_EQ("\r", key("Enter"));
  EXPECT_EQ("\t", key("Tab"));
  EXPECT_EQ("\x1b[Z", key("S-Tab"));
  EXPECT_EQ("\x1b", key("Escape"));
  EXPECT_EQ(" ", key("Space"));
  EXPECT_EQ("\x7f", key("Backspace"));
  EXPECT_EQ("\x1b[A", key("Up"));
  EXPECT_EQ("\x1b[F", key("End"));
  EXPECT_EQ("\x1b[5~", key("PageUp"));
  EXPECT_EQ("\x1b[3~", key("Delete"));
  EXPECT_EQ("\x1bOP", key("F1"));
  EXPECT_EQ("\x1b[15~", key("F5"));
  EXPECT_EQ("\x1b[24~", key("F12"));
  EXPECT_EQ("\r", key("ENTER")) << "in any case";
}

TEST_F(Keys, TakeModifiers) {
  EXPECT_EQ("\x03", key("C-c"));
  EXPECT_EQ("\x03", key("C-C"));
  EXPECT_EQ("\x1bx", key("M-x"));
  EXPECT_EQ("\x1b\x03", key("M-C-c"));
  EXPECT_EQ("\x1b[1;5A", key("C-Up"));
  EXPECT_EQ("\x1b[1;8A", key("C-M-S-Up"));
  EXPECT_EQ("\x1b[5;2~", key("S-PageUp"));
  EXPECT_EQ(std::string(1, '\0'), key("C-Space"));
  EXPECT_EQ("\x7f", key("C-?"));
  EXPECT_EQ("\x1d", key("C-]"));
  EXPECT_EQ("\x1b\r", key("M-Enter"));
}

TEST_F(Keys, OfACharacterAreTheCharacter) {
  for (const char* each : {"a", "Z", "-", "é", "€", "😀", "C", "M"}) EXPECT_EQ(each, key(each));
  EXPECT_EQ("-", key("-"));
  EXPECT_EQ("\x1b-", key("M--"));
}

TEST_F(Keys, FollowTheModesOfTheProgram) {
  screen_.feed("\x1b[?1h");
  EXPECT_EQ("\x1bOA", key("Up"));
  EXPECT_EQ("\x1bOH", key("Home"));
  EXPECT_EQ("\x1b[1;5A", key("C-Up"));
}

TEST_F(Keys, ThatDoNotExistAreErrors) {
  for (const char* each : {"", "Foo", "C-", "C-é", "F13", "ab", "X-a", "C-Foo", "\xc3", "\xff"})
    EXPECT_EQ("error", key(each)) << each;
}

}  // namespace
}  // namespace session
