// SPDX-License-Identifier: Apache-2.0
#include "detect/detector.h"

#include <algorithm>
#include <array>

namespace detect {
namespace {

using base::Moment;
using std::chrono::milliseconds;
using std::chrono::seconds;

// The seed's figures, and what certainty adds to them.
constexpr double kWaits = 0.90;
constexpr double kMayWait = 0.60;
constexpr double kStall = 0.60;
constexpr double kTime = 0.45;

// How long a screen must stand still before it counts, where the kernel cannot be certain.
constexpr base::Duration kStillWithTimer = milliseconds(150);
constexpr base::Duration kStillWithSources = milliseconds(250);
constexpr base::Duration kStillUnseen = milliseconds(100);
constexpr int32_t kLongTimer = 1000;    // milliseconds; a shorter one may draw the next picture of a spinner
constexpr int32_t kSpinnerTimer = 250;  // milliseconds
constexpr base::Duration kSpinnerPast = seconds(1);
constexpr double kIdleShare = 0.05;  // of one processor; agents that do nothing take up to 4 %
constexpr base::Duration kShareOver = milliseconds(50);
constexpr base::Duration kAwake = milliseconds(20);
constexpr size_t kMostLater = 8;

// Shells that have no line editor of their own: their prompt is an ordinary read.
constexpr auto kPlainShells =
    std::to_array<std::string_view>({"dash", "sh", "ash", "busybox", "ksh", "mksh", "posh", "yash"});

bool has_enter(std::string_view bytes) { return bytes.find_first_of("\r\n") != std::string_view::npos; }

// Whether a line was begun and neither sent nor given up.
bool leaves_open_line(std::string_view bytes) {
  constexpr std::string_view kEndsLine("\r\n\x03\x04");
  return !bytes.empty() && kEndsLine.find(bytes.back()) == std::string_view::npos;
}

bool at_own_prompt(const Evidence& evidence, const Reading& reading) {
  if (!evidence.shell || evidence.secret() || reading.asks) return false;
  if (!evidence.canonical) return true;
  // In a shell with a line editor this is its `read`.
  return std::find(kPlainShells.begin(), kPlainShells.end(), evidence.command) != kPlainShells.end() &&
         !reading.ends_open;
}

}  // namespace

std::string_view name_of(State state) {
  constexpr std::array<std::string_view, 5> kNames{"working", "waiting", "ready", "exited", "unknown"};
  return kNames[static_cast<size_t>(state)];
}

Detector::Detector(const Settings& settings, const Patterns& patterns)
    : settings_(settings), patterns_(patterns) {}

void Detector::output(Moment now) {
  last_output_ = now;
  schedule_.moved(now);
}

void Detector::input(Moment now, std::string_view bytes) {
  schedule_.moved(now);
  edits_line_ = leaves_open_line(bytes);
  if (!asked_) return;
  if (asked_->prompt.enter && !has_enter(bytes)) return;
  answered_at_ = now;
  // Lines that a program has gathered an answer to ask nothing any more; a picture that is drawn again may.
  if (asked_->why.evidence && asked_->why.evidence->canonical) answered_row_ = asked_->prompt.row;
}

void Detector::taken(Moment now) { schedule_.moved(now); }

void Detector::resized(Moment now) {
  // Rows are counted anew.
  answered_row_.reset();
  schedule_.moved(now);
}

void Detector::recovered(Moment now, const vt::Screen& screen) {
  const View view = View::of(screen, settings_.horizon);
  if (const uint64_t row = view.absolute(view.at_cursor()); row > 0) answered_row_ = row - 1;
  // A question may stand in the line above the cursor; an answer that was typed would stand behind it.
  if (view.at_cursor().blank()) answered_row_.reset();
  schedule_.moved(now);
}

void Detector::flowing(Moment) {
  if (state_ != State::exited) explain(State::working, "it writes without a pause", {});
}

void Detector::exited(Moment) {
  if (asked_) close(answered_at_.has_value());
  later_.clear();
  schedule_.rest();
  explain(State::exited, "the program has ended", {});
}

bool Detector::looked(Moment begun, Moment now, const Evidence& evidence, const vt::Screen& screen) {
  if (state_ == State::exited) return false;
  if (begun < schedule_.last_move()) return false;  // what it saw was before the last byte
  schedule_.looked(now);
  screen_ = &screen;
  why_.evidence = evidence;
  why_.quiet = schedule_.quiet(now);
  why_.matches.clear();
  switch (evidence.verdict) {
    case Verdict::waits:
      decide_waits(now, evidence);
      break;
    case Verdict::may_wait:
      decide_may_wait(now, evidence);
      break;
    case Verdict::both:
      decide_both(now, evidence);
      break;
    case Verdict::busy:
      decide_busy("nobody waits for the terminal");
      // One that was about to settle may only have been awake for a moment, by a timer of its own.
      if (last_verdict_ == Verdict::may_wait) schedule_.look_at(now + kAwake);
      break;
    case Verdict::unknown:
      decide_unknown(now, evidence);
      break;
    case Verdict::gone:
      break;
  }
  cpu_ = Cpu{now, evidence.cpu_ns};
  last_verdict_ = evidence.verdict;
  screen_ = nullptr;
  return true;
}

const Reading& Detector::read(const Evidence& evidence) {
  const View view = View::of(*screen_, settings_.horizon);
  // Lines above the cursor that were answered stay so until the cursor comes back to them: they are drawn
  // anew.
  if (answered_row_ && view.absolute(view.at_cursor()) <= *answered_row_) answered_row_.reset();
  reading_ = read_question(view, evidence, patterns_, answered_row_);
  why_.matches = reading_->prompt.matches;
  return *reading_;
}

void Detector::decide_waits(Moment now, const Evidence& evidence) {
  const Reading& reading = read(evidence);
  schedule_.rest();
  const Signals signals{.pattern = reading.prompt.confidence, .kernel = kWaits};
  // What stands behind a shell's prompt is a command that somebody writes, even if it looks like a question.
  const bool writes_command =
      evidence.shell && !evidence.canonical && !evidence.echo && edits_line_ && !asked_;
  const bool answer_begun = asked_ && !answered_at_ && reading.prompt.row == asked_->prompt.row &&
                            reading.prompt.question.starts_with(asked_->prompt.question);
  if (!answer_begun && (at_own_prompt(evidence, reading) || writes_command))
    return settle(State::ready, "a shell at its own prompt", signals);
  if (!reading.idle.empty() && !reading.asks)
    return settle(State::ready, "an agent at its empty input box", signals);
  Prompt prompt = reading.prompt;
  prompt.secret = prompt.secret || evidence.secret();
  if (reading.asks) return ask(now, std::move(prompt), signals, "it reads the terminal, and the screen asks");
  if (evidence.secret() || (reading.ends_open && !reading.full_screen)) {
    prompt.type = Type::free_text;
    return ask(now, std::move(prompt), signals,
               evidence.secret() ? "it reads the terminal without showing what is typed"
                                 : "it reads the terminal behind a line that is left open");
  }
  if (reading.full_screen)
    return settle(State::ready, "a program of the whole screen that asks nothing", signals);
  ask(now, std::move(prompt), signals, "it reads the terminal, and the question is not known");
}

void Detector::decide_may_wait(Moment now, const Evidence& evidence) {
  if (evidence.requests > 0) return decide_busy("a request to somebody else is in flight");
  const bool sources = evidence.sockets + evidence.pipes > 0;
  const bool short_timer = evidence.timeout_ms >= 0 && evidence.timeout_ms < kSpinnerTimer;
  const base::Duration quiet = schedule_.quiet(now);
  if (sources && short_timer && now - last_output_ < kSpinnerPast)
    return decide_busy("it draws a picture that moves");
  const bool long_wait = !sources && (evidence.timeout_ms < 0 || evidence.timeout_ms >= kLongTimer);
  const base::Duration still = long_wait ? kStillWithTimer : kStillWithSources;
  if (quiet < still) {
    // Not yet; whatever it was before, it may still be.
    schedule_.look_at(schedule_.last_move() + still);
    return;
  }
  if (!long_wait && keeps_cpu_busy(now, evidence)) return decide_busy("it takes processor time");
  const Reading& reading = read(evidence);
  schedule_.rest();
  const Signals signals{.pattern = reading.prompt.confidence, .kernel = kMayWait};
  if (reading.asks && reading.prompt.confidence >= settings_.med_threshold &&
      !at_own_prompt(evidence, reading))
    return ask(now, reading.prompt, signals,
               "it waits for the terminal among others, and a still screen asks");
  settle(State::ready, "it waits for the terminal among others, and asks nothing", signals);
}

void Detector::decide_both(Moment now, const Evidence& evidence) {
  // A shell that edits a line is at its prompt, whatever its helpers do meanwhile.
  if (evidence.shell && !evidence.canonical && !read(evidence).asks) {
    schedule_.rest();
    return settle(State::ready, "a shell at its own prompt", {.kernel = kWaits});
  }
  if (schedule_.quiet(now) < kStillWithSources)
    return decide_busy("somebody reads the terminal while others work");
  const Reading& reading = read(evidence);
  if (!reading.asks || reading.prompt.confidence < settings_.high_threshold)
    return decide_busy("somebody reads the terminal while others work");
  schedule_.rest();
  ask(now, reading.prompt, {.pattern = reading.prompt.confidence, .kernel = kMayWait},
      "somebody reads the terminal while others work, and a still screen asks");
}

void Detector::decide_busy(std::string_view rule) {
  if (asked_ && (answered_at_ || !still_stands(asked_->prompt))) close(answered_at_.has_value());
  explain(State::working, rule, {});
}

// The kernel may not be asked: what it tells everybody (how the terminal is set), the text, and silence.
void Detector::decide_unknown(Moment now, const Evidence& evidence) {
  const base::Duration quiet = schedule_.quiet(now);
  const auto later = [&](base::Duration after) { schedule_.look_at(schedule_.last_move() + after); };
  if (quiet < kStillUnseen) return later(kStillUnseen);
  const Reading& reading = read(evidence);
  Prompt prompt = reading.prompt;
  if (evidence.secret()) {
    prompt.secret = true;
    if (!reading.asks) prompt.type = Type::free_text;
    schedule_.rest();
    return ask(now, std::move(prompt), {.pattern = reading.prompt.confidence, .kernel = kWaits},
               "the terminal hides what is typed: a password");
  }
  if (reading.asks && prompt.confidence >= settings_.high_threshold) {
    schedule_.rest();
    return ask(now, std::move(prompt), {.pattern = reading.prompt.confidence},
               "the screen asks, and the kernel may not be asked");
  }
  if (quiet < settings_.stuck_timeout) {
    // A program of the whole screen that draws something is what it was.
    if (state_ != State::ready || !reading.full_screen)
      explain(State::unknown, "the kernel may not be asked", {.pattern = prompt.confidence});
    return later(settings_.stuck_timeout);
  }
  schedule_.rest();
  const Signals signals{.pattern = prompt.confidence, .kernel = kStall, .time = reading.asks ? 0 : kTime};
  if (reading.asks && prompt.confidence >= settings_.med_threshold)
    return ask(now, std::move(prompt), signals, "the screen asks, and has been silent");
  if (reading.full_screen && !reading.ends_open)
    return settle(State::ready, "a program of the whole screen that asks nothing", signals);
  if (reading.ends_open) prompt.type = Type::free_text;
  ask(now, std::move(prompt), signals,
      reading.ends_open ? "it has been silent behind a line that is left open" : "it has been silent");
}

bool Detector::keeps_cpu_busy(Moment now, const Evidence& evidence) const {
  if (!cpu_ || now - cpu_->at < kShareOver || evidence.cpu_ns < cpu_->ns) return false;
  const auto used = static_cast<double>(evidence.cpu_ns - cpu_->ns);
  return used / static_cast<double>((now - cpu_->at).count()) >= kIdleShare;
}

// One more look at the episodes: the same question again is the same prompt, unless it was answered.
void Detector::ask(Moment now, Prompt prompt, const Signals& signals, std::string_view rule) {
  if (asked_) {
    explain(State::waiting, rule, signals);
    const Prompt& open = asked_->prompt;
    const bool same =
        prompt.same_as(open) || (prompt.row == open.row && prompt.question.starts_with(open.question) &&
                                 prompt.choices.empty() == open.choices.empty());
    if (same) {
      if (!answered_at_) {
        // Another may have been printed behind it since.
        if (reading_ && !reading_->later.empty()) later_ = reading_->later;
        // How an entry is reached depends on the one that is highlighted now.
        if (prompt.same_as(open)) {
          asked_->prompt.choices = std::move(prompt.choices);
          asked_->prompt.fallback = std::move(prompt.fallback);
        }
        return;
      }
      // Its own echo, until the program had the time to go on.
      if (in_echo_window(now)) return schedule_.look_at(*answered_at_ + settings_.echo_window);
      if (last_output_ <= *answered_at_) return;  // nothing came of the answer
    } else if (!answered_at_ && still_stands(open) && prompt.row > open.row && !read_has_ended()) {
      const auto known = std::find_if(later_.begin(), later_.end(),
                                      [&](const Prompt& each) { return each.same_as(prompt); });
      if (known == later_.end() && later_.size() < kMostLater) later_.push_back(std::move(prompt));
      return;
    }
    close(answered_at_.has_value());
  }
  if (!later_.empty()) {
    prompt = std::move(later_.front());
    later_.erase(later_.begin());
  } else if (reading_) {
    later_ = reading_->later;
  }
  if (last_ && last_->same_as(prompt) && in_echo_window(now)) {
    schedule_.look_at(*answered_at_ + settings_.echo_window);
    return;
  }
  explain(State::waiting, rule, signals);
  answered_at_.reset();
  last_.reset();
  Asked asked;
  asked.number = ++count_;
  asked.ambiguous = prompt.type == Type::unknown;
  asked.confidence = std::max({signals.pattern, signals.kernel, signals.time});
  asked.prompt = std::move(prompt);
  asked.since = now;
  asked.why = why_;
  asked_ = std::move(asked);
  changes_.push_back({.kind = Change::Kind::asked, .state = state_, .asked = asked_});
}

void Detector::close(bool answered) {
  last_ = asked_->prompt;
  changes_.push_back(
      {.kind = Change::Kind::left, .state = state_, .asked = std::move(asked_), .answered = answered});
  asked_.reset();
}

bool Detector::in_echo_window(Moment now) const {
  return answered_at_ && now < *answered_at_ + settings_.echo_window;
}

// Whether the question's text is where it was, perhaps with an answer behind it.
bool Detector::still_stands(const Prompt& prompt) const {
  const View view = View::of(*screen_, settings_.horizon);
  const std::string_view first = std::string_view(prompt.question).substr(0, prompt.question.find('\n'));
  if (first.empty()) return false;
  return std::any_of(view.lines.begin(), view.lines.end(), [&](const ViewLine& line) {
    return line.text.find(first) != std::string::npos &&
           (!prompt.choices.empty() || view.absolute(line) == prompt.row);
  });
}

// Whether whoever was blocked in a read when the question was asked has run since, and waits in another one:
// it gave the question up, and what it printed then is what it asks now.
bool Detector::read_has_ended() const {
  const auto& before = asked_->why.evidence;
  const auto& now = why_.evidence;
  return before && now && before->verdict == Verdict::waits && now->verdict == Verdict::waits &&
         before->reader == now->reader && before->turns != now->turns;
}

void Detector::settle(State state, std::string_view rule, const Signals& signals) {
  if (asked_) close(answered_at_.has_value());
  later_.clear();
  explain(state, rule, signals);
}

void Detector::explain(State state, std::string_view rule, const Signals& signals) {
  why_.state = state;
  why_.rule = rule;
  why_.signals = signals;
  if (state == state_) return;
  state_ = state;
  changes_.push_back({.kind = Change::Kind::state, .state = state});
}

}  // namespace detect
