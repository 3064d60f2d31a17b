// SPDX-License-Identifier: Apache-2.0
// One test for each .vt file beside this one.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

#include "script.h"

namespace {

std::vector<std::string> scripts() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(VT_SCRIPTS))
    if (entry.path().extension() == ".vt") paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return paths;
}

class VtScript : public testing::TestWithParam<std::string> {};

TEST_P(VtScript, HoldsLineByLine) {
  for (const std::string& failure : vt_test::Script::run(GetParam())) ADD_FAILURE() << failure;
}

INSTANTIATE_TEST_SUITE_P(Scripts, VtScript, testing::ValuesIn(scripts()), [](const auto& param) {
  return std::filesystem::path(param.param).stem().string();
});

}  // namespace
