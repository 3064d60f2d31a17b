// SPDX-License-Identifier: Apache-2.0
#include "config/checks.h"

#include <gtest/gtest.h>

namespace config {
namespace {

TEST(Key, IsTheByteThatItSends) {
  EXPECT_EQ('\x1d', key_byte("ctrl-]"));
  EXPECT_EQ('\x1c', key_byte("ctrl-\\"));
  EXPECT_EQ('\x01', key_byte("ctrl-a"));
  EXPECT_FALSE(key_byte("off"));
  EXPECT_FALSE(check_key("off"));
  EXPECT_FALSE(check_key("ctrl-_"));
}

TEST(Key, IsNoneThatPeopleNeed) {
  // Escape, Tab and Enter are control keys to the terminal.
  for (const char* bad :
       {"", "ctrl-", "ctrl-[", "ctrl-i", "ctrl-j", "ctrl-m", "ctrl-A", "ctrl-ab", "^]", "none"})
    EXPECT_TRUE(check_key(bad)) << bad;
}

TEST(Sequence, DecodesItsEscapes) {
  EXPECT_EQ(std::string("\x03\r\n\t\x1b\\\xff\0z", 9), sequence_bytes(R"(\x03\r\n\t\e\\\xFF\x00z)"));
  EXPECT_EQ("plain", sequence_bytes("plain"));
}

TEST(Sequence, RefusesWhatIsNoEscape) {
  for (const char* bad : {"", "\\", "a\\", "\\q", "\\x", "\\x1", "\\xg1", "\\x1g", "\\x+1", "\\x-1"})
    EXPECT_TRUE(check_sequence(bad)) << bad;
}

TEST(Sequence, HasABound) {
  std::string longest;
  for (int i = 0; i < 64; i++) longest += "\\x41";
  EXPECT_FALSE(check_sequence(longest));
  EXPECT_TRUE(check_sequence(longest + "A"));
}

TEST(Mount, HasTwoAbsolutePathsAndPerhapsRo) {
  EXPECT_EQ((Mount{"/a", "/b", Access::read_write}), mount_of("/a:/b"));
  EXPECT_EQ((Mount{"/a", "/b", Access::read_only}), mount_of("/a:/b:ro"));
  for (const char* bad : {"", "/a", "a:/b", "/a:b", "/a:/b:rw", "/a:/b:ro:", ":/b", "/a:"})
    EXPECT_TRUE(check_mount(bad)) << bad;
}

TEST(Url, IsHttp) {
  EXPECT_FALSE(check_url("https://example.com/x?y"));
  EXPECT_FALSE(check_url("http://[::1]:80"));
  for (const char* bad :
       {"", "example.com", "ftp://x", "https://", "https:///x", "https://a b", "https://a\n"})
    EXPECT_TRUE(check_url(bad)) << bad;
}

TEST(VariableReference, IsADollarAndAName) {
  EXPECT_TRUE(is_reference("$API_KEY"));
  for (const char* bad : {"", "$", "$1", "$A-B", "A", "$A$B", "x$A"}) EXPECT_FALSE(is_reference(bad)) << bad;
}

}  // namespace
}  // namespace config
