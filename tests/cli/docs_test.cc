// SPDX-License-Identifier: Apache-2.0
// What the pages say can be typed, works.
#include "base/strings.h"
#include "session_home.h"

namespace cli {
namespace {

TEST_F(SessionTest, TheExamplesForPeopleFromTmuxWork) {
  const std::string page = support::read_file(FROM_TMUX);
  const size_t begin = page.find("```sh\n") + 6;
  const std::string block = page.substr(begin, page.find("```", begin) - begin);
  int commands = 0;
  for (const std::string_view line : base::split(block, '\n')) {
    if (!line.starts_with("tend ")) continue;
    const Said said = says(std::string(line.substr(5)));
    EXPECT_EQ(0, said.code) << line << "\n" << said.err;
    commands++;
  }
  EXPECT_EQ(12, commands);
}

// Every command that the table has on tend's side is one, with options that it has.
TEST_F(SessionTest, TheTableForPeopleFromTmuxNamesCommandsThatExist) {
  const std::string page = support::read_file(FROM_TMUX);
  int rows = 0;
  for (const std::string_view line : base::split(page, '\n')) {
    const size_t at = line.find("| `tend ");
    if (!line.starts_with("| `tmux") || at == std::string_view::npos) continue;
    const std::string_view command = line.substr(at + 8, line.find('`', at + 8) - at - 8);
    // Parsed up to the options, and then only asked for help.
    std::string words;
    for (const std::string_view word : base::split(command.substr(0, command.find(" --help")), ' ')) {
      if (word == "--" || word == ">") break;
      words += std::string(word) + " ";
    }
    const Said said = says(words + "--help");
    EXPECT_EQ(0, said.code) << command << "\n" << said.err;
    rows++;
  }
  EXPECT_LT(15, rows);
}

}  // namespace
}  // namespace cli
