// SPDX-License-Identifier: Apache-2.0
// docs/loop.md says what the program does.
#include <gmock/gmock.h>

#include "base/strings.h"
#include "loop_home.h"

namespace cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// The cells of the page's rows that begin with `name` in code.
std::vector<std::vector<std::string>> rows_of(const std::string& page, std::string_view title) {
  std::vector<std::vector<std::string>> rows;
  const size_t begin = page.find("## " + std::string(title));
  const std::string part = page.substr(begin, page.find("\n## ", begin) - begin);
  bool below_head = false;
  for (const std::string_view line : base::split(part, '\n')) {
    below_head = below_head || line.starts_with("|---");
    if (!below_head || !line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    for (const std::string_view cell : base::split(line.substr(1, line.size() - 2), '|')) {
      std::string text(base::trim(cell));
      std::erase(text, '`');
      cells.push_back(text);
    }
    rows.push_back(cells);
  }
  return rows;
}

TEST_F(LoopTest, ThePagesFirstLoopWorks) {
  const std::string page = support::read_file(LOOP_PAGE);
  const size_t begin = page.find("```sh\n") + 6;
  support::write_file(work_.file("page.sh"), "set -e; tend() { \"$TEND\" \"$@\"; }\n" +
                                                 page.substr(begin, page.find("```", begin) - begin));
  (void)says("--version", "bash page.sh > page.out 2>&1 || echo failed >> page.out;");
  const std::string said = read_work("page.out");
  EXPECT_THAT(said, Not(HasSubstr("failed")));
  EXPECT_THAT(said, HasSubstr("step 3 of: Count to three."));
  EXPECT_THAT(said, HasSubstr("promise kept"));
  EXPECT_THAT(said, HasSubstr("step.done  3"));
}

TEST_F(LoopTest, ThePagesModesAreThoseOfTheProgram) {
  const auto rows = rows_of(support::read_file(LOOP_PAGE), "Modes");
  EXPECT_EQ(7U, rows.size());
  for (const auto& row : rows) {
    const std::string options = row[1] == "–" ? "" : row[1];
    EXPECT_EQ(row[2],
              json_of("--set cli.pty_mode=" + row[0] + " loop --dry-run --json " + options)["mode"].string());
  }
}

TEST_F(LoopTest, ThePagesBackendsAreThoseOfTheProgram) {
  const auto rows = rows_of(support::read_file(LOOP_PAGE), "Backends");
  EXPECT_EQ(8U, rows.size());
  for (const auto& row : rows) {
    if (row[0] == "custom") continue;
    for (const auto& [option, cell] : {std::pair{"--no-pty", row[1]}, std::pair{"--pty", row[2]}}) {
      const auto plan = json_of("loop --dry-run --json -p P " + std::string(option) + " --backend " + row[0]);
      std::string command;
      for (const auto& word : plan["command"].array())
        command += (command.empty() ? "" : " ") + word.string();
      EXPECT_EQ(cell, command);
    }
  }
}

}  // namespace
}  // namespace cli
