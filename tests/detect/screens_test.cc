// SPDX-License-Identifier: Apache-2.0
// What is read off the screens of real programs (tests/corpus/vt), at the points that are marked there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detect/question.h"
#include "recording.h"

namespace {

using detect::Type;

struct Case {
  std::string recording;
  std::string mark;
  Type type = Type::unknown;  // unknown: nothing is asked
  std::string question = {};  // its beginning
  std::vector<std::string> choices = {};
  std::string command = {};
  std::string idle = {};
};

std::string name_of_case(const testing::TestParamInfo<Case>& each) {
  std::string name = each.param.recording + "_" + each.param.mark;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

detect::Reading read_at(const Case& each) {
  static const detect::Patterns patterns;
  const auto recording = vt_test::load_recording(each.recording);
  vt::Screen screen({recording.cols, recording.rows});
  for (const auto& event : recording.events) {
    if (event.kind == vt_test::Event::Kind::output) screen.feed(event.bytes);
    if (event.kind == vt_test::Event::Kind::resize) screen.resize({event.cols, event.rows});
    if (event.kind == vt_test::Event::Kind::mark && event.bytes == each.mark) break;
  }
  const detect::Evidence evidence{
      .verdict = detect::Verdict::may_wait, .canonical = false, .echo = false, .command = each.command};
  return detect::read_question(detect::View::of(screen, {}), evidence, patterns);
}

class Screens : public testing::TestWithParam<Case> {};

TEST_P(Screens, AreReadAsAPersonReadsThem) {
  const Case& each = GetParam();
  const auto reading = read_at(each);
  EXPECT_EQ(reading.asks, each.type != Type::unknown);
  EXPECT_EQ(name_of(reading.prompt.type), name_of(each.type));
  EXPECT_EQ(reading.idle, each.idle);
  if (each.type == Type::unknown) return;
  EXPECT_THAT(reading.prompt.question, testing::StartsWith(each.question));
  std::vector<std::string> labels;
  for (const auto& choice : reading.prompt.choices) labels.push_back(choice.label);
  EXPECT_EQ(labels, each.choices);
}

INSTANTIATE_TEST_SUITE_P(
    Corpus, Screens,
    testing::Values(Case{"claude-code",
                         "first",
                         Type::multiple_choice,
                         "Quick safety check: Is this a project you created",
                         {"Yes, I trust this folder", "No, exit"}},
                    Case{.recording = "claude-code", .mark = "prompt", .idle = "claude"},
                    Case{"codex",
                         "first",
                         Type::multiple_choice,
                         "Choose how you want to use Codex.",
                         {"Sign in with ChatGPT", "Sign in with Device Code", "Use an OpenAI API key",
                          "Use Amazon Bedrock"}},
                    Case{"codex",
                         "moved",
                         Type::multiple_choice,
                         "Choose how you want to use Codex.",
                         {"Sign in with ChatGPT", "Sign in with Device Code", "Use an OpenAI API key",
                          "Use Amazon Bedrock"}},
                    Case{"gemini-cli",
                         "first",
                         Type::multiple_choice,
                         "Do you trust the files in this folder?",
                         {"Trust folder (hello)", "Trust parent folder (demo)", "Don't trust"}},
                    Case{"gemini-cli",
                         "moved",
                         Type::multiple_choice,
                         "Do you trust the files in this folder?",
                         {"Trust folder (hello)", "Trust parent folder (demo)", "Don't trust"}},
                    Case{.recording = "opencode", .mark = "first", .idle = "opencode"},
                    Case{"git-add-p",
                         "second",
                         Type::yes_no,
                         "(2/2) Stage this hunk",
                         {"Yes", "No", "q", "a", "d", "K", "g", "/", "e", "?"}},
                    Case{"whiptail",
                         "menu",
                         Type::multiple_choice,
                         "What shall be done?",
                         {"a Add a thing", "r Remove it", "l List all", "q Quit"}},
                    Case{"whiptail", "message", Type::confirm_enter, "All is done.", {"Ok"}},
                    Case{"dialog",
                         "menu",
                         Type::multiple_choice,
                         "What shall be done?",
                         {"a  Add a thing", "r  Remove it", "l  List all"}},
                    Case{"less", "end", Type::pager, "(END)"},
                    Case{"man", "search", Type::pager, "Manual page printf(1)"},
                    Case{"git-log", "second", Type::pager, "(END)"},
                    Case{.recording = "vim-edit", .mark = "visual", .command = "vim"},
                    Case{.recording = "vim-split", .mark = "split", .command = "vim"},
                    Case{.recording = "nano", .mark = "edit", .command = "nano"},
                    Case{.recording = "htop", .mark = "main", .command = "htop"},
                    Case{.recording = "htop-resize", .mark = "small", .command = "htop"},
                    Case{.recording = "top", .mark = "main", .command = "top"},
                    Case{.recording = "emacs", .mark = "region", .command = "emacs"},
                    Case{.recording = "mc", .mark = "panels", .command = "mc"},
                    Case{.recording = "bash", .mark = "wide"}, Case{.recording = "cargo", .mark = "errors"},
                    Case{.recording = "watch", .mark = "running"}),
    name_of_case);

}  // namespace
