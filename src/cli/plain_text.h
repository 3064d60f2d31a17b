// SPDX-License-Identifier: Apache-2.0
// PlainText: what a program wrote to its terminal as lines of text. Colours, titles and the like are left
// out; what rewrites the line it stands in (a progress bar) leaves the line as it looked at its end; a jump
// to another row begins a new line. Bytes may come in any pieces.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

class PlainText {
 public:
  // The lines that are complete now, each with its newline.
  std::string feed(std::string_view bytes);

  // What stands in the line that is not complete, and was not given out yet: for whoever looks on while the
  // program waits behind a question.
  std::string unfinished();

  // The end: the rest, with a newline if it has something.
  std::string finish();

 private:
  enum class State { text, escape, intermediate, control, string, string_escape };

  void take(char c);
  void take_text(char c);
  void take_control(char final);
  void put(std::string character);
  void move_to(size_t column);
  void change(size_t from);
  void end_line();
  int parameter(int usual) const;

  State state_ = State::text;
  std::string parameters_;
  std::string partial_;             // of a character whose rest is to come
  size_t partial_length_ = 0;       // bytes of it when it is whole
  std::vector<std::string> cells_;  // characters of the line
  size_t column_ = 0;
  size_t given_ = 0;        // cells of the line that unfinished() gave out
  bool rewritten_ = false;  // one of them has changed since
  std::string lines_;
};

}  // namespace cli
