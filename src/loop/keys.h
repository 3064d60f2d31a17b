// SPDX-License-Identifier: Apache-2.0
// Keys: where what is typed at a loop's terminal goes. The first Ctrl+C is the agent's; a second one within a
// second asks the loop to end; Ctrl+\ ends it at once. All else is the agent's. Both keys are known as bytes
// and as the keyboard protocols write them (CSI 99;5u, CSI 27;5;99~), also when a sequence comes in pieces.
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
  Routed type(std::string_view bytes, base::Moment now);

 private:
  CtrlC ctrl_c_;
};

}  // namespace loop
