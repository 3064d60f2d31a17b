// SPDX-License-Identifier: Apache-2.0
// ReplText: a text for a REPL, line by line as a person would type it, and its output in what comes back:
// what stands behind the echo of a line, in front of the prompt at which the program waits again. That it
// waits the kernel says, not the text. A prompt may have several lines, of which all but the last look like
// output: so behind a text that had some, a line that does nothing is typed, and what stands behind that is
// the prompt alone.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "exec/output.h"
#include "exec/program.h"

namespace exec {

class ReplText {
 public:
  static constexpr size_t kMostPrompt = 4096;

  // Fails for a text that cannot be typed there.
  static base::Result<ReplText> make(Repl repl, std::string_view text);

  // What to type first, and what after every settled() that says so.
  std::string next_line();

  void feed(std::string_view bytes, Output& out);

  enum class Step {
    type,    // the next line
    done,    // it is back at its prompt
    asks,    // it waits for something else
    strange  // the echo of what was typed did not come back
  };
  // It waits for input, with `line` in front of its cursor.
  Step settled(std::string_view line, Output& out);

  // Bytes that it keeps of what came.
  size_t memory() const { return held_.size() + seen_.size() + tail_.size(); }

 private:
  ReplText(Repl repl, std::vector<std::string> lines) : repl_(repl), lines_(std::move(lines)) {}
  void note_editor(std::string_view bytes);
  void find_echo();
  void drop_return();
  void give(Output& out);
  Step at_prompt(Output& out);

  Repl repl_;
  std::vector<std::string> lines_;
  size_t sent_ = 0;
  bool asks_for_prompt_ = false;
  Output prompt_{Keep::text, kMostPrompt};  // its lines but the last
  std::string echo_;                        // of the line under way, without its blanks
  std::string seen_;  // the end of what came, without its blanks, until that is the echo
  bool in_echo_ = true;
  std::string tail_;           // of the bytes that came last
  bool begun_ = false;         // the output of the line under way
  bool drops_return_ = false;  // the line editor's own, in front of it
  Output clean_{Keep::text, 0};
  std::string held_;  // text that is not given out: the line that may be a prompt
};

}  // namespace exec
