// SPDX-License-Identifier: Apache-2.0
// Every recording of tests/corpus/detect is a test: what the detector makes of it must be what is true.
#include "lab/corpus.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <ostream>

namespace lab {

// For gtest.
void PrintTo(const CorpusCase& what, std::ostream* to) { *to << what.name; }

namespace {

const std::string kFolder = DETECT_CORPUS;

std::vector<CorpusCase> cases() {
  auto loaded = load_cases(kFolder);
  if (!loaded) {
    ADD_FAILURE() << loaded.error().message();
    return {};
  }
  return std::move(*loaded);
}

class Corpus : public testing::TestWithParam<CorpusCase> {};

TEST_P(Corpus, IsUnderstood) {
  static const detect::Patterns kPatterns;
  const CorpusResult result = replay_case(kFolder, GetParam(), kPatterns);
  EXPECT_EQ(result.failed, "");
  EXPECT_EQ(result.judgement.wrong, "") << result.judgement.rule;
}

INSTANTIATE_TEST_SUITE_P(Programs, Corpus, testing::ValuesIn(cases()), [](const auto& tested) {
  std::string name = tested.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(CorpusFigures, AreWhatWasPromised) {
  const auto results = run_corpus({.folder = kFolder}, [](const CorpusResult&) {});
  ASSERT_TRUE(results);
  const Figures figures = add_up(*results);
  EXPECT_GE(figures.recall(), 0.98);
  EXPECT_GE(figures.precision(), 0.99);
  EXPECT_EQ(figures.failed, 0U);
}

TEST(CorpusCases, NameTheLineThatIsWrong) {
  const auto error = [](const std::string& text) {
    const auto parsed = parse_case(text, "case");
    return parsed ? "" : parsed.error().message();
  };
  EXPECT_EQ(error("command: [a]\ntruth: {state: waiting, type: YES_NO}\n"), "");
  EXPECT_EQ(error("command: [a]\ntruth: {state: asleep}\n"), "line 2: must be waiting, ready or working");
  EXPECT_EQ(error("command: [a]\ntruth: {state: waiting, type: MAYBE}\n"),
            "line 2: there is no type 'MAYBE'");
  EXPECT_EQ(error("command: [a]\nsize: large\ntruth: {state: ready}\n"), "line 2: must be COLUMNSxROWS");
  EXPECT_EQ(error("comand: [a]\n"), "line 1: there is no key 'comand'");
  EXPECT_EQ(error("truth: {state: ready}\n"), "line 1: has no command");
  EXPECT_EQ(error("command: [a]\ntruth: {state: ready, type: PAGER}\n"),
            "line 1: a type belongs to what waits, and only there");
}

Recording sample() {
  Recording recording{.size = {80, 24}, .events = {}};
  const auto at = [](int64_t time) { return std::chrono::microseconds(time); };
  const detect::Evidence evidence{.verdict = detect::Verdict::may_wait,
                                  .canonical = false,
                                  .echo = true,
                                  .reader = 1,
                                  .command = "tmux: client",
                                  .call = "poll",
                                  .timeout_ms = 250,
                                  .turns = 7,
                                  .cpu_ns = 12345,
                                  .sockets = 2,
                                  .relayed = true};
  using Kind = RecordedEvent::Kind;
  recording.events = {{.kind = Kind::output, .at = at(5), .bytes = "\x1b[1mé\\\r\n\t\x07"},
                      {.kind = Kind::output, .at = at(6), .bytes = "half \xC3"},
                      {.kind = Kind::input, .at = at(7), .bytes = " y\r"},
                      {.kind = Kind::look, .at = at(9), .begun = at(8), .evidence = evidence},
                      {.kind = Kind::point, .at = at(10)},
                      {.kind = Kind::note, .at = at(10), .bytes = "waiting"},
                      {.kind = Kind::end, .at = at(20)}};
  return recording;
}

TEST(Recordings, AreReadAsTheyWereWritten) {
  const std::string text = write_recording(sample());
  const auto read = parse_recording(text);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(write_recording(*read), text);
  ASSERT_EQ(read->events.size(), 7U);
  EXPECT_EQ(read->events[0].bytes, "\x1b[1mé\\\r\n\t\x07");
  EXPECT_EQ(read->events[1].bytes, "half \xC3");
  EXPECT_EQ(read->events[2].bytes, " y\r");
  EXPECT_EQ(read->events[3].evidence, sample().events[3].evidence);
  EXPECT_EQ(read->point(), std::chrono::microseconds(10));
}

TEST(Recordings, NameTheLineThatIsWrong) {
  for (const std::string line :
       {"x out a", "5", "5 shout a", "5 out \\q", "5 look 4 sleeps", "5 look 4 waits x=1"}) {
    const auto read = parse_recording("tend-watch 1 80 24\n1 out a\n" + line + "\n");
    ASSERT_FALSE(read) << line;
    EXPECT_EQ(read.error().message(), "line 3 of the recording is wrong");
  }
  EXPECT_FALSE(parse_recording("something else\n"));
  EXPECT_FALSE(parse_recording(""));
}

TEST(Recordings, OfAFloodKeepBeginningEndAndPoint) {
  Recording recording{.size = {80, 24}, .events = {}};
  for (int i = 0; i < 100; i++) {
    const auto at = std::chrono::microseconds(i);
    recording.events.push_back({.kind = RecordedEvent::Kind::output, .at = at, .bytes = "0123456789"});
    if (i == 50) recording.events.push_back({.kind = RecordedEvent::Kind::point, .at = at});
  }
  cut_middle(recording, 100, 50);
  size_t kept = 0;
  uint64_t cut = 0;
  for (const RecordedEvent& each : recording.events) {
    kept += each.bytes.size();
    cut += each.count;
  }
  EXPECT_EQ(kept, 150U);
  EXPECT_EQ(cut, 850U);
  EXPECT_EQ(recording.point(), std::chrono::microseconds(50));
  EXPECT_TRUE(parse_recording(write_recording(recording)));
}

}  // namespace
}  // namespace lab
