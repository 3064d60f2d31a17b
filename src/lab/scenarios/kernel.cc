// SPDX-License-Identifier: Apache-2.0
// QA-004, QA-018: what only the kernel knows, and how soon.
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <unistd.h>

#include "lab/scenarios/all.h"
#include "lab/slip.h"

namespace lab {
namespace {

using base::Duration;
using std::chrono::milliseconds;

constexpr Duration kSoon = milliseconds(200);  // the seed's figure

Duration median(std::vector<Duration> all) {
  std::sort(all.begin(), all.end());
  return all.empty() ? Duration::zero() : all[all.size() / 2];
}

// From the moment that the program stamped, right before its read, to the event.
Duration delay(const Stage& stage, const Slip& slip) {
  const auto times = slip.times();
  for (const Happening& each : stage.happenings()) {
    if (each.change.kind == detect::Change::Kind::asked && !times.empty()) return each.at - times.back();
  }
  return Duration(-1);
}

// Resident memory of this process in bytes.
size_t memory() {
  std::ifstream file("/proc/self/statm");
  size_t size = 0;
  size_t resident = 0;
  file >> size >> resident;
  return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

struct Flood {
  std::string_view how;
  uint64_t bytes;
  uint64_t rate;
};

struct AfterFlood {
  bool whole = false;
  Duration delay{};
  Duration writing{};
  size_t growth = 0;  // of this process's memory, at its highest
};

AfterFlood play(Trial& trial, const Flood& flood) {
  const auto named = [&](std::string_view what) { return fmt::format("{}: {}", flood.how, what); };
  AfterFlood after;
  const Slip slip;
  const size_t before = memory();
  Stage* stage =
      trial.start_part({"flood", slip.path(), std::to_string(flood.bytes), std::to_string(flood.rate)});
  if (stage == nullptr) return after;
  const base::Moment begun = stage->now();
  size_t early = 0;
  const auto observed = [&] {
    after.growth = std::max(after.growth, std::max(memory(), before) - before);
    if (slip.times().empty()) early = stage->asked().size();
    return stage->detector().asked().has_value() && !slip.times().empty();
  };
  if (!trial.reach(named("the question behind it is asked"), *stage, observed)) return after;
  after.writing = slip.times().empty() ? Duration::zero() : slip.times().back() - begun;
  after.delay = delay(*stage, slip);
  trial.expect(named("questions during the flood"), 0, early);
  trial.expect(named("questions after it"), 1, stage->asked().size());
  trial.expect(named("the question"), "Continue? (y/n)", stage->asked()[0].prompt.question);
  trial.expect(named("type"), "YES_NO", detect::name_of(stage->asked()[0].prompt.type));
  stage->type("y\r");
  trial.reach(named("the answer arrives"), *stage, [&] { return stage->ended().has_value(); });
  after.whole = true;
  return after;
}

}  // namespace

void silent_block(Trial& trial) {
  std::vector<Duration> delays;
  // It works before it reads, so that it does so between any two looks.
  for (const int work : {0, 0, 2, 4, 10, 15, 30, 60, 90}) {
    const Slip slip;
    Slip gate;
    Stage* stage = trial.start_part({"silent", slip.path(), gate.path(), std::to_string(work)});
    if (stage == nullptr) return;
    // How long a program takes to come up says nothing about the detector.
    if (!trial.await("the program is up", [&] { return !slip.times().empty(); })) return;
    gate.open_gate();
    if (!trial.reach_question(*stage, 1)) return;
    delays.push_back(delay(*stage, slip));
    trial.expect_below(fmt::format("{} ms of work: from block to event", work), kSoon, delays.back());
    const detect::Asked asked = stage->asked()[0];
    trial.expect("bytes of output", 0, stage->output_bytes());
    trial.expect("patterns that matched", 0, asked.prompt.matches.size());
    trial.expect("type", "UNKNOWN", detect::name_of(asked.prompt.type));
    trial.expect("what is asked is not known", 1, static_cast<int>(asked.ambiguous));
    trial.expect("the kernel's verdict", "waits", detect::name_of(asked.why.evidence->verdict));
    trial.expect("the call that blocks", "read", asked.why.evidence->call);
    stage->type("anything\r");
    trial.reach("the program gets its line", *stage, [&] { return stage->ended().has_value(); });
    trial.expect("questions in all", 1, stage->asked().size());
  }
  trial.figure("block to event, median", median(delays));
  trial.figure("block to event, longest", *std::max_element(delays.begin(), delays.end()));

  // Where the kernel may not be asked, silence has to do: two seconds of it, and not less.
  Rehearsal refused = trial.rehearse();
  const detect::Evidence unseen{.verdict = detect::Verdict::unknown, .command = "sudo", .refused = 1};
  refused.passes(milliseconds(1999), unseen);
  trial.expect("unseen, silent for 1.999 s: questions", 0, refused.asked().size());
  refused.passes(milliseconds(2), unseen);
  trial.expect("unseen, silent for 2.001 s: questions", 1, refused.asked().size());
}

void output_flood(Trial& trial) {
  constexpr size_t kMostGrowth = 16 << 20;
  // A moment of luck, or of another program, should not decide: of three, the one in the middle.
  std::vector<Duration> without;
  std::vector<Duration> with;
  for (int i = 0; i < 3; i++) {
    const AfterFlood none = play(trial, {"no flood", 0, 0});
    const AfterFlood full = none.whole ? play(trial, {"full speed", 16 << 20, 0}) : AfterFlood{};
    if (!full.whole) return;
    without.push_back(none.delay);
    with.push_back(full.delay);
    trial.expect_below("full speed: from block to event", kSoon, full.delay);
    trial.expect("full speed: memory stays bounded", "below 16 MiB more",
                 full.growth < kMostGrowth ? "below 16 MiB more" : fmt::format("{} bytes more", full.growth));
    if (i > 0) continue;
    trial.figure("full speed: memory", static_cast<double>(full.growth) / (1 << 20), "MiB");
    trial.figure("full speed", 16 / std::chrono::duration<double>(full.writing).count(), "MiB/s");
  }
  trial.expect_below("full speed: later than without a flood", milliseconds(50),
                     std::max(median(with) - median(without), Duration::zero()));

  const AfterFlood paced = play(trial, {"2 MB/s", 5'000'000, 2'000'000});
  if (!paced.whole) return;
  trial.expect_below("2 MB/s: from block to event", kSoon, paced.delay);
  trial.expect("2 MB/s: memory stays bounded", "below 16 MiB more",
               paced.growth < kMostGrowth ? "below 16 MiB more" : fmt::format("{} bytes more", paced.growth));
  // Slower would be a terminal that holds its program up.
  trial.expect_below("2 MB/s: written in", milliseconds(3500), paced.writing);
  trial.figure("no flood: block to event, median", median(without));
  trial.figure("full speed: block to event, median", median(with));
  trial.figure("2 MB/s: block to event", paced.delay);
  trial.figure("2 MB/s: memory", static_cast<double>(paced.growth) / (1 << 20), "MiB");
}

}  // namespace lab
