// SPDX-License-Identifier: Apache-2.0
// tend loop up to the moment in which it starts: options, modes, dry runs, what is missing; and without a
// terminal.
#include <gmock/gmock.h>

#include "cli/newline_filter.h"
#include "loop_home.h"

namespace cli {
namespace {

using support::Terminal;
using testing::HasSubstr;
using testing::StartsWith;

struct ModeRow {
  const char* pty_mode;
  const char* options;
  const char* mode;
};
constexpr ModeRow kModes[] = {
    {"false", "", "headless"},         {"false", "--pty", "pty"}, {"false", "--pty --observe", "observe"},
    {"false", "--observe", "observe"}, {"true", "", "pty"},       {"true", "--observe", "observe"},
    {"true", "--no-pty", "headless"},
};

TEST_F(LoopTest, OptionsAndSettingsSelectTheMode) {
  for (const ModeRow& row : kModes) {
    const auto plan =
        json_of(std::string("--set cli.pty_mode=") + row.pty_mode + " loop --dry-run --json " + row.options);
    EXPECT_EQ(row.mode, plan["mode"].string()) << row.pty_mode << " " << row.options;
  }
  EXPECT_EQ("observe", json_of("--set cli.pty_mode=true --set cli.pty_interactive=false loop --dry-run "
                               "--json")["mode"]
                           .string());
  EXPECT_EQ("pty", json_of("--set cli.pty_interactive=false loop --pty --dry-run --json")["mode"].string());
}

TEST_F(LoopTest, OptionsThatContradictEachOtherAreRefused) {
  for (const char* options :
       {"--pty --no-pty", "--observe --no-pty", "-p a -P b", "--dry-run -d", "--json"}) {
    const Said said = says(std::string("loop ") + options);
    EXPECT_EQ(2, said.code) << options;
    EXPECT_THAT(said.err, StartsWith("tend: --")) << options;
  }
}

TEST_F(LoopTest, AWrongValueIsToldByTheOptionsName) {
  EXPECT_THAT(says("loop --idle-timeout soon").err, HasSubstr("--idle-timeout"));
  EXPECT_THAT(says("loop --backend nobody").err, HasSubstr("--backend"));
  EXPECT_THAT(says("loop --max-iterations 0").err, HasSubstr("--max-iterations"));
  EXPECT_THAT(says("loop --detach-key F1 --dry-run").err, HasSubstr("--detach-key"));
  EXPECT_EQ(2, says("loop -p ''").code);
  EXPECT_EQ(2, says("loop --idle-timeout -1").code);
}

TEST_F(LoopTest, OptionsGoBeforeTheSettings) {
  support::write_file(
      work_.file("tend.yml"),
      "cli: {idle_timeout_secs: 7}\nevent_loop: {prompt: from the file, max_iterations: 3}\n");
  auto plan = json_of("loop --dry-run --json");
  EXPECT_EQ("tend.yml:2", plan["prompt_from"].string());
  EXPECT_EQ(7, plan["idle_timeout_secs"].integer());
  plan = json_of(
      "loop --dry-run --json -P PROMPT.md --idle-timeout 0 --max-iterations 9 --completion-promise "
      "DONE --backend codex");
  EXPECT_EQ("PROMPT.md", plan["prompt_from"].string());
  EXPECT_EQ(0, plan["idle_timeout_secs"].integer());
  EXPECT_EQ(9, plan["max_iterations"].integer());
  EXPECT_EQ("DONE", plan["completion_promise"].string());
  EXPECT_EQ("codex", plan["command"][0].string());
}

TEST_F(LoopTest, AnyPromptSurvives) {
  const std::string prompt = "a: [b], {c}\n# \"d\" \\ 'e' %s\t&amp; ü – 日本\n\n- f: null\n";
  support::write_file(work_.file("given"), prompt);
  // The shell takes the newlines at the end away.
  const auto plan = json_of("loop --dry-run --json -p \"$(cat given; echo .)\"");
  EXPECT_EQ(prompt + ".", plan["command"].array().back().string());
}

TEST_F(LoopTest, WhatStandsBehindTheDashesIsForTheAgent) {
  const auto plan = json_of("loop --dry-run --json -p P -- --model '[big,small]' ls");
  std::string command;
  for (const auto& word : plan["command"].array()) command += word.string() + " ";
  EXPECT_EQ("claude --dangerously-skip-permissions --model [big,small] ls --print P ", command);
  const Said typo = says("loop lss");
  EXPECT_EQ(2, typo.code);
  EXPECT_THAT(typo.err, HasSubstr("lss"));
}

TEST_F(LoopTest, ALongPromptIsReadFromAFile) {
  support::write_file(work_.file("PROMPT.md"), std::string(7001, 'x'));
  const auto plan = json_of("loop --dry-run --json");
  EXPECT_THAT(plan["command"].array().back().string(), HasSubstr("/ID/prompt-0001.txt"));
  EXPECT_EQ(7001, plan["prompt_bytes"].integer());
}

TEST_F(LoopTest, ADryRunTellsAPersonEverythingAndStartsNothing) {
  agent("touch started");
  const Said said = says("loop --dry-run --pty --idle-timeout 0");
  EXPECT_EQ(0, said.code);
  EXPECT_EQ(
      "mode      pty\n"
      "backend   custom\n"
      "program   " +
          work_.file("agent.sh") +
          "\n"
          "command   ./agent.sh 'Do it.\n'\n"
          "prompt    PROMPT.md (7 B)\n"
          "promise   LOOP_COMPLETE (alone on its line)\n"
          "limits    100 iterations, 4 h, 5 failures in a row, never idle\n",
      said.out);
  EXPECT_FALSE(std::filesystem::exists(work_.file("started")));
  EXPECT_FALSE(std::filesystem::exists(home_.path() / "run")) << "not even a daemon";
}

TEST_F(LoopTest, AMissingProgramIsOneClearError) {
  const Said said = says("loop -p x --backend kiro", "PATH=/nowhere");
  EXPECT_EQ(1, said.code);
  EXPECT_EQ(
      "tend: cannot find the program kiro-cli, which the backend kiro runs; install it, choose another one "
      "with --backend, or set cli.command: No such file or directory\n",
      said.err);
  EXPECT_EQ("", said.out);
  EXPECT_EQ(2, says("loop -p x --backend custom").code) << "custom needs a command";
}

TEST_F(LoopTest, AMissingPromptIsOneClearError) {
  agent("true");
  std::filesystem::remove(work_.file("PROMPT.md"));
  const Said said = says("loop");
  EXPECT_EQ(2, said.code);
  EXPECT_EQ(
      "tend: there is no prompt: PROMPT.md cannot be read; write it there, or use --prompt TEXT or "
      "--prompt-file FILE\n",
      said.err);
}

TEST_F(LoopTest, TheExitCodeIsTheLoops) {
  agent("exit 0");
  EXPECT_EQ(5, says("loop --max-iterations 2").code);
  agent("exit 3");
  EXPECT_EQ(1, says("--set event_loop.max_consecutive_failures=2 loop").code);
  EXPECT_EQ("too many failures", newest()["state"].string());
}

TEST_F(LoopTest, SigintEndsALoopWithoutATerminal) {
  agent("echo ready; exec sleep 1000");
  Terminal terminal(shell("cd " + work_.path().string() +
                          "; \"$TEND\" loop > out 2> err & until grep -q ready out; do sleep 0.05; done; "
                          "kill -INT $!; wait $!; echo code $?"));
  EXPECT_TRUE(terminal.expect("code 130")) << terminal.output() << read_work("err");
  EXPECT_TRUE(is_in_state("interrupted"));
}

TEST_F(LoopTest, AReaderThatHasEnoughEndsTheLoop) {
  agent("while :; do echo y; done");
  Terminal terminal(
      shell("cd " + work_.path().string() + "; \"$TEND\" loop | head -3 > /dev/null; echo then"));
  EXPECT_TRUE(terminal.expect("then"));
  EXPECT_TRUE(is_in_state("stopped"));
  EXPECT_TRUE(no_keeper_is_left());
}

TEST_F(LoopTest, TheScriptOfTheDesignPasses) {
  std::filesystem::create_directory(work_.file("bin"));
  std::filesystem::create_symlink(TEND, work_.file("bin/tend"));
  const Said said =
      says("--version", "PATH=\"$PWD/bin:$PATH\" " LOOP_SCRIPT " > script.out 2>&1; echo $? > script.code;");
  EXPECT_EQ(0, said.code);
  EXPECT_EQ("0\n", read_work("script.code")) << read_work("script.out");
  EXPECT_THAT(read_work("script.out"), HasSubstr("=== All automated tests passed ==="));
}

TEST(NewlineFilter, TakesWhatTheTerminalHasAddedAndNothingElse) {
  const std::string whole = "a\r\nb\r\r\nc\rd\n\r\n\r";
  for (size_t cut = 0; cut <= whole.size(); cut++) {
    NewlineFilter filter;
    std::string first = whole.substr(0, cut);
    std::string second = whole.substr(cut);
    filter.take(first);
    filter.take(second);
    EXPECT_EQ("a\nb\r\nc\rd\n\n\r", first + second + filter.rest()) << cut;
  }
}

}  // namespace
}  // namespace cli
