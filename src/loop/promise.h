// SPDX-License-Identifier: Apache-2.0
// Promise: whether the agent has made its promise, in the lines that were seen. It counts alone on its line,
// behind bullets and box borders, not inside an event tag, and not in the echo of the prompt; or, with
// `anywhere`, wherever the text appears.
//
// A prompt that has the promise on a line of its own ("when all is done, print this line:") is shown by most
// agents before they begin. A promise is taken for that echo when what was seen before it is what stands
// before it in the prompt, however that was wrapped and indented. Blank lines and borders are passed over.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "loop/bare_line.h"

namespace loop {

class Promise {
 public:
  Promise(std::string_view promise, config::PromiseMatch match, std::string_view prompt);

  // `in_event`: the line is part of an event tag.
  void line(std::string_view line, bool in_event);
  bool made() const { return made_; }

 private:
  // Where the prompt has the promise: what stands before it there.
  struct Place {
    std::string line;  // the line before it
    std::string text;  // the last of all the text before it, without blanks
  };

  void read_prompt(std::string_view prompt);
  bool is_promise(std::string_view line) const;
  bool echoed();
  void remember(std::string_view bare);

  std::string promise_;
  config::PromiseMatch match_;
  std::vector<Place> places_;
  bool begins_prompt_ = false;
  std::string before_;  // the line that was seen before
  std::string text_;    // the last of what was seen, without blanks
  bool made_ = false;
};

}  // namespace loop
