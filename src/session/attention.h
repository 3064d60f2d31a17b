// SPDX-License-Identifier: Apache-2.0
// Attention: watches one PTY for questions. It tells the detector what moves, and has the keeper look when
// the detector wants to know: never while output flows, and never once the answer is known.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "config/config.h"
#include "detect/detector.h"
#include "event/loop.h"
#include "pty/look.h"
#include "session/listeners.h"

namespace session {

// A question that is open, with the name that everybody calls it by.
struct Question {
  std::string id;
  int64_t asked_at = 0;  // microseconds since the epoch
  detect::Asked asked;
  bool answered = false;  // by tend: nobody answers it twice
};

// What a session's programs are looked at with.
struct Attentiveness {
  bool enabled = true;
  detect::Settings settings;
  std::shared_ptr<const detect::Patterns> patterns;
};

// Fails with the pattern that RE2 does not take.
base::Result<Attentiveness> make_attentive(const config::Detector& config);
// Makes what is usual and takes some milliseconds, so that the first question need not wait for it. May be
// called from any thread.
void prepare_patterns();

class Attention {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual const vt::Screen& looked_at() const = 0;
    // Asks for a look; looked() is called later.
    virtual void want_look() = 0;
    // The question is one that came or left; it is nobody's for a change of state alone.
    virtual void attention_changed(detect::Change::Kind kind, const std::optional<Question>& question) = 0;
  };

  Attention(event::Loop& loop, Owner& owner, Attentiveness how);
  Attention(const Attention&) = delete;
  Attention& operator=(const Attention&) = delete;

  // A program begins, or one that an earlier daemon had is found again.
  void start();
  void find_again();
  void end();

  void output(uint64_t end);  // of all output so far
  void input(std::string_view bytes);
  void taken();
  void resized();
  void looked(const pty::Look& look);

  // One more look, now, at something that has settled. `looks` is called after every look that counts, and at
  // the end of the program.
  void look_again();
  Listeners& looks() { return looks_; }
  void mark_answered();
  // Whether it was asked here and is not any more; the newest are remembered.
  bool has_left(std::string_view id) const;

  detect::State state() const {
    const detect::State state = detector_->state();
    return how_.enabled || state == detect::State::exited ? state : detect::State::unknown;
  }
  const detect::Explanation& why() const { return detector_->why(); }
  bool settled() const { return how_.enabled && detector_->settled(); }
  bool line_is_open() const { return detector_->line_is_open(); }
  const std::optional<Question>& question() const { return question_; }

 private:
  void on_time();
  void begin_look(base::Moment now);
  void set_timer();
  void pass_on();

  Owner& owner_;
  Attentiveness how_;
  base::RealClock clock_;
  std::optional<detect::Detector> detector_;
  std::optional<Question> question_;
  std::deque<std::string> left_;  // ids of questions, the newest last
  Listeners looks_;
  event::Timer timer_;
  std::optional<base::Moment> asked_at_;  // of the look that is under way
  base::Duration pause_{};                // between two looks at whether output still flows
  base::Moment flows_since_{};
  base::Moment last_output_{};
  uint64_t end_ = 0;         // of the output now,
  uint64_t looked_end_ = 0;  // and at the last look
};

}  // namespace session
