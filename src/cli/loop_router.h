// SPDX-License-Identifier: Apache-2.0
// LoopRouter: where the keys of a terminal at a loop go. To an agent that runs, but for the two keys that end
// the loop (loop/keys.h); to the runner's terminal, and then only those, while no agent runs or none has a
// keyboard.
#pragma once
#include <string>
#include <string_view>

#include "base/clock.h"
#include "cli/attachment.h"
#include "loop/keys.h"

namespace cli {

// What the runner's terminal takes for the two keys.
inline constexpr std::string_view kInterruptKey = "\x03";
inline constexpr std::string_view kQuitKey = "\x1c";

class LoopRouter {
 public:
  enum class Keyboard { of_agent, cut_off, of_runner };

  LoopRouter(Keyboard keyboard, const base::Clock& clock) : keyboard_(keyboard), clock_(clock) {}

  // `runs`: there is an agent now.
  Routed route(std::string_view keys, bool runs);
  // What was held back: nothing has made a key of the loop's of it.
  std::string release(bool runs);

 private:
  bool has_ctrl_c(std::string_view keys);

  Keyboard keyboard_;
  const base::Clock& clock_;
  loop::Keys keys_;
  std::string recent_;  // the end of what was typed before: a key may come in pieces
};

}  // namespace cli
