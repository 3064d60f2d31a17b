// SPDX-License-Identifier: Apache-2.0
// TerminalInput: what comes from one terminal, taken apart: what a person types, and what the terminal itself
// answers to a program's questions (DA, CPR and DSR, DECRPM, window and colour reports, XTVERSION, keyboard
// flags …). Of several terminals at one PTY only one may answer; the answers of the others are taken out
// here. Pure: the owner of the time calls release() when something has been held for a moment.
//
// Only what may still become an answer is held, so that keys pass at once, but for ESC and what begins with
// it. What stands in a bracketed paste passes as it is.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace session {

// What becomes of a terminal's answers.
enum class Answers {
  pass,
  drop,
  // Also those that could be a key: a cursor in the first row is reported as F3 with Shift, Alt or Ctrl is
  // typed.
  drop_doubtful
};

class TerminalInput {
 public:
  // An answer longer than this is none. The longest that are usual are clipboards.
  static constexpr size_t kMost = 64 << 10;

  struct Taken {
    std::string bytes;   // for the program
    bool typed = false;  // there was something in it that is no answer
  };
  Taken take(std::string_view input, Answers answers);

  bool holds() const { return passed_ < held_.size(); }
  // What is held was no answer, or is too late for one.
  std::string release();

 private:
  enum class Verdict { partial, answer, typed };
  Verdict judge(Answers answers) const;
  Verdict judge_control(Answers answers) const;
  Verdict judge_string() const;
  void end_sequence(Verdict verdict, Answers answers, Taken& taken);
  size_t paste(std::string_view input);

  std::string held_;   // a sequence that is not complete
  size_t passed_ = 0;  // bytes of it that the program has already
  bool pasting_ = false;
  size_t paste_end_ = 0;  // bytes of the mark that ends a paste
};

}  // namespace session
