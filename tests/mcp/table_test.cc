// SPDX-License-Identifier: Apache-2.0
// The table of tools, without a server: what it says holds together, and docs/mcp.md says the same.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <set>

#include "base/strings.h"
#include "mcp/arguments.h"
#include "mcp/help.h"
#include "mcp/line_reader.h"
#include "mcp/result.h"
#include "mcp/schema.h"
#include "mcp/tool.h"
#include "support/temp_dir.h"

namespace mcp {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

TEST(Table, HasTheToolsOfTheSpecificationAndNoOther) {
  std::vector<std::string_view> names;
  for (const Tool& each : tools()) names.push_back(each.name);
  EXPECT_THAT(
      names, testing::UnorderedElementsAre("pty_spawn", "pty_write", "pty_read", "pty_run", "pty_resize",
                                           "pty_kill", "pty_list", "pty_screen", "pty_wait", "pty_send_keys",
                                           "prompt_list", "prompt_answer", "inbox_send", "inbox_list",
                                           "inbox_claim", "inbox_done", "evidence_capture", "help", "k_pty"));
  for (const Action& each : actions()) EXPECT_NE(nullptr, find_tool(each.tool)) << each.name;
}

TEST(Table, ThePageHasARowForEveryTool) {
  const std::string page = support::read_file(MCP_PAGE);
  size_t rows = 0;
  for (const std::string_view line : base::split(page, '\n'))
    if (line.starts_with("| `") && line.find("` | ") != std::string_view::npos) rows++;
  EXPECT_EQ(rows, tools().size());
  for (const Tool& tool : tools()) {
    std::string takes;
    for (const Argument& each : tool.takes) {
      takes += takes.empty() ? "" : ", ";
      takes += fmt::format(
          each.param.need == wire::Need::required ? fmt::runtime("**`{}`**") : fmt::runtime("`{}`"),
          each.param.name);
    }
    EXPECT_THAT(page, HasSubstr(fmt::format("| `{}` | {} | {} |", tool.name, tool.title, takes)));
  }
}

TEST(Table, TheSnippetsOfThePageAreJsonThatStartsTend) {
  const std::string page = support::read_file(MCP_PAGE);
  int snippets = 0;
  for (size_t at = page.find("```json\n"); at != std::string::npos; at = page.find("```json\n", at + 1)) {
    const std::string text = page.substr(at + 8, page.find("```", at + 8) - at - 8);
    boost::system::error_code wrong;
    const json::value value = json::parse(text, wrong);
    EXPECT_FALSE(wrong) << text;
    EXPECT_THAT(json::serialize(value), testing::AllOf(HasSubstr("\"tend\""), HasSubstr("\"mcp\"]")));
    snippets++;
  }
  EXPECT_EQ(3, snippets);
}

TEST(Table, EverySchemaIsWhole) {
  for (const Tool& tool : tools()) {
    const json::object about = describe(tool);
    const json::object& input = about.at("inputSchema").as_object();
    EXPECT_EQ(input.at("properties").as_object().size(), tool.takes.size()) << tool.name;
    for (const auto& each : input.at("properties").as_object())
      EXPECT_FALSE(each.value().at("description").as_string().empty()) << tool.name;
    EXPECT_EQ(about.at("outputSchema").at("type").as_string(), "object");
    EXPECT_FALSE(tool.hints.read_only && tool.hints.destructive) << tool.name;
    EXPECT_THAT(help_text(tool.name), HasSubstr(std::string(tool.help)));
  }
}

TEST(Arguments, AreWhatTheSchemaSays) {
  const Tool& resize = *find_tool("pty_resize");
  const auto checked = check_arguments(resize, {{"session", "a"}, {"cols", 80.0}, {"rows", 24}});
  ASSERT_TRUE(checked);
  EXPECT_EQ(checked->at("cols").as_int64(), 80);
  EXPECT_FALSE(check_arguments(resize, {{"session", "a"}, {"cols", 80.5}, {"rows", 24}}));
  EXPECT_FALSE(check_arguments(*find_tool("pty_wait"), {{"session", "a"}, {"until", "dawn"}}));
}

TEST(Text, KeepsTheNewestCharacters) {
  const auto kept = [](std::string text, size_t most) {
    const size_t left_out = keep_newest(text, most);
    return std::pair(text, left_out);
  };
  EXPECT_EQ(kept("abc", 3), std::pair(std::string("abc"), size_t{0}));
  EXPECT_EQ(kept("aäb", 2), std::pair(std::string("äb"), size_t{1}));
  EXPECT_EQ(kept("", 2), std::pair(std::string(), size_t{0}));
  EXPECT_EQ(kept("日本語", 1), std::pair(std::string("語"), size_t{2}));
}

TEST(Lines, ComeOutAsTheyWentInWhateverThePieces) {
  const std::string all = "one\n\ntwo\nthree";
  for (size_t piece = 1; piece <= all.size(); piece++) {
    LineReader reader;
    std::vector<std::string> lines;
    for (size_t at = 0; at < all.size(); at += piece) {
      reader.append(std::string_view(all).substr(at, piece));
      while (auto line = reader.next()) lines.push_back(line->text);
    }
    EXPECT_THAT(lines, testing::ElementsAre("one", "", "two"));
    EXPECT_EQ("three", reader.rest()->text);
    EXPECT_FALSE(reader.rest());
  }
}

TEST(Lines, OneThatIsTooLongIsToldOnceAndTheNextOneIsRead) {
  LineReader reader;
  int refused = 0;
  const std::string piece(100'000, 'x');
  for (int i = 0; i < 100; i++) {
    reader.append(piece);
    while (auto line = reader.next()) refused += line->kind == Line::Kind::too_long ? 1 : 0;
  }
  EXPECT_EQ(1, refused);
  reader.append("\nnext\n");
  EXPECT_EQ("next", reader.next()->text);
  reader.append(std::string(kMostLine + 1, 'x') + "\n" + std::string(kMostLine, 'y') + "\n");
  EXPECT_EQ(Line::Kind::too_long, reader.next()->kind);
  EXPECT_EQ(kMostLine, reader.next()->text.size());
  EXPECT_FALSE(reader.next());
}

}  // namespace
}  // namespace mcp
