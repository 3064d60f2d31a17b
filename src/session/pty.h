// SPDX-License-Identifier: Apache-2.0
// Pty: one PTY of a session as the daemon has it: output from the master into the journal, announced to the
// viewers first and fed to the screen then; keys from the viewers, merged in the order they come; one size
// for all. It knows when its program has ended and all that it wrote is in; what happens then its owner
// decides.
//
// States are Table 8-1's. A dead Pty has no terminal any more, but its journal, its screen and its exit
// status.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/config.h"
#include "event/loop.h"
#include "pty/input_watch.h"
#include "pty/journal.h"
#include "pty/keeper_link.h"
#include "pty/look.h"
#include "pty/pump.h"
#include "pty/write_queue.h"
#include "session/attention.h"
#include "session/display.h"
#include "session/listeners.h"
#include "session/runs.h"
#include "session/supervised.h"
#include "session/terminal_input.h"
#include "session/viewer.h"
#include "session/window_policy.h"
#include "store/records.h"
#include "vt/screen.h"

namespace session {

class Pty;

class PtyOwner {
 public:
  virtual ~PtyOwner() = default;
  // The program has ended, and all its output is in the journal.
  virtual void exited(Pty& pty) = 0;
  virtual void resized(Pty& pty) = 0;
  virtual void viewers_changed(Pty& pty) = 0;
  // The kernel should be asked who waits for its terminal; Pty::looked() is called with the answer.
  virtual void want_look(Pty& pty) = 0;
  virtual void name_question(Pty& pty, Question& question) = 0;
  virtual void attention_changed(Pty& pty, const News& news) = 0;
  // Its terminal cannot be read, or not be written, and trying again did not help.
  virtual void unserved(Pty& pty, std::string_view why) = 0;
};

struct PtyOptions {
  uint32_t number = 0;
  std::string base;  // path of its files, without what is behind the dot
  config::Resize resize = config::Resize::smallest;
  size_t scrollback_rows = 10'000;
  pty::Size size = {};
  Attentiveness attentiveness = {};
  config::Supervision supervision = {};
};

class Pty final : private vt::Sink, private Attention::Owner, private RunTerminal {
 public:
  enum class Past { none, some };  // whether files of an earlier daemon tell what was on the screen

  Pty(event::Loop& loop, PtyOwner& owner, PtyOptions options);
  ~Pty() override;
  Pty(const Pty&) = delete;
  Pty& operator=(const Pty&) = delete;

  // Takes the PTY from the keeper: at its first start, when it is found again, after a restart.
  base::Result<void> hold(pty::HeldPty held, Past past);
  // A PTY whose program ended before this daemon began: what its files still tell.
  base::Result<void> load_dead(const store::PtyRecord& record);

  // What the owner tells it.
  void program_ended(pty::ExitStatus exit);
  void conclude();  // one that has ended: without waiting for others who may still have its terminal open
  enum class Farewell { told, silent };  // silent: only what the program left on is undone
  void announce_exit(Farewell farewell = Farewell::told);
  void announce_note(std::string_view text);
  void announce_restart(std::chrono::milliseconds delay);
  void announce_restarted();
  void save_screen();  // so that a successor finds it as it is now
  void hand_back();    // before a respawn: nothing of the old terminal is touched any more
  void die(std::string_view why);
  void mark_killed() { killed_ = true; }
  bool killed() const { return killed_; }

  uint32_t number() const { return options_.number; }
  PtyState state() const { return state_; }
  pid_t pid() const { return state_ == PtyState::running ? about_.pid : 0; }
  const pty::keeper::Held& about() const { return about_; }
  const std::optional<pty::ExitStatus>& exit() const { return exit_; }
  pty::Size size() const { return size_; }
  const std::string& base_path() const { return options_.base; }

  // Looking.
  const vt::Screen& screen() const { return display().screen(); }
  const std::string& title() const;
  const pty::Journal& journal() const { return *journal_; }
  // As bytes for a terminal of that size, wrapped or cut to fit, behind so many rows of the scrollback.
  std::string snapshot_for(pty::Size window, size_t scrollback = 0) const;
  base::Moment last_output() const { return last_output_; }
  // When a key was typed or something written, last; not what a terminal answers by itself.
  const std::optional<base::Moment>& last_input() const { return last_input_; }
  // Whether what is typed now is hidden from whoever looks on: a password, or the like.
  bool hides_input() const;
  // The process group in front, or 0.
  pid_t foreground() const;
  // Called after every piece of output and every change of state.
  Listeners& listeners() { return listeners_; }
  // What its program is about, as a person would say it.
  detect::State activity() const { return attention_.state(); }
  const Attention& attention() const { return attention_; }
  Attention& attention() { return attention_; }
  void looked(const base::Result<pty::Look>& look);
  Runs& runs() { return runs_; }
  const Runs& runs() const { return runs_; }

  // Input that comes from no viewer; `by` is whoever sends it, where that is known.
  base::Result<void> write(std::string_view bytes, std::string_view by = {});
  // Who typed last; empty if that is not known.
  const std::string& typed_by() const { return typed_by_; }

  // Answers (injection.h). What others type waits between hold_keys() and let_keys_go().
  // False: nothing was written, because has_run_since_look() and it was to be at rest.
  base::Result<bool> inject(std::string_view bytes, bool only_at_rest);
  void hold_keys() { holds_keys_ = true; }
  void let_keys_go();
  // Counts pieces of output and input; catch_up() reads what the program has written until now.
  uint64_t moves() const { return moves_; }
  void catch_up() { take_output(); }
  base::Result<pty::InputWatch> watch_input() const;
  // Whether the thread that the last look saw blocked, waiting for the terminal, has run since: then it is
  // about something else, though it may not have said so yet. In another PID namespace its number is not the
  // one that the look has, and the answer is yes however often it is asked.
  bool has_run_since_look() const;
  // The key that takes back what somebody has begun to type, or nothing.
  std::string line_to_discard() const;
  base::Result<void> resize(pty::Size size);
  // What waits to be taken by the program. Whoever sends much should stop above kMuchInput, and go on when
  // input_taken() calls.
  static constexpr size_t kMuchInput = 64 << 10;
  size_t waiting_input() const { return keys_.size() + held_bytes_; }
  Listeners& input_taken() { return input_taken_; }
  // The end of a file is, for a program that reads lines, the key that says so.
  void end_input();

  // Viewers.
  base::Result<Attached> attach(Viewer& viewer, const AttachOptions& options);
  void detach(Viewer& viewer);
  // The screen as it is now; for a window of another size, wrapped or cut to fit that.
  Attached resync(Viewer& viewer, std::optional<pty::Size> window = {});
  // It has shown everything up to `offset`: and waits for more, or goes on.
  void ready(Viewer& viewer, uint64_t offset);
  void progress(Viewer& viewer, uint64_t offset);
  base::Result<void> type(Viewer& viewer, std::string_view keys);
  void set_window(Viewer& viewer, pty::Size size);
  size_t viewers() const { return seats_.size(); }
  Role role_of(const Viewer& viewer) const;

 private:
  struct Seat {
    Viewer* viewer;
    Role role;
    bool lossless;
    bool waiting = false;  // for output beyond `offset`
    Pace pace = Pace::abreast;
    uint64_t offset = 0;
    Window window;
    bool has_window = false;
    TerminalInput input = {};
  };

  void reply(std::string_view bytes) override;
  const vt::Screen& looked_at() const override { return screen(); }
  void want_look() override;
  base::Result<void> type_command(std::string_view bytes) override { return write(bytes); }
  void look_for_run() override;
  const vt::Screen& run_screen() const override { return screen(); }
  std::string_view output_since(uint64_t offset) const override;
  uint64_t output_end() const override { return end(); }
  bool line_is_open() const override { return attention_.line_is_open(); }
  base::Duration age() const override;
  pid_t program() const override { return about_.pid; }
  bool settled() const override { return attention_.settled(); }
  bool moved_since_look() const override;
  void name_question(Question& question) override { owner_.name_question(*this, question); }
  void attention_changed(const News& news) override;

  std::unique_ptr<Display> make_display(size_t scrollback_rows, vt::Sink* sink) const;
  const Display& display() const;
  void make_pump();
  void serve();
  void stop_serving();
  void on_ready(event::Ready ready);
  void write_keys(event::Ready ready);
  void take_output();
  void await_echo();
  void step_aside();
  void pass_on();
  void pass_on(Seat& seat, uint64_t end);
  void finish();
  void send_keys();
  void drop_keys();
  base::Result<void> hold_back(Viewer* viewer, std::string_view keys);
  void watch();
  bool held_up() const;
  uint64_t missing(const Seat& seat) const;
  bool note_hold();
  void measure_pace();
  void judge_pace();
  void rest();
  void note_offset(Seat& seat, uint64_t offset);
  void wait_again();
  void set_pace(Pace pace);  // of those who are where it says
  bool stops_the_job(char key) const;
  void fit();
  void apply_size(pty::Size size);
  void tell(const Notice& notice);
  // Who answers what the program asks its terminal; null: the screen does.
  const Viewer* answerer() const;
  Answers answers_of(const Viewer& viewer) const;
  base::Result<void> put(std::string_view bytes);
  base::Result<void> pass_keys(Viewer& viewer, std::string_view keys);
  void release_keys();
  Attached screen_for(pty::Size window) const;
  Attached shared_screen(pty::Size window);
  std::string snapshot_with_scrollback(pty::Size window, size_t rows) const;
  Seat* seat(const Viewer& viewer);
  const Seat* seat(const Viewer& viewer) const;
  uint64_t end() const { return journal_ ? journal_->window().end : 0; }

  event::Loop& loop_;
  PtyOwner& owner_;
  PtyOptions options_;
  base::RealClock clock_;
  PtyState state_ = PtyState::running;
  pty::Size size_;
  std::optional<pty::Size> wanted_;
  pty::keeper::Held about_;
  std::optional<pty::ExitStatus> exit_;
  bool killed_ = false;
  bool told_before_ = false;  // found again with its end already on the screen

  base::Fd master_;
  base::Pipe pipe_;
  std::optional<pty::Journal> journal_;
  std::optional<pty::Pump> pump_;
  pty::WriteQueue keys_;
  // Of one that ended before this daemon began: none, until somebody asks for it.
  mutable std::unique_ptr<Display> display_;
  mutable std::optional<std::string> last_title_;  // of such a one
  std::unique_ptr<event::Watch> watch_;
  event::Timer pace_;    // while viewers hold the program up: when that is judged
  event::Timer rest_;    // when there was no output for a while
  event::Timer again_;   // after a failure to read
  event::Timer settle_;  // after an exit, while others still have the terminal open
  event::Timer doubt_;   // while what a terminal sent may be the beginning of an answer
  event::Timer blind_;   // looks without the keeper
  bool closed_ = false;  // nobody has the terminal open, and all output is in
  Supervised reader_;
  Supervised writer_;

  // Keys that came while an answer was written; a viewer that has gone is null.
  struct HeldKeys {
    Viewer* viewer;
    std::string bytes;
  };
  std::vector<HeldKeys> held_keys_;
  size_t held_bytes_ = 0;
  bool holds_keys_ = false;
  std::string typed_by_;

  std::vector<Seat> seats_;
  uint64_t last_order_ = 0;
  Attention attention_;
  base::Moment silent_until_{};  // a key was not answered, and others may not be
  base::Moment busy_until_{};    // others compute, and are not to be made room for
  bool answers_key_ = false;     // the output that is there now
  Runs runs_;
  uint64_t looks_ = 0;             // that were asked for,
  uint64_t answers_to_looks_ = 0;  // and that came
  uint64_t look_for_run_ = 0;      // the one that the runs wait for
  uint64_t moves_ = 0;             // pieces of output and input
  uint64_t moves_at_look_ = 0;
  std::optional<pty::Look> waits_;   // the last look, if it was certain that somebody waits
  const Viewer* answers_ = nullptr;  // who was to answer the last question
  base::Moment asked_{};
  base::Moment asked_position_{};
  Listeners listeners_;
  Listeners input_taken_;
  base::Moment last_output_{};
  uint64_t rest_offset_ = 0;  // how far the output was a second ago
  bool held_ = false;         // by viewers that are behind
  base::Moment held_since_{};
  base::Duration held_for_{};  // since the measuring of the pace began,
  uint64_t pace_from_ = 0;     // at this offset
  bool flood_ = false;         // more than some of the viewers took
  // The screen as the last viewer that is behind was shown it: a crowd of them shares one.
  struct Shown {
    pty::Size window;
    base::Moment made;
    Attached attached;
  };
  std::optional<Shown> shown_;
  std::optional<base::Moment> last_input_;
};

}  // namespace session
