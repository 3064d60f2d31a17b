// SPDX-License-Identifier: Apache-2.0
// Detector: whether a program waits for a person, and what it asks. It is told what moves (output, input),
// fed with what the kernel shows when it asks for a look, and reads the screen then; it makes no system call
// and knows no time but what it is told. Its owner asks next() for the moment of the next look, takes one,
// and hands it to looked().
//
// How it decides:
//   waits     certain: `waiting`, at once. A shell at its own prompt, an agent at its empty box and a program
//             of the whole screen that asks nothing are `ready` instead
//   may wait  half of the evidence: `waiting` if the screen has stood still and shows a question, `ready` if
//             it shows none
//   busy      certain: `working`, whatever stands on the screen
//   unknown   where it is not allowed to look: the pattern alone, or silence and a pattern
// A question gives one prompt however often it is drawn; asked again behind an answer it gives another.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "detect/evidence.h"
#include "detect/patterns.h"
#include "detect/prompt.h"
#include "detect/question.h"
#include "detect/schedule.h"
#include "detect/view.h"
#include "vt/screen.h"

namespace detect {

enum class State : uint8_t { working, waiting, ready, exited, unknown };
std::string_view name_of(State state);

struct Settings {
  base::Duration stuck_timeout = std::chrono::seconds(2);
  base::Duration echo_window = std::chrono::milliseconds(500);
  Horizon horizon;
  double high_threshold = 0.85;
  double med_threshold = 0.60;
};

// Confidences of the three signals, 0 where one says nothing.
struct Signals {
  double pattern = 0;
  double kernel = 0;
  double time = 0;
};

// Why the state is what it is.
struct Explanation {
  State state = State::unknown;
  std::string rule;  // a sentence
  Signals signals;
  std::optional<Evidence> evidence = {};
  std::vector<Match> matches;
  base::Duration quiet{};  // since the last byte, when the evidence was taken
};

// A question that waits for its answer.
struct Asked {
  uint64_t number = 0;  // counts from 1
  Prompt prompt;
  double confidence = 0;   // of all signals together
  bool ambiguous = false;  // that somebody waits is known, or likely; what for is not
  base::Moment since{};
  Explanation why;
};

struct Change {
  enum class Kind { state, asked, left };
  Kind kind = Kind::state;
  State state = State::unknown;     // now
  std::optional<Asked> asked = {};  // which came or left
  bool answered = false;            // it left because something was typed, or injected
};

class Detector {
 public:
  Detector(const Settings& settings, const Patterns& patterns);

  // What moves.
  void output(base::Moment now);
  // Bytes for the program, from a person at a terminal or from an answer.
  void input(base::Moment now, std::string_view bytes);
  // The program took input.
  void taken(base::Moment now);
  // Output comes without a pause that a look would fit into.
  void flowing(base::Moment now);
  void resized(base::Moment now);
  // Found again by a new daemon: what stands on the screen may have been answered before, but for the last
  // question.
  void recovered(base::Moment now, const vt::Screen& screen);
  void exited(base::Moment now);
  // What was typed was no answer: the open question waits for one still.
  void reopen() {
    answered_at_.reset();
    answered_row_.reset();
  }

  // When a look is wanted, nothing if none is.
  std::optional<base::Moment> next() const { return schedule_.next(); }
  // A look that was begun at `begun`. What moved since makes it worthless, and it is taken again: then it
  // gives false.
  bool looked(base::Moment begun, base::Moment now, const Evidence& evidence, const vt::Screen& screen);

  State state() const { return state_; }
  const std::optional<Asked>& asked() const { return asked_; }
  // Questions that stand behind the open one.
  size_t later() const { return later_.size(); }
  const Explanation& why() const { return why_; }
  // It waits, or is ready, and nothing has moved since that was found.
  bool settled() const { return (state_ == State::waiting || state_ == State::ready) && !schedule_.next(); }
  // Something was typed, and neither sent nor given up.
  bool line_is_open() const { return edits_line_; }

  // What has changed since the last call.
  std::vector<Change> take_changes() { return std::exchange(changes_, {}); }

 private:
  void decide_waits(base::Moment now, const Evidence& evidence);
  void decide_may_wait(base::Moment now, const Evidence& evidence);
  void decide_both(base::Moment now, const Evidence& evidence);
  void decide_unknown(base::Moment now, const Evidence& evidence);
  void decide_busy(std::string_view rule);
  const Reading& read(const Evidence& evidence);
  bool keeps_cpu_busy(base::Moment now, const Evidence& evidence) const;
  void ask(base::Moment now, Prompt prompt, const Signals& signals, std::string_view rule);
  void close(bool answered);
  bool in_echo_window(base::Moment now) const;
  bool still_stands(const Prompt& prompt) const;
  bool read_has_ended() const;
  void settle(State state, std::string_view rule, const Signals& signals);
  void explain(State state, std::string_view rule, const Signals& signals);

  struct Cpu {
    base::Moment at{};
    uint64_t ns = 0;
  };

  Settings settings_;
  const Patterns& patterns_;
  Schedule schedule_;
  State state_ = State::working;
  Explanation why_;
  std::optional<Asked> asked_;
  std::optional<Prompt> last_;  // what was asked before, and answered
  std::vector<Prompt> later_;
  uint64_t count_ = 0;
  std::optional<base::Moment> answered_at_;
  std::optional<uint64_t> answered_row_;
  base::Moment last_output_{};
  bool edits_line_ = false;  // something was typed, and no Enter behind it
  std::optional<Cpu> cpu_;
  Verdict last_verdict_ = Verdict::unknown;
  std::optional<Reading> reading_;
  std::vector<Change> changes_;
  const vt::Screen* screen_ = nullptr;  // during looked() alone
};

}  // namespace detect
