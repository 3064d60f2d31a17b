// SPDX-License-Identifier: Apache-2.0
// Runs: commands that are run in the shell or REPL of one PTY, one at a time, the others in order, each with
// its own deadline. A command is typed only when the kernel shows that the program in front waits for one,
// and never twice; its output is what stands between its marks (exec/typed.h), or what a REPL shows until it
// waits again.
//
// A run whose time is over, or that was given up, keeps the PTY busy until the program is back at its prompt:
// the next one never gets its output.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "event/loop.h"
#include "exec/output.h"
#include "exec/repl.h"
#include "exec/scanner.h"
#include "pty/look.h"
#include "session/front.h"

namespace session {

// How a run ended.
struct RunReport {
  std::optional<base::Error> error;
  std::optional<int> exit_code;  // none from a REPL
  std::string program;           // "bash"
  bool typed = false;            // whether the program has had the command,
  std::string_view sent;         // and exactly what was typed for it
  std::string_view output;
  uint64_t output_bytes = 0;
  bool truncated = false;
  uint64_t begin = 0;  // of what the terminal showed since, in the journal
  uint64_t end = 0;
};

struct RunRequest {
  std::string id;
  std::string command;
  std::string sentinel;
  base::Duration timeout{};
  exec::Keep keep = exec::Keep::text;
  size_t most = 0;  // bytes of output that are kept
  bool interrupt = false;
  std::function<void(std::string_view fresh)> on_output = {};
  std::function<void(const RunReport&)> on_end = {};
};

// What the runs need of their PTY.
class RunTerminal {
 public:
  virtual ~RunTerminal() = default;
  virtual base::Result<void> type_command(std::string_view bytes) = 0;
  virtual void look_for_run() = 0;  // Runs::looked() is called with the answer
  virtual const vt::Screen& run_screen() const = 0;
  virtual std::string_view output_since(uint64_t offset) const = 0;
  virtual uint64_t output_end() const = 0;
  // Whether somebody has typed something, and no Enter behind it.
  virtual bool line_is_open() const = 0;
  virtual base::Duration age() const = 0;  // of its program
  virtual pid_t program() const = 0;       // whose end program_ended() will tell
  // The detector is sure that the program waits, and nothing has moved since.
  virtual bool settled() const = 0;
  // Bytes went either way since the look was asked for, or are about to: it does not show what is now.
  virtual bool moved_since_look() const = 0;
};

class Runs {
 public:
  static constexpr size_t kMost = 64;

  Runs(event::Loop& loop, RunTerminal& terminal);
  ~Runs();
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  base::Result<void> add(RunRequest request);
  // Given up by whoever asked: one that waits is forgotten, one that runs is interrupted if that is wanted.
  // False if there is none of that name.
  enum class Running { interrupt, leave };
  bool cancel(std::string_view id, Running running);

  bool wants_look() const { return looking_; }
  // Whether a command runs, or one that was given up still does; its text.
  const std::string* busy_with() const { return active_ ? &active_->request.command : nullptr; }

  // What the PTY tells it.
  void output();
  void looked(const base::Result<pty::Look>& look);
  void program_ended(std::optional<int> exit_code);

 private:
  struct Run {
    RunRequest request;
    base::Moment asked{};
    base::Moment deadline{};
    bool interrupted = false;  // Ctrl+C was sent for it
    bool reported = false;     // nobody waits for it any more
    Front front;
    std::optional<exec::Scanner> scanner;
    std::optional<exec::ReplText> repl;
    std::optional<exec::Output> output;
    std::string sent;
    uint64_t begin = 0;
    uint64_t taken = 0;  // up to where the output was looked at
  };

  void next();
  void look();
  void look_ahead(const pty::Look& look);
  void look_again();
  void decide_start(const pty::Look& look);
  void see_again(const Front& front);
  void refuse(const Front& front);
  void interrupt_first();
  void start(const Front& front);
  void start_repl();
  void type(std::string_view text);
  void follow_up(const pty::Look& look);
  void repl_settled();
  bool is_its_prompt(const Front& front) const;
  void back_at_prompt(const Front& front);
  enum class Whereabouts { there, replaced, gone };
  Whereabouts whereabouts() const;
  void end_if_gone();
  void end(std::optional<base::Error> error, std::optional<int> exit_code = {});
  void report(Run& run, std::optional<base::Error> error, std::optional<int> exit_code);
  void set_timer();
  void on_time();
  std::string doing() const;

  RunTerminal& terminal_;
  base::RealClock clock_;
  std::unique_ptr<Run> active_;  // typed, or about to be
  bool typed_ = false;
  bool looking_ = false;
  base::Duration pause_{};
  std::optional<uint64_t> seen_;  // turns of the program when it was seen waiting, and was not believed yet
  // The program as it was seen behind the last command, at its prompt: if nothing has moved since, the next
  // command need not wait for another look.
  std::optional<Front> ahead_;
  int looks_ahead_ = 0;
  std::string last_prompt_;
  bool was_at_prompt_ = false;
  std::deque<std::unique_ptr<Run>> queue_;
  event::Timer again_;
  event::Timer deadline_;
};

}  // namespace session
