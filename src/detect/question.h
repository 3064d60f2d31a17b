// SPDX-License-Identifier: Apache-2.0
// Reads off the screen what is asked there: at the line the cursor stands in, in a list with a pointer, in a
// box. It says nothing about whether anybody waits; that is the detector's to decide.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "detect/evidence.h"
#include "detect/patterns.h"
#include "detect/prompt.h"
#include "detect/view.h"

namespace detect {

struct Reading {
  // Always with excerpt and place. Without a match its type is unknown, and its question the line at the
  // cursor.
  Prompt prompt;
  bool asks = false;       // a pattern matched or a menu was found
  bool ends_open = false;  // the line at the cursor ends with a colon or a question mark
  bool full_screen = false;
  std::string_view idle = {};  // the agent whose empty input box this is
  // Questions that were printed behind this one before it was answered, in their order.
  std::vector<Prompt> later = {};
};

// What stands at or above row `answered` was answered already, and asks nothing any more.
Reading read_question(const View& view, const Evidence& evidence, const Patterns& patterns,
                      std::optional<uint64_t> answered = {});

}  // namespace detect
