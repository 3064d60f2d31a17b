// SPDX-License-Identifier: Apache-2.0
// Lines: what a person could read on the agent's screen, line by line, as it was drawn. A line is taken when
// the program turns away from it (the cursor leaves its row, the row is erased or scrolls, the screen is
// switched, or nothing follows), so that none is missed that only stood there for a moment, and a row that is
// drawn again as it was is not taken again. Rows that were wrapped are joined.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "vt/line.h"
#include "vt/screen.h"

namespace loop {

class Lines {
 public:
  using Take = std::function<void(std::string_view line)>;

  Lines(vt::Size size, Take take);
  ~Lines();
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  void feed(std::string_view bytes);
  // The same for output of a pipe, in which a line ends with a newline alone.
  void feed_plain(std::string_view bytes);
  void resize(vt::Size size);
  // Nothing follows, for now: what stands in the cursor's row counts.
  void pause();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace loop
