// SPDX-License-Identifier: Apache-2.0
#include "sandbox/plan.h"

#include <gtest/gtest.h>

namespace sandbox {
namespace {

Plan some() {
  return {.session = "s",
          .hostname = "h",
          .root = Root::overlay,
          .network = Network::proxy,
          .best_effort = true,
          .homes = {"/home/a", "/home/b"},
          .binds = {{"/a", "/b", Access::read_write}, {"/c", "/d", Access::read_only}},
          .hidden = {"/x"},
          .overlay_folder = "/o",
          .keep_overlay = true,
          .domains = {"a.b", "*.c:1"},
          .proxy_program = "/p",
          .limits = {1, 2, 3}};
}

TEST(Plan, ComesBackAsItWas) {
  EXPECT_EQ(some(), decode_plan(encode(some())));
  EXPECT_EQ(Plan{}, decode_plan(encode(Plan{})));
}

TEST(Plan, IsWholeOrNothing) {
  const std::string bytes = encode(some());
  for (size_t size = 0; size < bytes.size(); size++) EXPECT_FALSE(decode_plan(bytes.substr(0, size))) << size;
  EXPECT_FALSE(decode_plan(bytes + "x"));
  for (size_t i = 0; i < bytes.size(); i++) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0xFF);
    (void)decode_plan(changed);  // whatever it is, it is read within its bounds
  }
}

}  // namespace
}  // namespace sandbox
