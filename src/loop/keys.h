// SPDX-License-Identifier: Apache-2.0
// Keys: where what is typed at a loop's terminal goes. The first Ctrl+C is the agent's; a second one within a
// second asks the loop to end; Ctrl+\ ends it at once. All else is the agent's. Both keys are known as bytes
// and as the keyboard protocols write them (CSI 99;5u, CSI 27;5;99~), also when a sequence comes in pieces:
// the first bytes of one that may become a reserved key are held back. A caller that has heard nothing for
// kHold while holding() hands them on with release(): then a person has typed Escape. What is pasted
// (bracketed paste) is never a reserved key.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace loop {

// The double Ctrl+C.
class CtrlC {
 public:
  static constexpr std::chrono::seconds kWindow{1};
  enum class Action { forward_and_start_window, terminate };

  // After `terminate` every further one within the window of the one before says so again: whoever presses
  // on is not answered with a Ctrl+C for an agent that is being ended.
  Action press(base::Moment now);

 private:
  std::optional<base::Moment> first_;
};

enum class Stop { none, terminate, kill };

struct Routed {
  std::string forward;     // for the agent
  Stop stop = Stop::none;  // what follows it; what was typed behind that is dropped
};

class Keys {
 public:
  static constexpr std::chrono::milliseconds kHold{50};
  // A paste whose end has not come by then was cut off: its keys must not stay without effect for ever.
  static constexpr std::chrono::seconds kPasteStall{3};

  Routed type(std::string_view bytes, base::Moment now);

  bool holding() const { return !held_.empty(); }
  // What was held back, for the agent.
  std::string release();

 private:
  enum class Key { other, ctrl_c, ctrl_backslash };
  static Key key_of(std::string_view sequence);
  Stop decide(Key key, base::Moment now);
  void note_paste(std::string_view sequence);

  CtrlC ctrl_c_;
  std::string held_;  // the first bytes of a sequence
  bool pasting_ = false;
  base::Moment typed_{};
};

}  // namespace loop
