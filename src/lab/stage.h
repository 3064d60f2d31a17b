// SPDX-License-Identifier: Apache-2.0
// Stage: a real program on a real PTY, with a screen and a detector that watches it as the daemon's would, in
// one thread and on the real clock. Nothing happens but in run_until(): there output is read, what was typed
// is written, and the kernel is asked when the detector wants it. This process is the program's ancestor, so
// it may look.
//
// A stage owns its program: the destructor ends everything that belongs to its session, and reaps it.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "detect/detector.h"
#include "pty/probe.h"
#include "pty/pty.h"
#include "pty/write_queue.h"
#include "vt/screen.h"

namespace lab {

constexpr base::Duration kDeadline = std::chrono::seconds(20);

struct Program {
  std::vector<std::string> argv;
  // "NAME=value", over PATH, HOME, TERM=xterm-256color and LC_ALL=C.UTF-8; nothing else is passed on.
  std::vector<std::string> env = {};
  std::string cwd = {};
  pty::Size size = {};
};

// `/bin/sh -c SCRIPT`, with `argument` as $1.
Program shell(std::string script, std::string argument = {});

// Hears everything, in the order in which it happened; for recordings.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void output(base::Moment, std::string_view /*bytes*/) {}
  virtual void input(base::Moment, std::string_view /*bytes*/) {}
  // A look that counted: one that was outrun by output is not told.
  virtual void looked(base::Moment /*begun*/, base::Moment /*now*/, const detect::Evidence&) {}
  virtual void changed(base::Moment, const detect::Change&) {}
};

// A change, and when it was known.
struct Happening {
  base::Moment at;
  detect::Change change;
};

class Stage {
 public:
  struct Options {
    detect::Settings settings = {};
    const detect::Patterns* patterns = nullptr;  // the usual ones
    Observer* observer = nullptr;
    // What the detector is shown instead of what a look found: for tests that must fail.
    std::function<void(detect::Evidence&)> veil = {};
    int stop = -1;  // readable when a person wants it all to end: run_until() returns then
  };

  // Starts it. The program runs from here on; it is watched from the first run_until() on, and only there.
  static base::Result<std::unique_ptr<Stage>> open(const Program& program, const Options& options);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // Runs until the condition holds, which is asked after everything that happens; false if it does not by the
  // deadline, or if somebody wants it to end.
  bool run_until(const std::function<bool()>& condition, base::Duration deadline = kDeadline);
  // Runs for so long, whatever happens: to show that nothing does. False if somebody wants it to end.
  bool run_for(base::Duration time);

  // As from a person's keyboard, or an answer that is injected.
  void type(std::string_view bytes);

  const detect::Detector& detector() const { return detector_; }
  const vt::Screen& screen() const { return screen_; }
  std::string text() const;  // of the screen: rows without those below the last that is not blank
  bool shows(std::string_view words) const { return text().find(words) != std::string::npos; }

  const std::vector<Happening>& happenings() const { return happenings_; }
  // The questions among them, in their order.
  std::vector<detect::Asked> asked() const;
  // Looks that counted.
  size_t looks() const { return looks_; }
  size_t output_bytes() const { return output_bytes_; }
  // Since the last that was read, for "how long after".
  base::Moment last_output() const { return last_output_; }

  pid_t pid() const { return pid_; }
  const std::optional<pty::ExitStatus>& ended() const { return ended_; }
  base::Moment now() const { return clock_.now(); }

 private:
  class Replies;
  Stage(const Program& program, Options options, base::Fd master, pid_t pid, base::Fd watched);
  bool take_output();
  void take_end();
  void look();
  void write_queued();
  void pass_on();
  void wait(base::Moment until);

  Options options_;
  base::RealClock clock_;
  base::Fd master_;
  pid_t pid_;
  base::Fd watched_;  // readable when the program has ended
  pty::Probe probe_;
  pty::WriteQueue keys_;
  std::unique_ptr<Replies> replies_;
  vt::Screen screen_;
  detect::Detector detector_;
  std::vector<Happening> happenings_;
  std::optional<pty::ExitStatus> ended_;
  std::optional<base::Moment> flows_since_;
  base::Moment last_output_{};
  size_t looks_ = 0;
  size_t output_bytes_ = 0;
  bool watches_ = false;
  bool closed_ = false;   // nobody has the terminal open any more
  bool stopped_ = false;  // somebody wants it to end
};

}  // namespace lab
