// SPDX-License-Identifier: Apache-2.0
// Attention: watches one PTY for questions. It tells the detector what moves, and has the keeper look when
// the detector wants to know: never while output flows, and never once the answer is known.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "config/config.h"
#include "detect/detector.h"
#include "event/loop.h"
#include "pty/look.h"
#include "session/listeners.h"
#include "session/question.h"
#include "session/supervised.h"

namespace session {

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

// What has changed.
struct News {
  detect::Change::Kind kind = detect::Change::Kind::state;
  std::optional<Question> question = {};  // which came or left
  bool answered = false;                  // something that may be an answer had been typed before it left
};

class Attention {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual const vt::Screen& looked_at() const = 0;
    // Asks for a look; looked() is called later.
    virtual void want_look() = 0;
    // A question has come: gives it its name, before anybody hears of it.
    virtual void name_question(Question& question) = 0;
    virtual void attention_changed(const News& news) = 0;
  };

  struct Probe {
    config::Supervision settings = {};
    std::string name = {};
  };
  Attention(event::Loop& loop, Owner& owner, Attentiveness how, Probe probe);
  Attention(const Attention&) = delete;
  Attention& operator=(const Attention&) = delete;

  // A program begins, or one that an earlier daemon had is found again.
  void start();
  void find_again();
  void end();

  void output(uint64_t end);  // of all output so far
  void input(std::string_view bytes);
  void plan();   // when to look next, behind input(): what the program answers is shown first
  void typed();  // a key, by a person, who is about to see what comes of it
  void taken();
  void resized();
  void looked(const pty::Look& look);

  // One more look, now, at something that has settled. `looks` is called after every look that counts, and at
  // the end of the program.
  // A look has begun and not come back.
  bool is_looking() const { return asked_at_.has_value(); }
  void look_again();
  Listeners& looks() { return looks_; }
  // What was sent did not end the question: it is asked anew, under another name.
  void ask_again();

  detect::State state() const {
    const detect::State state = detector_->state();
    return how_.enabled || state == detect::State::exited ? state : detect::State::unknown;
  }
  const detect::Explanation& why() const { return detector_->why(); }
  bool settled() const { return how_.enabled && detector_->settled(); }
  // The keeper does not answer, however often it is asked: nobody looks any more.
  bool is_blind() const { return probe_.is_given_up(); }
  bool line_is_open() const { return detector_->line_is_open(); }
  const std::optional<Question>& question() const { return question_; }
  // The open question for whoever leads it through its states.
  Question* question_named(std::string_view id);

 private:
  void on_time();
  void begin_look(base::Moment now);
  void set_timer();
  void wake_at(base::Moment due);
  void pass_on();

  Owner& owner_;
  Attentiveness how_;
  base::RealClock clock_;
  std::optional<detect::Detector> detector_;
  std::optional<Question> question_;
  Listeners looks_;
  event::Timer timer_;
  base::Moment timer_due_{};
  std::optional<base::Moment> asked_at_;  // of the look that is under way
  base::Duration pause_{};                // between two looks at whether output still flows
  base::Moment flows_since_{};
  base::Moment last_output_{};
  base::Moment last_key_{};
  uint64_t end_ = 0;         // of the output now,
  uint64_t looked_end_ = 0;  // and at the last look
  Supervised probe_;
};

}  // namespace session
