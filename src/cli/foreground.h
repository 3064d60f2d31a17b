// SPDX-License-Identifier: Apache-2.0
// Foreground: relays between the user's terminal and one held PTY until the program has ended and all its
// output is out. Output goes through the journal, and is read from there no faster than the terminal takes
// it: the program waits for a slow terminal as it would without tend, and keys are never held up by output.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "cli/user_terminal.h"
#include "pty/journal.h"
#include "pty/keeper_link.h"
#include "pty/pump.h"
#include "pty/write_queue.h"

namespace cli {

class Foreground {
 public:
  // `fixed`: a size that does not follow the window.
  static base::Result<std::unique_ptr<Foreground>> create(UserTerminal& terminal, pty::KeeperLink& link,
                                                          pty::HeldPty held, std::optional<pty::Size> fixed);

  base::Result<pty::ExitStatus> run();

 private:
  Foreground(UserTerminal& terminal, pty::KeeperLink& link, pty::HeldPty held, pty::Journal journal,
             std::optional<pty::Size> fixed);

  bool finished() const { return held_.exit && drained_ && pending() == 0; }
  uint64_t pending() const { return journal_.window().end - written_; }
  bool wants_output() const;
  int timeout() const;
  void follow_window();
  void ask_for_redraw();
  void end_redraw();
  base::Result<void> take_keys();
  base::Result<void> type(std::string_view keys);
  bool stops_the_job(char key) const;
  base::Result<void> take_output();
  base::Result<void> show_output();
  base::Result<void> hear_keeper();

  UserTerminal& terminal_;
  pty::KeeperLink& link_;
  pty::HeldPty held_;
  pty::Journal journal_;
  pty::Pump pump_;
  pty::WriteQueue keys_;
  std::optional<pty::Size> fixed_;
  base::RealClock clock_;
  std::string redo_;      // goes to the terminal before any more output
  uint64_t written_ = 0;  // offset of what the terminal has taken
  bool input_ended_ = false;
  bool drained_ = false;                      // since the program ended, nothing more was there
  std::optional<base::Moment> redraw_until_;  // the program is seeing a smaller window for a moment
};

}  // namespace cli
