// SPDX-License-Identifier: Apache-2.0
// Promise: whether the agent has made its promise, in the lines that were seen. It counts alone on its line,
// behind bullets and box borders, not inside an event tag, and not in the echo of the prompt; or, with
// `anywhere`, wherever the text appears.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace loop {

// A line without the bullets and borders around its text.
std::string_view bare_line(std::string_view line);

class Promise {
 public:
  Promise(std::string promise, config::PromiseMatch match, std::string_view prompt);

  // `in_event`: the line is part of an event tag.
  void line(std::string_view line, bool in_event);
  bool made() const { return made_; }

 private:
  bool echoed(std::string_view line) const;

  std::string promise_;
  config::PromiseMatch match_;
  std::vector<std::string> prompt_lines_;
  std::string before_;  // the line that was seen before
  bool made_ = false;
};

}  // namespace loop
