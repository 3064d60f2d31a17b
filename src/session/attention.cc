// SPDX-License-Identifier: Apache-2.0
#include "session/attention.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "session/evidence_of.h"

namespace session {
namespace {

using base::Moment;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr base::Duration kShortestPause = microseconds(500);
constexpr base::Duration kLongestPause = milliseconds(4);
constexpr uint64_t kMuch = 16 << 10;  // bytes since the last look
constexpr base::Duration kPauseOfMuch = milliseconds(2);
constexpr base::Duration kPauseOfKeys = milliseconds(3);
constexpr base::Duration kFlow = milliseconds(50);  // output without a pause for so long is work
// A keeper answers within a millisecond; one that does not is asked again.
constexpr base::Duration kLostLook = seconds(5);

std::shared_ptr<const detect::Patterns> usual_patterns() {
  static const auto kUsual = std::make_shared<const detect::Patterns>();
  return kUsual;
}

static_assert(static_cast<int>(detect::Type::unknown) == static_cast<int>(config::PromptType::unknown));

}  // namespace

base::Result<Attentiveness> make_attentive(const config::Detector& config) {
  Attentiveness how{.enabled = config.enabled, .settings = {}, .patterns = {}};
  how.settings = {.stuck_timeout = config.stuck_timeout,
                  .echo_window = config.echo_suppression,
                  .horizon = {.lines = config.buffer_lines, .bytes = config.buffer_bytes},
                  .high_threshold = config.high_threshold,
                  .med_threshold = config.med_threshold};
  if (config.patterns.empty()) return how;
  std::vector<detect::OwnPattern> own;
  own.reserve(config.patterns.size());
  for (const config::DetectorPattern& each : config.patterns)
    own.push_back({static_cast<detect::Type>(each.type), each.pattern, each.confidence,
                   each.secret ? detect::Trait::secret : detect::Trait::none});
  auto patterns = detect::Patterns::with(own);
  if (!patterns) return base::fail(patterns);
  how.patterns = std::make_shared<const detect::Patterns>(std::move(*patterns));
  return how;
}

void prepare_patterns() { (void)usual_patterns(); }

Attention::Attention(event::Loop& loop, Owner& owner, Attentiveness how, Probe probe)
    : owner_(owner),
      how_(std::move(how)),
      timer_(loop, [this] { on_time(); }),
      probe_(loop, probe.settings, std::move(probe.name),
             {.cancel =
                  [this] {
                    asked_at_.reset();
                    timer_.cancel();
                  },
              .restart = [this] { begin_look(clock_.now()); },
              .give_up = [this] { begin_look(clock_.now()); }}) {
  if (!how_.patterns) how_.patterns = usual_patterns();
  detector_.emplace(how_.settings, *how_.patterns);
}

void Attention::start() {
  probe_.rest();
  question_.reset();
  asked_at_.reset();
  detector_.emplace(how_.settings, *how_.patterns);
  // A program may wait without having written anything.
  detector_->taken(clock_.now());
  set_timer();
}

void Attention::find_again() {
  start();
  detector_->recovered(clock_.now(), owner_.looked_at());
  set_timer();
}

void Attention::end() {
  timer_.cancel();
  probe_.rest();
  asked_at_.reset();
  detector_->exited(clock_.now());
  pass_on();
  looks_.call();
}

void Attention::output(uint64_t end) {
  end_ = end;
  last_output_ = clock_.now();
  detector_->output(last_output_);
  // A timer that is set already comes early, and is set anew then: in a flood that happens now and then, and
  // not for every piece.
  if (how_.enabled && !timer_.pending() && !asked_at_) set_timer();
}

void Attention::input(std::string_view bytes) { detector_->input(clock_.now(), bytes); }

void Attention::plan() {
  if (!asked_at_) set_timer();
}

void Attention::typed() { last_key_ = clock_.now(); }

void Attention::taken() {
  detector_->taken(clock_.now());
  if (!asked_at_) set_timer();
}

void Attention::resized() {
  detector_->resized(clock_.now());
  if (!asked_at_) set_timer();
}

void Attention::set_timer() {
  if (!how_.enabled) return;
  pause_ = kShortestPause;
  flows_since_ = clock_.now();
  const auto next = detector_->next();
  if (!next) return timer_.cancel();
  // While somebody types, one that comes early is set anew when it has come.
  const Moment due = std::max(*next, last_key_ + kPauseOfKeys);
  if (due > *next && timer_.pending() && timer_due_ <= due) return;
  wake_at(due);
}

void Attention::wake_at(Moment due) {
  timer_due_ = due;
  timer_.set(due);
}

void Attention::on_time() {
  const Moment now = clock_.now();
  const auto next = detector_->next();
  if (asked_at_ && now - *asked_at_ < kLostLook) return;
  if (!next) return;
  if (*next > now) {
    // Something moved since the timer was set.
    if (now - flows_since_ >= kFlow) {
      detector_->flowing(now);
      pass_on();
    }
    pause_ = std::min<base::Duration>(pause_ * 2, kLongestPause);
    wake_at(std::max(*next, std::min(now + pause_, *next + kLongestPause)));
    return;
  }
  // Between two pieces of much output there are pauses too, and a look takes time from whoever writes it.
  if (end_ - looked_end_ > kMuch && now - last_output_ < kPauseOfMuch)
    return wake_at(last_output_ + kPauseOfMuch);
  // And from whoever answers a key.
  if (now - last_key_ < kPauseOfKeys) return wake_at(last_key_ + kPauseOfKeys);
  begin_look(now);
}

void Attention::begin_look(Moment now) {
  looked_end_ = end_;
  if (probe_.is_cancelled() && !probe_.is_given_up()) return;
  asked_at_ = now;
  wake_at(now + kLostLook);
  probe_.due();
  owner_.want_look();
}

void Attention::look_again() {
  if (how_.enabled && !asked_at_) begin_look(clock_.now());
}

Question* Attention::question_named(std::string_view id) {
  return question_ && question_->id == id ? &*question_ : nullptr;
}

void Attention::ask_again() {
  if (!question_) return;
  detector_->reopen();
  const News left{.kind = detect::Change::Kind::left, .question = question_, .answered = true};
  Question fresh{.again = true, .asked = question_->asked};
  owner_.name_question(fresh);
  question_ = std::move(fresh);
  const News asked{.kind = detect::Change::Kind::asked, .question = question_};
  owner_.attention_changed(left);
  owner_.attention_changed(asked);
}

void Attention::looked(const pty::Look& look) {
  if (!asked_at_) return;
  probe_.went();
  const Moment begun = *std::exchange(asked_at_, {});
  const bool counts = detector_->looked(begun, clock_.now(), evidence_of(look), owner_.looked_at());
  set_timer();
  pass_on();
  if (!counts) return;
  if (const auto& asked = detector_->asked(); question_ && asked && asked->number == question_->asked.number)
    question_->asked.prompt = asked->prompt;
  looks_.call();
}

void Attention::pass_on() {
  // Whoever hears of the first change sees all of them.
  std::vector<News> all;
  for (detect::Change& change : detector_->take_changes()) {
    switch (change.kind) {
      case detect::Change::Kind::state:
        all.push_back({.kind = change.kind});
        break;
      case detect::Change::Kind::asked:
        question_ = Question{.asked = std::move(*change.asked)};
        owner_.name_question(*question_);
        all.push_back({.kind = change.kind, .question = question_});
        break;
      case detect::Change::Kind::left:
        all.push_back(
            {.kind = change.kind, .question = std::exchange(question_, {}), .answered = change.answered});
        break;
    }
  }
  for (const News& each : all) owner_.attention_changed(each);
}

}  // namespace session
