// SPDX-License-Identifier: Apache-2.0
// The room is pure: no system call, no clock, no I/O. So no file of it includes a header that offers one.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace {

TEST(Purity, TheRoomIncludesNothingOfTheSystem) {
  const std::set<std::string> allowed = {
      "algorithm", "array",       "bit",     "cassert", "cstddef",       "cstdint",     "cstring",
      "deque",     "functional",  "limits",  "map",     "memory",        "optional",    "span",
      "string",    "string_view", "utility", "vector",  "unordered_map", "emmintrin.h", "fmt/format.h"};
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(VT_SOURCES)) {
    const std::string name = entry.path().filename().string();
    const std::string extension = entry.path().extension().string();
    // make_tables runs during the build only.
    if ((extension != ".h" && extension != ".cc") || name == "make_tables.cc") continue;
    files++;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("#include <")) {
        EXPECT_TRUE(allowed.contains(line.substr(10, line.find('>') - 10))) << name << ": " << line;
      } else if (line.starts_with("#include \"")) {
        EXPECT_TRUE(line.starts_with("#include \"vt/") || line.starts_with("#include \"base/"))
            << name << ": " << line;
      }
    }
  }
  EXPECT_GT(files, 40);
}

}  // namespace
