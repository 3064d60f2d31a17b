// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <gtest/gtest.h>

#include "session/restart_policy.h"
#include "session/sessions.h"
#include "session/window_policy.h"

namespace session {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::array<Window, 3> kWindows = {{{.size = {100, 20}, .attached = 1, .active = 4},
                                             {.size = {80, 50}, .attached = 2, .active = 6},
                                             {.size = {120, 40}, .attached = 3, .active = 5}}};

TEST(WindowPolicy, ChoosesAsItsNameSays) {
  EXPECT_EQ((pty::Size{80, 20}), choose_size(config::Resize::smallest, kWindows));
  EXPECT_EQ((pty::Size{80, 50}), choose_size(config::Resize::latest, kWindows));
  EXPECT_EQ((pty::Size{100, 20}), choose_size(config::Resize::leader, kWindows));
  EXPECT_FALSE(choose_size(config::Resize::fixed, kWindows));
}

TEST(WindowPolicy, LeavesTheSizeWhereNobodyWrites) {
  for (const auto policy :
       {config::Resize::smallest, config::Resize::latest, config::Resize::leader, config::Resize::fixed})
    EXPECT_FALSE(choose_size(policy, {}));
}

TEST(WindowPolicy, Clamps) {
  const std::array<Window, 1> window = {{{.size = {0, 65535}}}};
  EXPECT_EQ((pty::Size{1, 1000}), choose_size(config::Resize::smallest, window));
}

TEST(RestartPolicy, DoublesTheDelayAfterThreeShortLives) {
  RestartPolicy policy(milliseconds(1000));
  for (int i = 0; i < 3; i++) {
    EXPECT_EQ(milliseconds(1000), policy.after_exit(seconds(1)));
    EXPECT_FALSE(policy.backing_off());
  }
  for (const int expected : {2000, 4000, 8000, 16000, 32000, 60000, 60000}) {
    EXPECT_EQ(milliseconds(expected), policy.after_exit(milliseconds(4999)));
    EXPECT_TRUE(policy.backing_off());
  }
  EXPECT_EQ(milliseconds(1000), policy.after_exit(seconds(5))) << "a longer life sets it back";
  EXPECT_FALSE(policy.backing_off());
}

TEST(RestartPolicy, ManyShortLivesDoNotOverflow) {
  RestartPolicy policy(milliseconds(0));
  milliseconds last{0};
  for (int i = 0; i < 100'000; i++) last = policy.after_exit(seconds(0));
  EXPECT_EQ(milliseconds(60'000), last);
}

TEST(RestartPolicy, ADelayOfMoreThanAMinuteStaysWhatItIs) {
  RestartPolicy policy(seconds(300));
  for (int i = 0; i < 10; i++) EXPECT_EQ(seconds(300), policy.after_exit(seconds(0)));
}

TEST(Name, IsCheckedByItsCharacters) {
  for (const char* good : {"a", "A-1_b.c", "_x", "0", "64"}) EXPECT_TRUE(check_name(good)) << good;
  EXPECT_TRUE(check_name(std::string(64, 'x')));
  for (const char* bad : {"", ".", "..", "-x", "a/b", "a b", "a:0", "a\n", "ä", "a\x7f"})
    EXPECT_FALSE(check_name(bad)) << bad;
  EXPECT_FALSE(check_name(std::string(65, 'x')));
}

}  // namespace
}  // namespace session
