// SPDX-License-Identifier: Apache-2.0
// The table of command lines, row by row as the specification has it.
#include "loop/backend.h"

#include <gtest/gtest.h>

namespace {

using config::Backend;
using loop::invocation;
using loop::Mode;
using loop::shell_words;

config::Cli settings(Backend backend) {
  config::Cli cli;
  cli.backend = backend;
  return cli;
}

std::string line(const config::Cli& cli, Mode mode, const std::vector<std::string>& extra = {}) {
  const auto made = invocation(cli, mode, "P", extra);
  return made ? shell_words(made->argv) : made.error().message();
}

struct Row {
  Backend backend;
  std::string headless;
  std::string pty;
};

TEST(Backend, LinesAreThoseOfTheTable) {
  const Row rows[] = {
      {Backend::claude, "claude --dangerously-skip-permissions --print P",
       "claude --dangerously-skip-permissions P"},
      {Backend::codex, "codex exec --yolo P", "codex --yolo P"},
      {Backend::gemini, "gemini --yolo -p P", "gemini --yolo -i P"},
      {Backend::kiro, "kiro-cli chat --no-interactive --trust-all-tools P",
       "kiro-cli chat --trust-all-tools P"},
      {Backend::amp, "amp --dangerously-allow-all -x P", "amp --dangerously-allow-all -x P"},
      {Backend::copilot, "copilot --allow-all-tools -p P", "copilot --allow-all-tools -p P"},
      {Backend::opencode, "opencode run P", "opencode --prompt P"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(line(settings(row.backend), Mode::headless), row.headless);
    EXPECT_EQ(line(settings(row.backend), Mode::interactive), row.pty);
    EXPECT_EQ(line(settings(row.backend), Mode::observe), row.pty);
  }
}

TEST(Backend, ArgumentsStandBehindTheFixedOnesAndBeforeThePromptsFlag) {
  config::Cli cli = settings(Backend::claude);
  cli.args = {"--model", "opus"};
  EXPECT_EQ(line(cli, Mode::headless, {"--verbose"}),
            "claude --dangerously-skip-permissions --model opus --verbose --print P");
  EXPECT_EQ(line(cli, Mode::observe, {"--verbose"}),
            "claude --dangerously-skip-permissions --model opus --verbose P");
  cli.backend = Backend::gemini;
  EXPECT_EQ(line(cli, Mode::interactive), "gemini --yolo --model opus -i P");
}

TEST(Backend, CommandTakesThePlaceOfTheProgramsName) {
  config::Cli cli = settings(Backend::codex);
  cli.command = "/opt/codex next/bin/codex";
  EXPECT_EQ(loop::program_of(cli).value(), *cli.command);
  EXPECT_EQ(line(cli, Mode::headless), "'/opt/codex next/bin/codex' exec --yolo P");
}

TEST(Backend, CustomIsWhatTheSettingsSay) {
  config::Cli cli = settings(Backend::custom);
  cli.command = "agent";
  cli.args = {"-v"};
  EXPECT_EQ(line(cli, Mode::headless), "agent -v P");
  cli.prompt_flag = "--task";
  EXPECT_EQ(line(cli, Mode::interactive, {"-q"}), "agent -v -q --task P");
}

TEST(Backend, CustomWithoutACommandIsAnError) {
  EXPECT_EQ(loop::program_of(settings(Backend::custom)).error().code, base::Code::invalid_param);
  EXPECT_FALSE(invocation(settings(Backend::custom), Mode::headless, "P", {}));
}

TEST(Backend, APromptForTheStandardInputIsNoArgument) {
  config::Cli cli = settings(Backend::custom);
  cli.command = "agent";
  cli.prompt_flag = "--task";
  cli.prompt_mode = config::PromptMode::stdin_text;
  const auto made = invocation(cli, Mode::headless, "do\nit", {});
  EXPECT_EQ(shell_words(made->argv), "agent");
  EXPECT_EQ(made->input, "do\nit");

  cli.backend = Backend::gemini;
  cli.command = {};
  EXPECT_EQ(line(cli, Mode::headless), "gemini --yolo");
  // Without its --print it would want a terminal.
  cli.backend = Backend::claude;
  EXPECT_EQ(line(cli, Mode::headless), "claude --dangerously-skip-permissions --print");
}

TEST(Backend, APromptIsHandedOverAsItIs) {
  const std::string prompt = "- first\n- it's \"quoted\" $HOME\n";
  const auto made = invocation(settings(Backend::codex), Mode::headless, prompt, {});
  EXPECT_EQ(made->argv.back(), prompt);
  EXPECT_TRUE(made->input.empty());
  EXPECT_EQ(shell_words({"a b", "it's", "c"}), "'a b' 'it'\\''s' c");
}

TEST(Backend, ALongPromptsRequestNamesTheFile) {
  const std::string request = loop::request_to_read("/state/loops/x/prompt-0001.md");
  EXPECT_NE(request.find("/state/loops/x/prompt-0001.md"), std::string::npos);
  EXPECT_LT(request.size(), loop::kLongestPrompt);
}

TEST(Backend, NamesAreThoseOfTheSetting) {
  EXPECT_EQ(loop::name_of(Backend::claude), "claude");
  EXPECT_EQ(loop::name_of(Backend::kiro), "kiro");
  EXPECT_EQ(loop::name_of(Backend::custom), "custom");
}

}  // namespace
