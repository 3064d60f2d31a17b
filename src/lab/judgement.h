// SPDX-License-Identifier: Apache-2.0
// Judgement: what a detector made of a program, held against the truth. It does not matter whether the
// program ran or a recording of it was played.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "detect/detector.h"
#include "lab/corpus_case.h"
#include "lab/recording.h"

namespace lab {

// What a detector said in the course of one program.
struct Observation {
  struct Said {
    base::Duration at{};  // since the start
    detect::Change change;
  };
  std::vector<Said> said;
  detect::State state = detect::State::unknown;  // at the end
  std::optional<detect::Asked> asked;            // open at the end
  detect::Explanation why;
};

struct Judgement {
  detect::State state = detect::State::unknown;
  std::optional<detect::Asked> asked = {};
  bool event = false;   // there was a question after the point that matters
  bool routed = false;  // and the signals suffice to send it to a person without a doubt
  std::optional<base::Duration> latency = {};  // from the last byte that moved before it
  bool stall_rule = false;                     // what 300 ms without output would have called waiting
  std::string wrong = {};                      // the first thing that is, empty if nothing
  std::string rule = {};                       // why it is what it is

  bool right() const { return wrong.empty(); }
  bool stall_rule_right(const Truth& truth) const {
    return stall_rule == (truth.state == detect::State::waiting);
  }
};

Judgement judge(const CorpusCase& what, const Recording& recording, const Observation& observed);

// Plays a recording: the screen is fed, and looks are answered with what was recorded. One that the detector
// wants and nobody took is answered with the evidence that came last, if nothing has moved since.
Observation replay(const Recording& recording, const detect::Patterns& patterns);

}  // namespace lab
