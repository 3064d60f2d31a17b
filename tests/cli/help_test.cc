// SPDX-License-Identifier: Apache-2.0
// The help of every command is what it always was: golden/COMMAND_help.txt. With TEND_UPDATE_GOLDEN=1 in the
// environment the files are written instead.
#include <cstdlib>
#include <set>

#include "base/strings.h"
#include "cli/app.h"
#include "cli/completions.h"
#include "tend_home.h"

namespace cli {
namespace {

using support::read_file;

std::string file_of(std::string path) {
  std::replace(path.begin(), path.end(), ' ', '_');
  return path.empty() ? "help.txt" : path + "_help.txt";
}

TEST_F(TendTest, HelpOfEveryCommandIsWhatItAlwaysWas) {
  Program program;
  const auto app = make_app(program);
  std::set<std::string> files;
  for (const CompletedCommand& each : completed_commands(*app)) {
    const Said said = says(each.path + " --help");
    EXPECT_EQ(0, said.code) << each.path;
    EXPECT_EQ("", said.err) << each.path;
    const std::string file = std::string(GOLDEN "/") + file_of(each.path);
    files.insert(file_of(each.path));
    if (std::getenv("TEND_UPDATE_GOLDEN") != nullptr) support::write_file(file, said.out);
    EXPECT_EQ(read_file(file), said.out) << each.path;
  }
  for (const auto& entry : std::filesystem::directory_iterator(GOLDEN)) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(!name.ends_with("help.txt") || files.contains(name)) << name << " belongs to no command";
  }
}

TEST_F(TendTest, EveryListingAndQueryTakesJson) {
  Program program;
  const auto app = make_app(program);
  const std::set<std::string> without = {"",       "attach",      "logs",        "audit",      "config",
                                         "daemon", "daemon run",  "daemon stop", "lab",        "completions",
                                         "mcp",    "loop attach", "channel",     "channel add"};
  for (const CompletedCommand& each : completed_commands(*app)) {
    const bool takes = std::any_of(
        each.options.begin(), each.options.end(),
        [](const CompletedOption& option) { return option.names == std::vector<std::string>{"--json"}; });
    EXPECT_NE(without.contains(each.path), takes) << each.path;
  }
}

TEST_F(TendTest, TheReadmeNamesEveryCommand) {
  Program program;
  const auto app = make_app(program);
  const std::string page = read_file(README);
  for (const CompletedCommand& each : completed_commands(*app)) {
    if (each.path.empty()) continue;
    const std::string first = each.path.substr(0, each.path.find(' '));
    EXPECT_NE(std::string::npos, page.find("`tend " + first)) << each.path;
  }
}

TEST_F(TendTest, VersionIsOneLine) { EXPECT_EQ("tend 0.1.0\n", says("--version").out); }

}  // namespace
}  // namespace cli
