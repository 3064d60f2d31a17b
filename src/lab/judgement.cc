// SPDX-License-Identifier: Apache-2.0
#include "lab/judgement.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lab {
namespace {

using Kind = RecordedEvent::Kind;
using base::Duration;
using detect::State;
using std::chrono::milliseconds;

constexpr Duration kStallRule = milliseconds(300);

bool moves(const RecordedEvent& event) { return event.kind == Kind::output || event.kind == Kind::input; }

Duration last_move_before(const Recording& recording, Duration time) {
  Duration last{};
  for (const RecordedEvent& each : recording.events)
    if (moves(each) && each.at <= time) last = each.at;
  return last;
}

// Whether nothing came for so long at some time after the point that matters.
bool was_silent(const Recording& recording) {
  Duration last = recording.point();
  for (const RecordedEvent& each : recording.events) {
    if (each.at < last || (each.kind != Kind::output && each.kind != Kind::cut && each.kind != Kind::end))
      continue;
    if (each.at - last >= kStallRule) return true;
    last = each.at;
  }
  return false;
}

bool sure(const detect::Signals& signals) {
  constexpr double kHigh = 0.85;
  constexpr double kMedium = 0.60;
  const auto all = {signals.pattern, signals.kernel, signals.time};
  return std::max(all) >= kHigh ||
         std::count_if(all.begin(), all.end(), [](double each) { return each >= kMedium; }) >= 2;
}

std::string wrong_prompt(const Truth& truth, const detect::Prompt& prompt) {
  if (std::find(truth.types.begin(), truth.types.end(), prompt.type) == truth.types.end())
    return fmt::format("type {}", name_of(prompt.type));
  if (truth.question && !prompt.question.starts_with(*truth.question))
    return fmt::format("question '{}'", prompt.question);
  if (truth.choices) {
    std::vector<std::string> labels;
    labels.reserve(prompt.choices.size());
    for (const detect::Choice& each : prompt.choices) labels.push_back(each.label);
    if (labels != *truth.choices) return fmt::format("choices [{}]", fmt::join(labels, ", "));
  }
  if (truth.fallback && prompt.fallback.value_or("") != *truth.fallback)
    return fmt::format("default '{}'", prompt.fallback.value_or(""));
  if (truth.secret && prompt.secret != *truth.secret) return prompt.secret ? "secret" : "not secret";
  if (truth.enter && prompt.enter != *truth.enter) return prompt.enter ? "wants Enter" : "wants no Enter";
  return {};
}

// The state must be the true one, and stay so through the second half of the time that it is watched.
std::string wrong_state(State truth, const Observation& observed, Duration from) {
  State state = State::working;
  for (const auto& each : observed.said) {
    if (each.change.kind != detect::Change::Kind::state) continue;
    if (each.at >= from && state != truth) return fmt::format("state {}", name_of(state));
    state = each.change.state;
  }
  if (state != truth) return fmt::format("state {}", name_of(state));
  return {};
}

class Player final : public vt::Sink {
 public:
  Player(const Recording& recording, const detect::Patterns& patterns)
      : recording_(recording),
        screen_({recording.size.cols, recording.size.rows}, {}, this),
        detector_({}, patterns) {}

  Observation play() {
    detector_.taken(kStart);
    for (const RecordedEvent& event : recording_.events) {
      repeat_looks(event.at);
      now_ = kStart + event.at;
      tell(event);
      gather();
    }
    return {std::move(said_), detector_.state(), detector_.asked(), detector_.why()};
  }

 private:
  static constexpr base::Moment kStart{std::chrono::hours(1)};
  static constexpr Duration kFlow = milliseconds(50);

  void reply(std::string_view) override { detector_.taken(now_); }

  void tell(const RecordedEvent& event) {
    switch (event.kind) {
      case Kind::output:
        screen_.feed(event.bytes);
        detector_.output(now_);
        evidence_ = nullptr;
        if (!flows_since_) flows_since_ = now_;
        if (now_ - *flows_since_ >= kFlow) detector_.flowing(now_);
        break;
      case Kind::input:
        detector_.input(now_, event.bytes);
        evidence_ = nullptr;
        break;
      case Kind::look:
        detector_.looked(kStart + event.begun, now_, event.evidence, screen_);
        evidence_ = &event.evidence;
        flows_since_.reset();
        break;
      case Kind::cut:
      case Kind::point:
      case Kind::note:
      case Kind::end:
        break;
    }
  }

  // What the detector of the day did not want to know, and this one does.
  void repeat_looks(Duration until) {
    while (evidence_ != nullptr) {
      const auto next = detector_.next();
      if (!next || *next >= kStart + until || *next < now_) return;
      now_ = *next;
      detector_.looked(now_, now_, *evidence_, screen_);
      gather();
    }
  }

  void gather() {
    for (detect::Change& change : detector_.take_changes())
      said_.push_back({now_ - kStart, std::move(change)});
  }

  const Recording& recording_;
  vt::Screen screen_;
  detect::Detector detector_;
  std::vector<Observation::Said> said_;
  const detect::Evidence* evidence_ = nullptr;  // the last, if nothing has moved since
  std::optional<base::Moment> flows_since_;
  base::Moment now_ = kStart;
};

}  // namespace

Judgement judge(const CorpusCase& what, const Recording& recording, const Observation& observed) {
  Judgement judgement{.state = observed.state,
                      .asked = observed.asked,
                      .stall_rule = was_silent(recording),
                      .rule = observed.why.rule};
  const Duration point = recording.point();
  for (const auto& each : observed.said) {
    if (each.change.kind != detect::Change::Kind::asked) continue;
    const bool stands = observed.asked && observed.asked->number == each.change.asked->number;
    if (each.at < point && !stands) continue;
    judgement.event = true;
    judgement.latency = each.at - last_move_before(recording, each.at);
    if (!judgement.asked) judgement.asked = each.change.asked;
  }
  judgement.routed = judgement.asked && sure(judgement.asked->why.signals);
  const Truth& truth = what.truth;
  const Duration half = std::max(point, recording.end() - what.hold / 2);
  if (truth.state != State::waiting) {
    judgement.wrong = judgement.event ? fmt::format("asked '{}'", judgement.asked->prompt.question)
                                      : wrong_state(truth.state, observed, half);
    return judgement;
  }
  if (!observed.asked)
    judgement.wrong = fmt::format("missed, state {}", name_of(observed.state));
  else
    judgement.wrong = wrong_prompt(truth, observed.asked->prompt);
  return judgement;
}

Observation replay(const Recording& recording, const detect::Patterns& patterns) {
  return Player(recording, patterns).play();
}

}  // namespace lab
