// SPDX-License-Identifier: Apache-2.0
// Injection: the gate through which answers reach one PTY, one at a time, each at most once. What it does
// with one, in this order:
//
//   look      the kernel is asked once more: the same question waits, or nothing is written
//   claim     one statement in the store; whoever comes second is told so
//   intent    in the store, before the first byte: a daemon that dies later never tries again. (In a power
//   cut
//             the program ends as well.)
//   look      again, because the store takes its time
//   write     all bytes as one piece, if nothing has moved since the look; keys of terminals wait meanwhile
//   aim       only in a list with a pointer: the keys that move it go first, and Enter follows when the
//   screen
//             shows the pointer where it should be; a program that draws between two keys would else take the
//             entry of before. It is not seen there in time: no Enter, and it counts as rejected
//   effect    the program read its terminal and the question left: accepted; it asks the same anew: see
//   repeated.h;
//             neither in time: unknown
//
// When something moves between a look and what follows it, or the program has run at all since, it looks
// again. What a program does on its own account between that and the write, a microsecond or two, cannot be
// seen: a program that has not run takes what was written with the read in which it was seen, whatever comes
// then. Each wait has a deadline. What is given up before the write leaves the prompt as it was.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "event/loop.h"
#include "pty/input_watch.h"
#include "session/pty.h"
#include "session/supervised.h"
#include "store/prompts.h"
#include "store/store.h"

namespace session {

struct AnswerRequest {
  std::string prompt = {};
  std::optional<std::string> nonce = {};  // nothing: of somebody who could read it anyway
  std::string by = {};
  std::string channel = {};
  std::string rule = {};  // of the policy, if that answers
  // As the store keeps it; not for secrets. On the heap, where it is wiped with its block.
  std::shared_ptr<const std::string> value = {};
  // What to send, made of the question as it stands at that moment.
  std::function<base::Result<std::string>(const detect::Prompt& prompt, const Pty& pty)> bytes = {};
  std::optional<int64_t> at = {};  // the time of the claim, where it is not now
};

// What was written, and what came of it.
struct Answered {
  std::string outcome = {};  // accepted rejected unknown
  std::string bytes = {};    // the word "secret" for one
  size_t count = 0;
  uint64_t offset = 0;  // of the output before it
  bool secret = false;
};

class Injection {
 public:
  using Done = std::function<void(base::Result<Answered>)>;
  struct Settings {
    base::Duration timeout = std::chrono::seconds(5);
    base::Duration settle = std::chrono::milliseconds(100);
    config::Supervision supervision = {};
  };
  // The state of a question has changed. The record is there to be added to the store if it is not yet.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual store::PromptRecord record(const Pty& pty, const Question& question) const = 0;
    virtual void prompt_changed(Pty& pty, const Question& question) = 0;
  };

  Injection(event::Loop& loop, store::Store& store, Owner& owner, Pty& pty, Settings settings);
  Injection(const Injection&) = delete;
  Injection& operator=(const Injection&) = delete;

  static constexpr size_t kMostWaiting = 64;
  void answer(AnswerRequest request, Done done);

  // Told by the owner, which hears of it first. True: something was written to that question, and what came
  // of it is told from here.
  bool left(const Question& question);
  void asked(const Question& question);
  // Whether this is what the last answer was given to, and that was not accepted.
  bool doubts(const Question& question) const;
  // Its answers came to nothing again and again, and it takes no more of them.
  bool is_given_up() const { return gate_.is_given_up(); }

 private:
  static constexpr int kMostDoubts = 4;
  enum class Step { idle, look, claim, intent, aim, effect, outcome };
  struct Job {
    AnswerRequest request;
    Done done;
    base::Moment deadline;
  };

  Question* question();
  bool is_repeated(const Question& question) const;
  base::Result<void> check(const AnswerRequest& request);
  void next();
  void look();
  void looked();
  bool undisturbed();
  // One that cannot be told apart from one that runs all the time is believed in the end.
  bool is_restless() const { return doubts_ > kMostDoubts; }
  void go_on();
  void claim();
  void claimed(const base::Result<void>& done);
  void intend();
  void intended(const base::Result<void>& done);
  void write();
  void aimed();
  void judge();
  void settle(std::string_view outcome);
  void conclude(std::string_view outcome);
  void give_up(const base::Error& error);
  void finish(base::Result<Answered> result);
  void on_time();
  void cancel();
  void refuse_all();
  void set_timer();
  template <typename Work, typename Then>
  void in_store(Work work, Then then);

  store::Store& store_;
  Owner& owner_;
  Pty& pty_;
  Settings settings_;
  base::RealClock clock_;
  std::deque<Job> waiting_;
  std::optional<Job> job_;
  Step step_ = Step::idle;
  bool is_claimed_ = false;
  bool is_intended_ = false;
  uint64_t mark_ = 0;  // what had moved at the look
  int doubts_ = 0;     // looks that did not count because the program seemed to have run since
  std::string bytes_;
  std::optional<detect::Choice> aim_;  // where the pointer is to be
  Question question_;                  // as it was when it was written to
  Answered answered_;
  std::optional<pty::InputWatch> watch_;
  bool taken_ = false;          // the program has read what was written
  bool looked_before_ = false;  // a look was under way when it was written
  std::string moved_;  // the same list with its pointer elsewhere, if that made another question of it
  std::optional<base::Moment> left_at_;
  Listeners::Handle looks_;
  event::Timer deadline_;
  event::Timer patience_;  // of those that wait for the gate
  event::Timer keys_;      // that were held back
  event::Timer judge_;
  event::Timer again_;  // to look
  Supervised gate_;
  std::shared_ptr<int> life_ = std::make_shared<int>(0);
};

}  // namespace session
