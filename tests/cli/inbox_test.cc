// SPDX-License-Identifier: Apache-2.0
// tend inbox and tend evidence on the real program.
#include <algorithm>
#include <gmock/gmock.h>

#include "base/strings.h"
#include "session_home.h"

namespace cli {
namespace {

using support::Json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class InboxTest : public SessionTest {
 protected:
  std::string line_of(const std::string& arguments, const std::string& before = "") const {
    const Said said = says(arguments, before);
    EXPECT_EQ(0, said.code) << arguments << "\n" << said.err;
    return said.out.substr(0, said.out.find('\n'));
  }
};

TEST_F(InboxTest, AMessageIsSentClaimedAndDone) {
  EXPECT_EQ("the inbox is empty\n", says("inbox").err);
  const std::string id =
      line_of("inbox send --as lead --to worker --subject 'run the tests' --body 'all of them'");
  const Said list = says("inbox");
  EXPECT_THAT(list.out, HasSubstr("SUBJECT"));
  EXPECT_THAT(list.out, HasSubstr("run the tests"));
  EXPECT_THAT(list.out, HasSubstr("open"));
  EXPECT_EQ("there is nothing to claim\n", says("inbox claim --as other").err);
  EXPECT_EQ("null\n", says("inbox claim --as other --json").out);
  const Said claimed = says("inbox claim", "TEND_AGENT_ID=worker");
  EXPECT_THAT(claimed.out, HasSubstr(id));
  EXPECT_THAT(claimed.out, HasSubstr("\n\nall of them\n"));
  const Said refused = says("inbox done --as other " + id);
  EXPECT_EQ(2, refused.code);
  EXPECT_THAT(refused.err, HasSubstr("is claimed by worker"));
  EXPECT_EQ(0, says("inbox done --as worker --result green " + id).code);
  const Json done = json_of("inbox list --state done --json");
  ASSERT_EQ(1U, done.array().size());
  EXPECT_EQ("green", done[0]["result"].string());
  EXPECT_EQ("worker", done[0]["claimed_by"].string());
  EXPECT_THAT(says("events").out, HasSubstr("inbox.done       " + id + "  worker  run the tests"));
}

TEST_F(InboxTest, AnAnswerComesFromStandardInputAndStandsInTheThread) {
  const std::string id = line_of("inbox send --body question");
  const std::string answer = line_of("inbox send --body - --thread " + id, "printf 'two\\nlines' |");
  const Json thread = json_of("inbox --thread " + id + " --json");
  ASSERT_EQ(2U, thread.array().size());
  EXPECT_EQ(answer, thread[1]["id"].string());
  EXPECT_EQ("two\nlines", thread[1]["body"].string());
}

TEST_F(InboxTest, WhatOthersWroteDoesNothingToTheTerminal) {
  line_of("inbox send --body \"$(printf 'a\\033]0;evil\\007b\\tc')\"");
  const Said claimed = says("inbox claim");
  EXPECT_THAT(claimed.out, Not(HasSubstr("\033")));
  EXPECT_THAT(claimed.out, HasSubstr("a^[]0;evil^Gb\tc"));
}

TEST_F(InboxTest, EvidenceIsCapturedShownAndAttached) {
  start_cat("api");
  const std::string thread = line_of("inbox send --body look");
  const std::string id = line_of("evidence capture api --note 'it hangs' --thread " + thread);
  const Said shown = says("evidence show " + id);
  EXPECT_EQ(0, shown.code) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("it hangs"));
  EXPECT_THAT(shown.out, HasSubstr("screen before\n  ready\n"));
  const Json pack = json_of("evidence show --json " + id);
  EXPECT_EQ("capture", pack["action"].string());
  EXPECT_EQ(id, json_of("inbox --json")[0]["evidence"][0].string());
  EXPECT_THAT(says("evidence").out, HasSubstr(id));
  EXPECT_EQ(1U, json_of("evidence list --session api --json").array().size());
  EXPECT_EQ(0U, json_of("evidence --session other --json").array().size());
  line_of("inbox send --body see --evidence " + id);
  EXPECT_EQ(2, says("inbox send --body see --evidence nothing").code);
  EXPECT_EQ(2, says("evidence show nothing").code);
  EXPECT_EQ(3, says("evidence capture nobody").code);
}

TEST_F(InboxTest, EvidenceIsExportedOnceAndNeverOverWhatIsThere) {
  const std::string git = "git -c user.name=t -c user.email=t@localhost ";
  support::write_file(work_.file("a.txt"), "one\n");
  ASSERT_EQ(
      0, says("ls", git + "init -q; " + git + "add a.txt; " + git + "commit -qm x; echo two > a.txt;").code);
  start_cat("api");
  const std::string id = line_of("evidence capture api");
  EXPECT_EQ("evidence-" + id, line_of("evidence export " + id));
  const std::string folder = work_.file("evidence-" + id);
  EXPECT_EQ("ready\n", support::read_file(folder + "/before.txt"));
  EXPECT_THAT(support::read_file(folder + "/before.svg"), StartsWith("<svg"));
  EXPECT_THAT(support::read_file(folder + "/diff.patch"), HasSubstr("-one\n+two\n"));
  EXPECT_EQ(id, Json::parse(support::read_file(folder + "/pack.json"))["evidence_id"].string());
  EXPECT_FALSE(std::filesystem::exists(folder + "/sent.bin"));
  const Said again = says("evidence export " + id);
  EXPECT_EQ(2, again.code);
  EXPECT_THAT(again.err, HasSubstr("is there already"));
  EXPECT_EQ(0, says("evidence export -o other --json " + id).code);
  EXPECT_THAT(says("evidence show --diff " + id).out, HasSubstr("  +two\n"));
}

// Every command of the page, in its order; what it prints is kept in the variables that it names.
TEST_F(InboxTest, TheExamplesOfThePageWork) {
  const std::string page = support::read_file(INBOX_PAGE);
  std::string script = "set -e; tend() { \"$TEND\" \"$@\"; }\n";
  int blocks = 0;
  for (size_t at = page.find("```sh\n"); at != std::string::npos; at = page.find("```sh\n", at)) {
    at += 6;
    script += page.substr(at, page.find("```", at) - at);
    blocks++;
  }
  EXPECT_EQ(2, blocks);
  support::write_file(work_.file("page.sh"), script);
  const Said said = says("--version", "bash page.sh > page.out 2>&1 ||  echo failed >> page.out;");
  EXPECT_EQ(0, said.code);
  EXPECT_THAT(support::read_file(work_.file("page.out")), Not(HasSubstr("failed")));
}

}  // namespace
}  // namespace cli
