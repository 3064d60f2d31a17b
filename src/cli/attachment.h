// SPDX-License-Identifier: Apache-2.0
// Attachment: the user's terminal at a PTY of the daemon's. Keys go to the daemon; output is read from the
// PTY's journal, which is mapped here, at the pace of the terminal, and the daemon only rings when there is
// more. A terminal that falls behind by more than the journal holds gets the screen as it is now. When the
// daemon is replaced, it goes on with the next one, at the offset where it was.
//
// Bytes that a program wrote for one size make no sense in a window of another. So while the two differ, this
// terminal is not given the output but painted: the daemon fits the screen to it, some thirty times a second
// at most, while something changes. So is one that is too slow for a flood, until that is over.
//
// While there is nothing to do here but to pass on what is typed and what is written, the terminal is lent to
// the daemon, which does both without waking this process.
#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "cli/newline_filter.h"
#include "cli/terminal_loan.h"
#include "cli/user_terminal.h"
#include "pty/journal.h"
#include "pty/pty.h"
#include "wire/client.h"

namespace cli {

// Where keys go that are not simply the program's.
struct Routed {
  std::string forward = {};  // to the program
  std::string control = {};  // into PTY 0, to the program that runs this one
  bool holds = false;        // something back
};

// What is different at a loop, whose runner in PTY 0 starts an agent again and again. The attachment outlasts
// the agent, and a key for the runner is not lost with a daemon.
struct LoopHooks {
  // `runs`: there is an agent now.
  std::function<Routed(std::string_view keys, bool runs)> route;
  // What it holds back, when nothing has followed for so long.
  std::function<std::string(bool runs)> release = {};
  std::chrono::milliseconds hold{50};
  // Looked at when fd is readable, where there is one: signals, as what is typed into PTY 0.
  int control_fd = -1;
  std::function<std::string()> take_control = {};
  // Given the session's `loop` whenever it changes: whether to leave this PTY, which is not the one to see.
  std::function<bool(const wire::json::object& loop)> leave = {};
  // The window counts, though the keys of an observer do not.
  bool resizes = false;
};

struct AttachmentOptions {
  std::string role = "writer";
  bool lossless = false;
  bool follow_window = true;
  std::optional<char> detach_key;
  std::function<base::Result<wire::Client>()> reconnect;
  bool plain_newlines = false;  // "\n" again where the terminal has made "\r\n" of it
  std::optional<LoopHooks> loop = {};
};

struct AttachmentEnd {
  std::optional<pty::ExitStatus> exit = {};  // of the program, if it has ended
  std::string reason = {};                   // why it was detached otherwise
  bool left = false;                         // as LoopHooks.leave said
};

class Attachment {
 public:
  // `attached` is what the daemon answered.
  static base::Result<Attachment> create(UserTerminal& terminal, wire::Client client,
                                         const wire::json::object& attached, AttachmentOptions options);

  base::Result<AttachmentEnd> run();

 private:
  struct Notice {
    uint64_t offset;
    std::string text;
  };

  Attachment(UserTerminal& terminal, wire::Client client, pty::Journal journal, AttachmentOptions options);
  void note_attached(const wire::json::object& attached);

  bool finished() const;
  bool has_output() const;
  void show_before(std::string_view text);
  int timeout() const;
  base::Result<void> wait();
  base::Result<void> take_keys();
  void type(std::string_view keys);
  void pass(std::string_view keys);
  void release_keys();
  base::Result<void> show();
  bool read_more();
  bool painted() const { return terminal_.is_terminal() && (window_ != size_ || behind_); }
  void paint();
  void tell_ready();
  void offer_terminal();
  bool may_lend() const;
  void take_terminal_back();
  void ask_for_screen();
  void send_window();

  base::Result<void> hear();
  void take(const wire::Request& notification);
  void take(wire::Response response);
  void take_snapshot(std::string_view bytes);
  void lost();
  void try_again();
  void show_rest();
  void take_last_screen(const wire::Response& response);
  void learn_exit(const wire::Response& response);
  void rejoined(const wire::json::object& attached);
  void send_keys(std::string_view keys);
  void send_kept_keys();
  void note_typed(const wire::json::object& params);
  void keep_unsent_keys();
  void tell_doubt();

  // For a loop.
  void note_run(const wire::json::object& attached);
  void control(std::string_view bytes);
  void send_control();
  bool take_control_answer(const wire::Response& response);
  void watch_loop();
  void note_loop(const wire::json::value* loop);
  bool reads_keys() const { return !options_.loop || terminal_.is_terminal(); }

  UserTerminal& terminal_;
  std::optional<wire::Client> client_;
  pty::Journal journal_;
  AttachmentOptions options_;
  base::RealClock clock_;
  std::string session_;
  uint32_t pty_ = 0;

  pty::Size size_;       // of the PTY
  pty::Size window_;     // of the terminal
  bool behind_ = false;  // too slow for the output that comes now
  base::Moment painted_at_{};
  std::optional<base::Moment> paint_at_;

  std::string before_;       // goes to the terminal before any output: a snapshot, a notice
  size_t before_shown_ = 0;  // bytes of it
  std::string piece_;        // of output, on its way to the terminal
  size_t shown_ = 0;         // bytes of it
  uint64_t offset_ = 0;      // of what follows it
  uint64_t told_ = 0;        // the offset that the daemon was told last
  bool rung_ = true;         // since we said that we are ready
  std::deque<Notice> notices_;
  size_t snapshot_left_ = 0;  // bytes of a snapshot that are still to come
  std::string snapshot_;
  bool screen_lost_ = false;                   // with the daemon that was sending it
  std::optional<uint64_t> last_screen_asked_;  // the same, when the program has ended
  std::optional<uint64_t> screen_asked_;       // id of the request for a snapshot

  std::optional<base::Moment> held_until_;  // the beginning of a sequence that may be one of a loop's keys
  std::string keys_;                        // typed while there is no daemon
  // Bytes sent to this daemon; those that have reached the program's terminal; those of a daemon before of
  // which that is not known.
  uint64_t typed_ = 0;
  uint64_t reached_ = 0;
  uint64_t doubtful_ = 0;
  bool input_ended_ = false;
  bool input_open_ = true;  // the program takes what is typed
  bool detaching_ = false;
  std::optional<AttachmentEnd> end_;
  std::optional<pty::ExitStatus> exit_;
  std::optional<base::Moment> retry_;
  base::Moment lost_at_{};
  std::optional<uint64_t> attach_asked_;
  std::optional<uint64_t> exit_asked_;  // how the program ended while there was no daemon
  NewlineFilter newlines_;
  std::unique_ptr<TerminalLoan> loan_;
  bool keeps_terminal_ = false;  // until something was typed: the daemon could not make out what is with it
  std::string control_;          // for the runner, until the daemon has said that it is there
  std::optional<uint64_t> control_asked_;
  std::optional<uint64_t> loop_asked_;
};

}  // namespace cli
