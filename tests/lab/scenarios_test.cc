// SPDX-License-Identifier: Apache-2.0
// Every scenario of the Prompt Lab holds, and each fails where the detector, or the way to people and back,
// is broken in a way that it is there to notice.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

#include "base/fd.h"
#include "lab/scenario.h"

namespace lab {
namespace {

Conditions usual() { return {.tend = TEND}; }

std::string seen(const Outcome& outcome) {
  std::string text;
  for (const Check& each : outcome.checks) {
    if (!each.passed)
      text += fmt::format("{}\n  expected {}\n  was      {}\n", each.name, each.expected, each.actual);
  }
  for (const std::string& line : outcome.log) text += line + "\n";
  return text;
}

std::string id_of(const testing::TestParamInfo<Scenario>& about) {
  std::string id(about.param.id);
  std::erase(id, '-');
  return id;
}

class Scenarios : public testing::TestWithParam<Scenario> {};

// Nobody knows what else runs here. How quick it is when nothing does, `tend lab run` tells, and bench/
// measures.
TEST_P(Scenarios, Holds) {
  Conditions conditions = usual();
  conditions.patience = 10;
  const Outcome outcome = run(GetParam(), conditions);
  EXPECT_TRUE(outcome.passed()) << seen(outcome);
  EXPECT_LT(2U, outcome.checks.size());
  EXPECT_FALSE(outcome.log.empty());
}

INSTANTIATE_TEST_SUITE_P(Lab, Scenarios, testing::ValuesIn(scenarios().begin(), scenarios().end()), id_of);

// A detector that is broken in one way, and who must notice.
struct Breakage {
  const char* name;
  void (*apply)(Conditions&);
  std::set<std::string_view> noticed_by;
};

// What is left of a table whose rows have gone elsewhere.
const detect::Patterns& no_patterns() {
  static const detect::Patterns kNone = [] {
    detect::Patterns rows;
    const detect::Patterns elsewhere = std::move(rows);
    return rows;
  }();
  return kNone;
}

void show_as(detect::Evidence& evidence, detect::Verdict verdict) {
  evidence.verdict = verdict;
  if (verdict == detect::Verdict::busy) evidence.reader = 0;
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

void lose(std::string& said, std::string_view what) {
  if (said.find(what) != std::string::npos) said = "{}";
}

const std::vector<Breakage>& breakages() {
  static const std::vector<Breakage> kAll{
      {"EverybodyWaits",
       [](Conditions& how) {
         how.veil = [](detect::Evidence& evidence) { show_as(evidence, detect::Verdict::waits); };
       },
       {"QA-001", "QA-003", "QA-004", "QA-018", "QA-019", "QA-021"}},
      {"NobodyWaits",
       [](Conditions& how) {
         how.veil = [](detect::Evidence& evidence) { show_as(evidence, detect::Verdict::busy); };
       },
       {"QA-002", "QA-006"}},
      {"TheKernelIsNotAsked",
       [](Conditions& how) {
         how.veil = [](detect::Evidence& evidence) { show_as(evidence, detect::Verdict::unknown); };
       },
       {"QA-001", "QA-003", "QA-004", "QA-021"}},
      {"NoPattern", [](Conditions& how) { how.patterns = &no_patterns(); }, {"QA-007", "QA-008"}},
      {"NoEchoWindow", [](Conditions& how) { how.settings.echo_window = {}; }, {"QA-019"}},
      {"ShortStall",
       [](Conditions& how) { how.settings.stuck_timeout = std::chrono::milliseconds(500); },
       {"QA-004"}},
      {"OneLineIsSeen",
       [](Conditions& how) { how.settings.horizon = {.lines = 0, .bytes = 0}; },
       {"QA-005", "QA-006"}},
      {"EchoIsNotSeen",
       [](Conditions& how) { how.veil = [](detect::Evidence& evidence) { evidence.echo = true; }; },
       {"QA-009"}},
      {"LinesAreAlwaysGathered",
       [](Conditions& how) { how.veil = [](detect::Evidence& evidence) { evidence.canonical = true; }; },
       {"QA-008"}},
      {"AStrangerMayAnswer",
       [](Conditions& how) {
         how.forge = [](std::string& config) { replace_all(config, "[U1]", "[U1, U9]"); };
       },
       {"QA-012"}},
      {"OneOfTwoIsAsked",
       [](Conditions& how) {
         how.forge = [](std::string& config) { replace_all(config, "[U1, U2]", "[U1]"); };
       },
       {"QA-014"}},
      {"NobodyIsAsked",
       [](Conditions& how) {
         how.forge = [](std::string& config) {
           replace_all(config, "api_url: http://127.0.0.1:", "api_url: http://127.0.0.1:1/");
         };
       },
       {"QA-010", "QA-015"}},
      {"TapsAreLost",
       [](Conditions& how) { how.garble = [](std::string& said) { lose(said, "block_actions"); }; },
       {"QA-010", "QA-016", "QA-017", "QA-022"}},
      {"TapsAreAllTheSame",
       [](Conditions& how) {
         // As if a button carried no prompt: the first that was pressed is pressed for ever.
         how.garble = [first = std::string()](std::string& said) mutable {
           if (first.empty()) first = said;
           said = first;
         };
       },
       {"QA-014", "QA-023"}},
      {"WordsAreLost",
       [](Conditions& how) { how.garble = [](std::string& said) { lose(said, "events_api"); }; },
       {"QA-011", "QA-013", "QA-025"}},
      {"AnotherEntryIsMeant",
       [](Conditions& how) {
         how.garble = [](std::string& said) { replace_all(said, "No, exit", "Yes, I trust it"); };
       },
       {"QA-026"}},
      {"ThreadsAreLost",
       [](Conditions& how) {
         how.garble = [](std::string& said) { replace_all(said, "thread_ts", "thread"); };
       },
       {"QA-013", "QA-024"}},
  };
  return kAll;
}

TEST(BrokenDetectors, EveryScenarioIsThereToNoticeOne) {
  for (const Scenario& scenario : scenarios()) {
    EXPECT_TRUE(std::any_of(breakages().begin(), breakages().end(), [&](const Breakage& each) {
      return each.noticed_by.contains(scenario.id);
    })) << scenario.id;
  }
}

class BrokenDetectors : public testing::TestWithParam<Breakage> {};

TEST_P(BrokenDetectors, AreNoticed) {
  Conditions broken = usual();
  // What is broken is not waited for; what works takes a tenth of that.
  broken.deadline = std::chrono::seconds(3);
  GetParam().apply(broken);
  for (const std::string_view id : GetParam().noticed_by) {
    // But for those whose subject is a wait.
    if (id == "QA-015" || id == "QA-025") broken.deadline = std::chrono::seconds(12);
    const Outcome outcome = run(*find_scenario(id), broken);
    EXPECT_FALSE(outcome.passed()) << id << " holds, whatever the detector does";
    EXPECT_FALSE(outcome.checks.empty()) << id;
  }
}

INSTANTIATE_TEST_SUITE_P(Lab, BrokenDetectors, testing::ValuesIn(breakages()),
                         [](const auto& about) { return about.param.name; });

TEST(ScenarioTable, FindsByNumberAndName) {
  ASSERT_NE(nullptr, find_scenario("QA-004"));
  EXPECT_EQ(find_scenario("QA-004"), find_scenario("qa-004"));
  EXPECT_EQ(find_scenario("QA-004"), find_scenario("SilentBlockScenario"));
  EXPECT_EQ(nullptr, find_scenario("QA-999"));
  EXPECT_EQ(nullptr, find_scenario(""));
}

TEST(ScenarioTable, IsInOrderAndHasNothingTwice) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < scenarios().size(); i++) {
    const Scenario& each = scenarios()[i];
    EXPECT_TRUE(i == 0 || scenarios()[i - 1].id < each.id) << each.id;
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_FALSE(each.description.empty()) << each.id;
  }
}

TEST(StoppedScenarios, ProveNothing) {
  auto pipe = base::make_pipe();
  ASSERT_TRUE(pipe);
  ASSERT_EQ(1, ::write(pipe->write_end.get(), "x", 1));
  Conditions conditions = usual();
  conditions.stop = pipe->read_end.get();
  for (const Scenario& each : scenarios()) {
    const Outcome outcome = run(each, conditions);
    EXPECT_TRUE(outcome.stopped) << each.id;
    EXPECT_FALSE(outcome.passed()) << each.id;
  }
}

TEST(MissingPrograms, AreFailuresThatSaySo) {
  const Outcome outcome = run(*find_scenario("QA-004"), {.tend = "/nonexistent/tend"});
  ASSERT_EQ(1U, outcome.checks.size());
  EXPECT_FALSE(outcome.passed());
  EXPECT_NE(std::string::npos, outcome.checks[0].actual.find("/nonexistent/tend"))
      << outcome.checks[0].actual;
}

}  // namespace
}  // namespace lab
