// SPDX-License-Identifier: Apache-2.0
// tend lab: the list, the runs, what they print and how they end.
#include <csignal>
#include <gmock/gmock.h>

#include "session_home.h"

namespace cli {
namespace {

using support::Json;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

class Lab : public SessionTest {};

// Daemons and channels have their home in the environment, keepers on the command line.
bool somebody_names(const std::string& path) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    for (const char* name : {"environ", "cmdline"}) {
      if (support::read_file(entry.path() / name).find(path) != std::string::npos) return true;
    }
  }
  return false;
}

TEST_F(Lab, ListsItsScenarios) {
  const Said said = says("lab list");
  EXPECT_EQ(0, said.code);
  EXPECT_EQ("", said.err);
  EXPECT_THAT(said.out, StartsWith("tend Prompt Lab — Registered Scenarios\n\nQA ID   Name  "));
  EXPECT_THAT(said.out, HasSubstr("\nQA-001  PartialLinePromptScenario   linux     registered\n"));
  EXPECT_THAT(said.out, HasSubstr("\n\n25 scenarios registered. Run with: tend lab run --all\n"));
}

TEST_F(Lab, ListsThemAsJson) {
  const Json list = json_of("lab list --json")["scenarios"];
  ASSERT_EQ(25U, list.array().size());
  EXPECT_EQ("QA-001", list.array()[0]["id"].string());
  EXPECT_NE("", list.array()[0]["description"].string());
}

TEST_F(Lab, RunsOneByNumberOrName) {
  for (const char* word : {"QA-002", "qa-002", "ANSIRedrawScenario"}) {
    const Said said = says(std::string("lab run ") + word);
    EXPECT_EQ(0, said.code) << said.out;
    EXPECT_THAT(said.out, MatchesRegex("QA-002   ANSIRedrawScenario   PASS   [0-9]+ ms\n"));
    EXPECT_EQ("", said.err);
  }
}

TEST_F(Lab, PlaysTheServiceOfAChannelItself) {
  const Said said = says("lab run QA-022 --verbose");
  EXPECT_EQ(0, said.code) << said.out;
  EXPECT_THAT(said.out, HasSubstr("  ok   answers that were written, in the audit: 1\n"));
}

TEST_F(Lab, ShowsChecksAndEvidenceWhenAsked) {
  const Said said = says("lab run QA-002 --verbose");
  EXPECT_EQ(0, said.code);
  EXPECT_THAT(said.out, HasSubstr("  ok   main screen: type: YES_NO\n"));
  EXPECT_THAT(said.out, HasSubstr("look: waits, sh in read"));
  EXPECT_THAT(said.out, HasSubstr("asked: question 1, YES_NO"));
}

TEST_F(Lab, GivesEverythingAsJson) {
  const Json report = json_of("lab run QA-002 QA-006 --json");
  EXPECT_EQ(2, report["passed"].integer());
  EXPECT_EQ(0, report["failed"].integer());
  const Json first = report["scenarios"].array().at(0);
  EXPECT_EQ("QA-002", first["id"].string());
  EXPECT_TRUE(first["passed"].boolean());
  EXPECT_EQ("main screen: type", first["checks"].array().at(0)["name"].string());
  EXPECT_EQ("YES_NO", first["checks"].array().at(0)["expected"].string());
  EXPECT_EQ("YES_NO", first["checks"].array().at(0)["actual"].string());
  EXPECT_FALSE(first["log"].array().empty());
}

TEST_F(Lab, FailsWithWhatWasSeen) {
  // Without the right to open descriptors there is no terminal. Whatever the test was started with is closed
  // first.
  const Said said =
      says("lab run QA-002", "for n in 3 4 5 6 7 8 9; do eval \"exec $n>&-\"; done; ulimit -n 4;");
  EXPECT_EQ(1, said.code) << said.out;
  EXPECT_THAT(said.out, HasSubstr("FAIL"));
  EXPECT_THAT(said.out, HasSubstr("expected started\n"));
  EXPECT_THAT(said.out, HasSubstr("was      cannot "));
}

TEST_F(Lab, KnowsNoOtherScenario) {
  const Said said = says("lab run QA-999");
  EXPECT_EQ(2, said.code);
  EXPECT_EQ("", said.out);
  EXPECT_EQ("tend: there is no scenario 'QA-999'; 'tend lab list' shows them all\n", said.err);
  EXPECT_EQ(2, says("lab run QA-002 QA-999").code) << "nothing runs";
}

TEST_F(Lab, WantsToKnowWhich) {
  for (const char* words : {"lab run", "lab run --all QA-001"}) {
    const Said said = says(words);
    EXPECT_EQ(2, said.code);
    EXPECT_EQ("tend: name a scenario, or --all; 'tend lab list' shows them all\n", said.err);
  }
}

TEST_F(Lab, ShowsAPersonHowFarItIs) {
  support::Terminal terminal(tend({"lab", "run", "QA-002"}));
  EXPECT_TRUE(terminal.expect("QA-002   ANSIRedrawScenario   …"));
  EXPECT_TRUE(terminal.expect("\x1b[32mPASS\x1b[0m"));
  EXPECT_EQ(0, terminal.wait_exit());
}

TEST_F(Lab, CtrlCEndsItAndLeavesNothing) {
  support::Terminal terminal(tend({"lab", "run", "QA-018"}));
  ASSERT_TRUE(terminal.expect("OutputFloodScenario"));
  const std::string children =
      "/proc/" + std::to_string(terminal.pid()) + "/task/" + std::to_string(terminal.pid()) + "/children";
  std::string found;
  ASSERT_TRUE(support::wait_until([&] { return !(found = support::read_file(children)).empty(); }));
  const int child = std::stoi(found);
  terminal.type("\x03");
  const auto status = terminal.wait_exit();
  ASSERT_TRUE(status);
  EXPECT_EQ(130, WEXITSTATUS(*status));
  EXPECT_THAT(terminal.output(), HasSubstr("tend: interrupted"));
  EXPECT_EQ(-1, ::kill(child, 0));
}

TEST_F(Lab, CtrlCEndsTheDaemonOfAChannelAndRemovesItsHome) {
  support::Start start = tend({"lab", "run", "QA-025"});
  start.env["TMPDIR"] = work_.path().string();
  support::Terminal terminal(start);
  const auto there = [&](const std::string& name) {
    for (const auto& home : std::filesystem::directory_iterator(work_.path())) {
      if (std::filesystem::exists(home.path() / name)) return true;
    }
    return false;
  };
  ASSERT_TRUE(support::wait_until([&] { return there("run/tend.sock"); }));
  EXPECT_TRUE(somebody_names(work_.path().string()));
  terminal.type("\x03");
  const auto status = terminal.wait_exit();
  ASSERT_TRUE(status);
  EXPECT_EQ(130, WEXITSTATUS(*status));
  EXPECT_THAT(terminal.output(), HasSubstr("tend: interrupted"));
  EXPECT_TRUE(std::filesystem::is_empty(work_.path()));
  EXPECT_TRUE(support::wait_until([&] { return !somebody_names(work_.path().string()); }));
}

}  // namespace
}  // namespace cli
