// SPDX-License-Identifier: Apache-2.0
// InputFilter: what a browser types on its way to an agent. Ctrl+D, Ctrl+\, the words that end an agent with
// their Enter, and the user's own sequences are taken out; a second Ctrl+C soon after the first is, too. The
// beginning of something that may be taken out waits for the next byte or for a while, and then passes, but
// is not forgotten. What passes is the same for every way of cutting the input into pieces.
//
// Driven from outside: take() with what comes, release() when due() has come.
#pragma once
#include <array>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "filter/automaton.h"
#include "filter/key_decoder.h"
#include "filter/typed_line.h"

namespace filter {

// What whoever typed it is shown.
constexpr std::string_view kWarning =
    "\r\n\x1b[1;33m\xe2\x9a\xa0  Blocked from web. Use local terminal to exit.\x1b[0m\r\n";

// Where the built-in words count: as the whole line, or at its end whatever stands before.
enum class Anchor { line, anywhere };

struct Rules {
  std::vector<std::string> sequences = {};  // bytes; none of them empty
  Anchor anchor = Anchor::line;
  base::Duration partial_hold = std::chrono::milliseconds(500);  // 0: nothing waits
  base::Duration ctrl_c_debounce = std::chrono::milliseconds(500);
};

struct Filtered {
  std::string bytes;       // that pass now
  uint32_t blocked = 0;    // sequences that were taken out
  uint32_t debounced = 0;  // Ctrl+C that came too soon
};

class InputFilter {
 public:
  // A lone Esc may be the beginning of a key that is written as a sequence, but nobody should wait for it
  // long.
  static constexpr std::chrono::milliseconds kEscapeHold{50};

  explicit InputFilter(const Rules& rules);

  Filtered take(std::string_view bytes, base::Moment now);
  // When what is held has waited long enough; nothing: nothing is held.
  std::optional<base::Moment> due() const;
  // What has waited until now.
  Filtered release(base::Moment now);

 private:
  struct Held {
    Symbol symbol;
    Automaton::State before;  // of the automaton
  };

  InputFilter(Rules rules, const std::vector<std::string>& sequences);

  size_t plain_run(std::string_view bytes) const;
  Automaton::State state_behind(std::string_view plain) const;
  std::string_view take_plain(std::string_view bytes, std::string& passed);
  void take_symbol(Symbol symbol, base::Moment now, Filtered& result);
  size_t blocked_line(const Symbol& symbol) const;
  void take_out(size_t count, Filtered& result);
  void settle(std::string& passed);
  void pass_first(std::string& passed);
  void end_escape(base::Moment now, Filtered& result);
  size_t word_held() const;
  TypedLine line_with_held() const;

  Rules rules_;
  Automaton automaton_;
  std::array<bool, 256> plain_{};  // ends nothing among others of them, and edits nothing
  bool all_printable_plain_ = true;
  size_t longest_text_ = 0;  // that a sequence begins with
  KeyDecoder decoder_;
  std::vector<Symbol> symbols_;
  Automaton::State state_ = Automaton::kRoot;
  TypedLine line_;         // of what has passed
  std::deque<Held> held_;  // the newest symbols, in order
  std::optional<base::Moment> last_ctrl_c_;
  base::Moment last_input_{};
};

// Whether all of it would pass, sent at once: for what is sent whole or not at all.
bool passes_whole(const Rules& rules, std::string_view bytes);

}  // namespace filter
