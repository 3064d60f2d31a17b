// SPDX-License-Identifier: Apache-2.0
// UserTerminal: this process's standard input and output as one thing to talk to, whether they are a terminal
// (raw while entered, never blocking, restored on every way out) or files and pipes.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"
#include "pty/pty.h"
#include "term/raw_mode.h"

namespace cli {

class UserTerminal {
 public:
  static base::Result<UserTerminal> open();
  // Standard output alone; whatever standard input is, it stays as it is and is for others to read.
  static UserTerminal output_only();

  bool is_terminal() const { return raw_.has_value(); }
  // Whether somebody looks at the output; the input may be a terminal without that.
  bool shows() const;
  base::Result<void> enter();
  void leave();

  // Null where there is no terminal.
  term::RawMode* raw() { return raw_ ? &*raw_ : nullptr; }

  pty::Size size() const;

  int input() const { return 0; }
  int output() const { return own_output_ ? own_output_.get() : 1; }
  // Readable when take_events() has something; -1 where there is no terminal.
  int events_fd() const { return raw_ ? raw_->events_fd() : -1; }
  term::Events take_events() { return raw_ ? raw_->take_events() : term::Events{}; }
  // False in the background: then neither read nor write.
  bool usable() const { return !raw_ || raw_->holds_terminal(); }

  // 0 bytes: the end of the input.
  base::Result<std::optional<size_t>> read(std::span<char> buffer);
  // The program's output: how much went, 0 when it takes nothing now. The rest comes first in the next call.
  base::Result<size_t> show(std::string_view output);
  // Back to the shell until it continues us.
  void suspend() {
    if (raw_) raw_->suspend();
  }
  // The bytes that make room for a whole screen: what was on is off, what was shown has scrolled away.
  std::string begin_screen();
  base::Result<size_t> write(std::string_view bytes);

 private:
  UserTerminal() = default;
  void open_output();

  std::optional<term::RawMode> raw_;
  base::Fd own_output_;
  bool drawn_ = false;
  size_t noted_ = 0;  // bytes of output that were looked at for what they turn on and are still to be written
};

}  // namespace cli
