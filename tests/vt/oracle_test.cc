// SPDX-License-Identifier: Apache-2.0
// vt::Screen and xterm.js are fed the same chunks and must show the same: cells, attributes, cursor, modes,
// scrollback, titles, replies. Over the recordings of real programs, at many points of each, and over random
// sequences.
#include "oracle.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "differences.h"
#include "random_sequence.h"
#include "screen_view.h"
#include "sequences.h"
#include "shrink.h"

namespace vt_test {
namespace {

// What our Screen shows where the oracle is asked.
std::vector<View> play(const Job& job) {
  Player player(job.recording.cols, job.recording.rows, job.scrollback);
  std::vector<View> views;
  for (size_t i = 0; i < job.recording.events.size(); i++) {
    player.play(job.recording.events[i]);
    if (std::ranges::find(job.looks, i) != job.looks.end()) views.push_back(player.view(Scrollback::without));
  }
  views.push_back(player.view(Scrollback::with));
  return views;
}

struct Found {
  size_t look = 0;         // in Job::looks, or their number for the end
  std::string difference;  // empty if there is none
};

Found first_difference(const Job& job, Answer theirs) {
  if (!theirs.error.empty()) return {job.looks.size(), "xterm.js threw: " + theirs.error};
  std::vector<View> ours = play(job);
  for (size_t i = 0; i < theirs.views.size(); i++) {
    accept_known_differences(ours[i], theirs.views[i]);
    std::string difference = vt_test::difference(ours[i], theirs.views[i]);
    if (!difference.empty()) return {i, std::move(difference)};
  }
  return {};
}

std::vector<Found> compare(Oracle& oracle, std::span<const Job> jobs) {
  std::vector<Answer> answers = oracle.run(jobs);
  std::vector<Found> found;
  found.reserve(jobs.size());
  for (size_t i = 0; i < jobs.size(); i++) found.push_back(first_difference(jobs[i], std::move(answers[i])));
  return found;
}

// Up to the first number: while it stays the same, a shrunk recording shows the same difference and not
// another.
std::string_view kind(std::string_view difference) {
  return difference.substr(0, difference.find_first_of("0123456789:"));
}

// The smallest recording that can be found on which they differ, and how.
std::string explain(Oracle& oracle, const Job& job, const Found& found) {
  Job smaller = job;
  if (found.look < job.looks.size()) smaller.recording.events.resize(job.looks[found.look] + 1);
  smaller.looks.clear();
  const Fails fails = [&](std::span<const Recording> recordings) {
    std::vector<Job> jobs;
    for (const Recording& recording : recordings) jobs.push_back({recording, job.scrollback});
    std::vector<bool> answers;
    for (const Found& each : compare(oracle, jobs))
      answers.push_back(!each.difference.empty() && kind(each.difference) == kind(found.difference));
    return answers;
  };
  smaller.recording = shrink(smaller.recording, fails);
  const Found last = compare(oracle, {&smaller, 1})[0];
  return fmt::format("{}: {}\nsmallest case: {}{}\n", job.recording.name, found.difference,
                     describe(smaller.recording), last.difference);
}

// Behind every mark and before every resize, and else so often that no screen of a program goes by unseen.
std::vector<size_t> places_to_look(const Recording& recording) {
  constexpr size_t kMost = 60;
  const size_t step = std::max<size_t>(1, recording.events.size() / kMost);
  std::vector<size_t> looks;
  for (size_t i = 0; i < recording.events.size(); i++) {
    const bool before_resize =
        i + 1 < recording.events.size() && recording.events[i + 1].kind == Event::Kind::resize;
    if (i % step == 0 || before_resize || recording.events[i].kind != Event::Kind::output) looks.push_back(i);
  }
  return looks;
}

class OracleCorpus : public testing::TestWithParam<std::string> {};

TEST_P(OracleCorpus, ShowsTheSameAsXtermJs) {
  Oracle oracle;
  const Recording recording = load_recording(GetParam());
  const Job job{.recording = recording, .scrollback = 1000, .looks = places_to_look(recording)};
  const Found found = compare(oracle, {&job, 1})[0];
  if (!found.difference.empty()) ADD_FAILURE() << explain(oracle, job, found);
}

INSTANTIATE_TEST_SUITE_P(Recordings, OracleCorpus, testing::ValuesIn(recording_names()),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// TEND_SEEDS=FIRST-LAST tries others.
struct Seeds {
  uint64_t first = 1;
  uint64_t last = 20'000;
};

Seeds seeds() {
  Seeds result;
  if (const char* wanted = std::getenv("TEND_SEEDS"))
    if (std::sscanf(wanted, "%lu-%lu", &result.first, &result.last) == 1) result.last = result.first;
  return result;
}

void compare_random(Recording (*make)(uint64_t)) {
  constexpr uint64_t kBatch = 200;
  constexpr int kMostFailures = 5;
  Oracle oracle;
  const auto [first, last] = seeds();
  int failures = 0;
  for (uint64_t seed = first; seed <= last && failures < kMostFailures; seed += kBatch) {
    std::vector<Job> jobs;
    for (uint64_t s = seed; s <= std::min(last, seed + kBatch - 1); s++)
      jobs.push_back({.recording = make(s), .scrollback = s % 4 == 0 ? size_t{8} : size_t{1000}});
    const std::vector<Found> found = compare(oracle, jobs);
    for (size_t i = 0; i < jobs.size() && failures < kMostFailures; i++) {
      if (found[i].difference.empty()) continue;
      failures++;
      ADD_FAILURE() << explain(oracle, jobs[i], found[i]);
    }
  }
}

TEST(Oracle, ShowsTheSameAsXtermJsForRandomSequences) { compare_random(random_recording); }

// From the grammar of the laws, which is smaller but was made without looking at xterm.js.
Recording law_recording(uint64_t seed) {
  RandomSequence random(seed, Grammar::agreed);
  Recording recording{.name = fmt::format("law seed {}", seed),
                      .cols = 2 + static_cast<int>(random.number(40)),
                      .rows = 2 + static_cast<int>(random.number(10)),
                      .events = {}};
  for (uint32_t left = 5 + random.number(60); left > 0; left--)
    recording.events.push_back({.bytes = random.make(1)});
  return recording;
}

TEST(Oracle, ShowsTheSameAsXtermJsForTheSequencesOfTheLaws) { compare_random(law_recording); }

}  // namespace
}  // namespace vt_test
