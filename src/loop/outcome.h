// SPDX-License-Identifier: Apache-2.0
// Outcome: what has become of the iterations so far, whether the loop is over, and why. Pure: no clock, no
// files.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "config/config.h"
#include "pty/pty.h"

namespace loop {

// How an iteration ended: the agent by itself, or what was done to it.
enum class How { exit, idle, interrupted, killed, stopped, runtime, spawn_failed, limit };
std::string_view name_of(How how);

struct IterationEnd {
  How how = How::exit;
  std::optional<pty::ExitStatus> exit = {};  // nothing: it never ran, or nobody knows
  base::Duration lasted{};
  bool promise_kept = false;
  std::string reason = {};  // why it could not be started
};

// A spawn error, or an end that the agent chose and that is no success.
bool is_failure(const IterationEnd& end);
// "exit code 1 after 12 s", "idle for 30 s, sent SIGTERM", …
std::string in_words(const IterationEnd& end, base::Duration idle_timeout);

enum class Why { promise_kept, failures, stopped, iterations, runtime, interrupted, limit };
std::string_view name_of(Why why);
int exit_code_of(Why why);

class Outcome {
 public:
  explicit Outcome(config::EventLoop limits) : limits_(std::move(limits)) {}

  void note(int iteration, const IterationEnd& end);
  // At the end of an iteration that was noted: why the loop is over, if it is.
  std::optional<Why> over() const;

  int iterations() const { return iterations_; }
  int failures_in_a_row() const { return failures_; }
  // Several lines.
  std::string summary(Why why, base::Duration lasted, const std::string& folder) const;

 private:
  struct Past {
    int iteration;
    IterationEnd end;
  };

  config::EventLoop limits_;
  std::vector<Past> newest_;  // few of them
  std::optional<IterationEnd> last_;
  int iterations_ = 0;  // those that count
  int failures_ = 0;
};

// How long to wait for a usage limit to be lifted. Where nobody says until when, or that moment has passed:
// five minutes, then twice as long, an hour at most. Where the same limit comes again at once, a little
// longer than it says each time.
class LimitPause {
 public:
  base::WallTime until(std::optional<base::WallTime> resets_at, base::WallTime now);
  void over() { times_ = 0; }

 private:
  int times_ = 0;  // in a row
};

}  // namespace loop
