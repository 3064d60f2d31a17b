// SPDX-License-Identifier: Apache-2.0
#include "session/injection.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/log.h"
#include "base/wipe.h"
#include "session/fault_points.h"
#include "session/prompt_record.h"
#include "session/repeated.h"

namespace session {
namespace {

using base::Code;
using base::fail;
using base::Result;
using State = Question::State;

constexpr std::chrono::milliseconds kPause{20};  // between two looks that settle nothing
constexpr std::string_view kGivenUp =
    "answers cannot be given at this terminal any more: they came to nothing again and again";

base::Error stale(std::string why) { return {Code::prompt_stale, 0, std::move(why)}; }

base::Error gone() { return stale("it is not asked any more"); }

std::string how_it_ended(const Question& question) {
  std::string text = "the prompt is " + std::string(name_of(question.state));
  if (!question.by.empty()) text += " by " + question.by;
  if (!question.outcome.empty()) text += ", " + question.outcome;
  return text;
}

constexpr std::string_view kEnter = "\r";

// The entry that these bytes move the pointer to, before they press Enter.
std::optional<detect::Choice> aim_of(const detect::Prompt& prompt, std::string_view bytes) {
  if (!bytes.starts_with('\x1b') || !bytes.ends_with(kEnter)) return {};
  bytes.remove_suffix(kEnter.size());
  for (const detect::Choice& each : prompt.choices)
    if (each.send == bytes) return each;
  return {};
}

// Whether it is the same list, wherever its pointer is: a pointer that is a character of its own changes the
// text, and makes another question of it.
bool is_same_list(const detect::Prompt& one, const detect::Prompt& other) {
  return one.type == other.type &&
         std::ranges::equal(one.choices, other.choices, {}, &detect::Choice::label, &detect::Choice::label);
}

// Whether the pointer is there: nothing but Enter is to be pressed for it.
bool points_at(const detect::Prompt& prompt, const detect::Choice& wanted) {
  return std::any_of(prompt.choices.begin(), prompt.choices.end(), [&](const detect::Choice& each) {
    return each.label == wanted.label && each.key == wanted.key && each.send.empty();
  });
}

bool was_canonical(const Question& question) {
  const auto& evidence = question.asked.why.evidence;
  return evidence && evidence->canonical;
}

}  // namespace

Injection::Injection(event::Loop& loop, store::Store& store, Owner& owner, Pty& pty, Settings settings)
    : store_(store),
      owner_(owner),
      pty_(pty),
      settings_(settings),
      deadline_(loop, [this] { on_time(); }),
      patience_(loop, [this] { set_timer(); }),
      keys_(loop, [this] { pty_.let_keys_go(); }),
      judge_(loop, [this] { judge(); }),
      again_(loop,
             [this] {
               if (step_ == Step::look || step_ == Step::aim) pty_.attention().look_again();
             }),
      gate_(loop, settings.supervision, fmt::format("the gate of {}", pty.base_path()),
            {.cancel = [this] { cancel(); },
             .restart = [this] { next(); },
             .give_up = [this] { refuse_all(); }}) {}

template <typename Work, typename Then>
void Injection::in_store(Work work, Then then) {
  store_.write_unsynced(std::move(work),
                        [then = std::move(then), life = std::weak_ptr(life_)](const Result<void>& done) {
                          if (!life.expired() && !stalls(Stall::injector)) then(done);
                        });
}

Question* Injection::question() {
  return job_ ? pty_.attention().question_named(job_->request.prompt) : nullptr;
}

Result<void> Injection::check(const AnswerRequest& request) {
  const Question* asked = pty_.attention().question_named(request.prompt);
  if (asked == nullptr) return std::unexpected(gone());
  if (request.nonce && *request.nonce != asked->nonce)
    return fail(Code::prompt_not_found, 0, "there is no such prompt with this nonce");
  if (asked->state != State::awaiting) return std::unexpected(stale(how_it_ended(*asked)));
  if (request.at.value_or(store::wall_now()) >= asked->expires_at)
    return std::unexpected(stale("the prompt has expired"));
  return {};
}

void Injection::answer(AnswerRequest request, Done done) {
  if (auto fits = check(request); !fits) return done(fail(fits));
  if (gate_.is_given_up()) return done(fail(Code::internal, 0, std::string(kGivenUp)));
  if (waiting_.size() >= kMostWaiting)
    return done(fail(Code::pty_busy, 0, "too many answers wait for this terminal"));
  waiting_.push_back({std::move(request), std::move(done), clock_.now() + settings_.timeout});
  if (job_)
    set_timer();
  else
    next();
}

// Those that wait are abandoned in the order they came.
void Injection::set_timer() {
  while (!waiting_.empty() && waiting_.front().deadline <= clock_.now()) {
    const Job late = std::move(waiting_.front());
    waiting_.pop_front();
    base::log::say(base::log::Level::warning,
                   "an answer to the prompt {} was abandoned: another is on its way", late.request.prompt);
    late.done(fail(Code::pty_timeout, 0, "another answer was on its way for too long"));
  }
  if (!waiting_.empty()) patience_.set(waiting_.front().deadline);
}

void Injection::next() {
  patience_.cancel();
  while (!job_ && !waiting_.empty() && !gate_.is_cancelled()) {
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    if (auto fits = check(job.request); !fits) {
      job.done(fail(fits));
      continue;
    }
    job_ = std::move(job);
    is_claimed_ = is_intended_ = taken_ = false;
    doubts_ = 0;
    left_at_.reset();
    moved_.clear();
    answered_ = {};
    deadline_.set(job_->deadline = clock_.now() + settings_.timeout);
    gate_.due();
    look();
  }
  set_timer();
}

void Injection::look() {
  step_ = Step::look;
  looks_ = pty_.attention().looks().add([this] {
    if (step_ == Step::look) looked();
    if (step_ == Step::aim) return aimed();
    if (step_ != Step::effect) return;
    // A program that has the terminal by another name (/dev/tty) is not seen to read it; but what is not
    // there any more, somebody has taken.
    // What a look saw that had begun before the write says nothing of it.
    const auto& seen = pty_.attention().why().evidence;
    taken_ = taken_ || (!std::exchange(looked_before_, false) && seen && seen->unread == 0);
    judge();
  });
  pty_.attention().look_again();
}

// A look that has not settled it is followed by others: a program that was stopped, and goes on, writes
// nothing by which that would be known.
void Injection::looked() {
  const Question* asked = question();
  if (asked == nullptr) return give_up(gone());
  if (!pty_.attention().settled() || pty_.attention().state() != detect::State::waiting)
    return again_.set_after(kPause);
  auto bytes = job_->request.bytes(asked->asked.prompt, pty_);
  if (!bytes) return give_up(bytes.error());
  bytes_ = *bytes;
  base::wipe(*bytes);
  mark_ = pty_.moves();
  go_on();
  base::wipe_stack();
}

// Whether what the look saw is still so. What the program has written since must be read to know.
bool Injection::undisturbed() {
  pty_.catch_up();
  if (question() == nullptr || pty_.moves() != mark_ || pty_.waiting_input() != 0) return false;
  if (!pty_.has_run_since_look()) return true;
  doubts_++;
  return is_restless();
}

void Injection::go_on() {
  if (!undisturbed()) return question() != nullptr ? look() : give_up(gone());
  if (!is_claimed_) return claim();
  if (!is_intended_) return intend();
  write();
}

void Injection::claim() {
  step_ = Step::claim;
  Question& asked = *question();
  const AnswerRequest& request = job_->request;
  // A disk that was full when it was asked may have room now.
  const store::PromptRecord record = owner_.record(pty_, asked);
  asked.state = State::claimed;
  asked.by = request.by;
  asked.channel = request.channel;
  if (!request.rule.empty()) asked.rule = request.rule;
  const store::PromptClaim claim{.id = asked.id,
                                 .nonce = request.nonce.value_or(asked.nonce),
                                 .by = request.by,
                                 .channel = request.channel,
                                 .rule = request.rule};
  in_store(
      [record, claim,
       at = request.at.value_or(store::wall_now())](store::Connection& connection) -> Result<void> {
        if (auto added = store::add_prompt(connection, record); !added) return added;
        return store::claim_prompt(connection, claim, at);
      },
      [this](const Result<void>& done) { claimed(done); });
}

void Injection::claimed(const Result<void>& done) {
  if (!job_ || step_ != Step::claim) return;
  if (!done) return give_up(done.error());
  is_claimed_ = true;
  reach(FaultPoint::after_claim);
  if (const Question* asked = question()) owner_.prompt_changed(pty_, *asked);
  go_on();
}

void Injection::intend() {
  step_ = Step::intent;
  reach(FaultPoint::before_intent);
  const Question& asked = *question();
  std::optional<std::string> value;
  if (job_->request.value && !asked.asked.prompt.secret && !pty_.hides_input()) value = *job_->request.value;
  in_store([id = asked.id, value, at = store::wall_now()](
               store::Connection& connection) { return store::record_intent(connection, id, value, at); },
           [this](const Result<void>& done) { intended(done); });
}

void Injection::intended(const Result<void>& done) {
  if (!job_ || step_ != Step::intent) return;
  if (!done) return give_up(done.error());
  is_intended_ = true;
  reach(FaultPoint::after_intent);
  // The disk has taken its time: what was seen before it does not count for the write.
  if (question() == nullptr) return give_up(gone());
  look();
}

void Injection::write() {
  const Question before = std::exchange(question_, *question());
  answered_ = {.outcome = "",
               .bytes = bytes_,
               .count = bytes_.size(),
               .offset = pty_.journal().window().end,
               .secret = question_.asked.prompt.secret || pty_.hides_input()};
  watch_.reset();
  if (auto watch = pty_.watch_input()) watch_ = std::move(*watch);
  aim_ = aim_of(question_.asked.prompt, bytes_);
  step_ = aim_ ? Step::aim : Step::effect;
  pty_.hold_keys();
  if (!aim_) keys_.set_after(settings_.settle);
  deadline_.set_after(settings_.timeout);
  looked_before_ = pty_.attention().is_looking();
  const auto written = pty_.inject(
      std::string_view(bytes_).substr(0, bytes_.size() - (aim_ ? kEnter.size() : 0)), !is_restless());
  if (written && !*written) {
    doubts_++;
    question_ = before;
    deadline_.set(job_->deadline);
    keys_.cancel();
    pty_.let_keys_go();
    return look();
  }
  reach(FaultPoint::after_write);
  if (answered_.secret) {
    base::wipe(answered_.bytes);
    answered_.bytes = "secret";
  }
  base::wipe(bytes_);
  if (!written) give_up(written.error());
}

// A look that does not show it there is followed by others, until the deadline.
void Injection::aimed() {
  const auto& now = pty_.attention().question();
  if (!now || !pty_.attention().settled() || !is_same_list(now->asked.prompt, question_.asked.prompt) ||
      !points_at(now->asked.prompt, *aim_))
    return again_.set_after(kPause);
  if (now->id != question_.id) moved_ = now->id;
  step_ = Step::effect;
  taken_ = false;
  left_at_.reset();
  watch_.reset();
  if (auto watch = pty_.watch_input()) watch_ = std::move(*watch);
  keys_.set_after(settings_.settle);
  deadline_.set_after(settings_.timeout);
  looked_before_ = pty_.attention().is_looking();
  const auto written = pty_.inject(kEnter, !is_restless());
  if (!written) return give_up(written.error());
  if (*written) return;
  doubts_++;
  step_ = Step::aim;
  keys_.cancel();
  again_.set_after(kPause);
}

bool Injection::left(const Question& question) {
  if (step_ == Step::outcome && question.id == question_.id) return true;
  if (job_ && step_ == Step::effect && question.id == moved_) {
    left_at_ = clock_.now();
    judge();
    return false;
  }
  if (!job_ || question.id != job_->request.prompt) return false;
  if (step_ == Step::look) {
    give_up(gone());
    return false;
  }
  if (step_ != Step::effect && step_ != Step::aim) return false;
  left_at_ = clock_.now();
  judge();
  return true;
}

void Injection::asked(const Question&) {
  if (step_ == Step::aim) aimed();
  judge();
}

bool Injection::is_repeated(const Question& question) const {
  return region_of(question.asked.prompt) == region_of(question_.asked.prompt);
}

bool Injection::doubts(const Question& question) const {
  return !question_.outcome.empty() && question_.outcome != "accepted" && is_repeated(question);
}

// The question must have gone, and the program must have read its terminal. Whoever checks what was typed
// needs a moment until he asks again.
void Injection::judge() {
  if (step_ != Step::effect || !left_at_) return;
  const Attention& attention = pty_.attention();
  const bool running = pty_.state() == PtyState::running && !pty_.exit();
  taken_ = taken_ || (watch_ && watch_->was_read());
  if (!running) return conclude(taken_ ? "accepted" : "unknown");
  if (!taken_) return judge_.set_after(settings_.settle);
  if (const auto& now = attention.question(); now && now->id != question_.id && now->id != moved_)
    return conclude(is_repeated(*now) ? outcome_of({.before = question_.asked.prompt,
                                                    .now = now->asked.prompt,
                                                    .canonical = was_canonical(question_),
                                                    .sent = answered_.bytes,
                                                    .screen = pty_.screen()})
                                      : "accepted");
  const base::Moment sure = *left_at_ + settings_.settle;
  if (attention.settled() || clock_.now() >= sure) return conclude("accepted");
  judge_.set(sure);
}

void Injection::on_time() {
  if (!job_) return;
  // If it went before Enter was pressed, the keys before may have done it, or something else.
  if (step_ == Step::aim) return conclude(left_at_ ? "unknown" : "rejected");
  if (step_ == Step::effect) return conclude("unknown");
  if (step_ == Step::outcome) return;
  give_up(stale("the terminal did not come to rest, and nothing was written"));
}

// What it waits for does not come. Nothing of it is tried again: what was written, was written.
void Injection::cancel() {
  if (!job_) return;
  const base::Error error{Code::pty_timeout, 0, "the store does not answer, and nothing was written"};
  if (step_ == Step::effect || step_ == Step::aim) {
    settle("unknown");
    store_.write_unsynced([id = question_.id, at = store::wall_now()](store::Connection& connection) {
      return store::record_outcome(connection, id, "unknown", at);
    });
  }
  if (step_ == Step::outcome) {
    owner_.prompt_changed(pty_, question_);
    return finish(std::move(answered_));
  }
  give_up(error);
}

void Injection::refuse_all() {
  for (const Job& each : std::exchange(waiting_, {}))
    each.done(fail(Code::internal, 0, std::string(kGivenUp)));
}

void Injection::settle(std::string_view outcome) {
  if (step_ == Step::aim) keys_.set_after(settings_.settle);
  step_ = Step::outcome;
  looks_.reset();
  judge_.cancel();
  deadline_.cancel();
  watch_.reset();
  answered_.outcome = question_.outcome = outcome;
  question_.state = State::answered;
  if (Question* still = question()) {
    still->state = question_.state;
    still->outcome = question_.outcome;
  }
}

void Injection::conclude(std::string_view outcome) {
  settle(outcome);
  reach(FaultPoint::before_outcome);
  in_store([id = question_.id, text = std::string(outcome), at = store::wall_now()](
               store::Connection& connection) { return store::record_outcome(connection, id, text, at); },
           [this](const Result<void>& done) {
             if (!job_ || step_ != Step::outcome) return;
             if (!done)
               base::log::say(base::log::Level::error, "what came of an answer cannot be kept: {}",
                              done.error().message());
             owner_.prompt_changed(pty_, question_);
             const bool stands = pty_.attention().question_named(question_.id) != nullptr;
             finish(std::move(answered_));
             if (stands && pty_.attention().state() == detect::State::waiting) pty_.attention().ask_again();
           });
}

// Nothing was written, or nothing could be.
void Injection::give_up(const base::Error& error) {
  const bool was_claimed = is_claimed_ || step_ == Step::claim;
  const bool was_written = step_ == Step::effect || step_ == Step::aim;
  if (step_ == Step::aim) keys_.set_after(settings_.settle);
  step_ = Step::idle;
  if (Question* asked = question(); asked != nullptr && was_claimed) {
    asked->state = was_written ? State::failed : State::awaiting;
    if (!was_written) asked->by = asked->channel = "";
    // Also behind a claim that is on its way, and may succeed yet.
    store_.write_unsynced(
        [id = asked->id, was_written, at = store::wall_now()](store::Connection& connection) -> Result<void> {
          if (!was_written) return store::release_prompt(connection, id);
          auto ended = store::end_prompt(connection, id, {.state = "failed"}, at);
          if (!ended) return fail(ended);
          return {};
        });
    const Question now = *asked;
    owner_.prompt_changed(pty_, now);
  }
  finish(std::unexpected(error));
}

void Injection::finish(Result<Answered> result) {
  looks_.reset();
  deadline_.cancel();
  judge_.cancel();
  step_ = Step::idle;
  base::wipe(bytes_);
  // A job that came to its end went on, whatever the end was; one that was cancelled did not.
  if (!gate_.is_cancelled()) gate_.went();
  const Done done = std::move(job_->done);
  job_.reset();
  done(std::move(result));
  if (!job_) next();
}

}  // namespace session
