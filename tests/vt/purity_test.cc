// SPDX-License-Identifier: Apache-2.0
// Pure rooms make no system call, ask no clock, do no I/O. So no file of theirs includes a header that offers
// one.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace {

using Names = std::set<std::string>;

const Names kStandard = {"algorithm", "array",   "bit",           "cassert",     "charconv",    "cstddef",
                         "cstdint",   "cstring", "deque",         "functional",  "iterator",    "limits",
                         "map",       "memory",  "optional",      "span",        "string",      "string_view",
                         "utility",   "vector",  "unordered_map", "emmintrin.h", "fmt/format.h"};

// Gives the number of files.
int expect_pure(const std::filesystem::path& folder, const Names& rooms, const Names& libraries) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const std::string extension = entry.path().extension().string();
    // make_tables runs during the build only.
    if ((extension != ".h" && extension != ".cc") || name == "make_tables.cc") continue;
    files++;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("#include <")) {
        const std::string header = line.substr(10, line.find('>') - 10);
        EXPECT_TRUE(kStandard.contains(header) || libraries.contains(header)) << name << ": " << line;
      } else if (line.starts_with("#include \"")) {
        EXPECT_TRUE(rooms.contains(line.substr(10, line.find('/') - 10))) << name << ": " << line;
      }
    }
  }
  return files;
}

TEST(Purity, TheScreenIncludesNothingOfTheSystem) {
  EXPECT_GT(expect_pure(TEND_ROOMS "/vt", {"vt", "base"}, {}), 40);
}

TEST(Purity, TheInputFilterIncludesNothingOfTheSystem) {
  EXPECT_GT(expect_pure(TEND_ROOMS "/filter", {"filter", "base"}, {}), 8);
}

TEST(Purity, DetectionIncludesNothingOfTheSystem) {
  EXPECT_GT(expect_pure(TEND_ROOMS "/detect", {"detect", "vt", "base"}, {"re2/re2.h", "cctype"}), 15);
}

}  // namespace
