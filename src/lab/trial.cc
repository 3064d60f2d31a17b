// SPDX-License-Identifier: Apache-2.0
#include "lab/trial.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <poll.h>
#include <utility>

#include "base/strings.h"

namespace lab {
namespace {

using base::Duration;
using base::Moment;

constexpr size_t kMostLog = 400;
constexpr size_t kMostText = 200;
constexpr Duration kSilence = std::chrono::milliseconds(100);

double milliseconds_of(Duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

std::string describe(const detect::Evidence& evidence) {
  std::string text = fmt::format("look: {}", detect::name_of(evidence.verdict));
  if (!evidence.call.empty() && evidence.reader != 0)
    text += fmt::format(", {} in {}", evidence.command, evidence.call);
  else if (!evidence.command.empty())
    text += ", " + evidence.command;
  if (!evidence.canonical) text += ", single keys";
  if (!evidence.echo) text += ", no echo";
  if (evidence.unread > 0) text += fmt::format(", {} bytes unread", evidence.unread);
  return text;
}

std::string describe(const detect::Change& change) {
  switch (change.kind) {
    case detect::Change::Kind::state:
      return fmt::format("state: {}", detect::name_of(change.state));
    case detect::Change::Kind::left:
      return fmt::format("left: question {}, {}", change.asked->number,
                         change.answered ? "answered" : "not answered");
    case detect::Change::Kind::asked:
      break;
  }
  const detect::Asked& asked = *change.asked;
  return fmt::format("asked: question {}, {} {:.2f}{}: \"{}\" because {}", asked.number,
                     detect::name_of(asked.prompt.type), asked.confidence,
                     asked.ambiguous ? " ambiguous" : "", base::printable(asked.prompt.question, kMostText),
                     asked.why.rule);
}

}  // namespace

// Many of a kind in a row become one line.
class Trial::Log final : public Observer {
 public:
  explicit Log(std::vector<std::string>& lines, Moment begun) : lines_(lines), begun_(begun) {}

  void output(Moment at, std::string_view bytes) override {
    if (add_same(Kind::output, "output")) {
      bytes_ += bytes.size();
      lines_.back() = fmt::format("{} output: {} bytes in all", stamp_, bytes_);
      return;
    }
    bytes_ = bytes.size();
    add(at, "output: \"" + base::printable(bytes, kMostText) + "\"");
  }
  void input(Moment at, std::string_view bytes) override {
    last_ = Kind::other;
    add(at, "typed: \"" + base::printable(bytes, kMostText) + "\"");
  }
  void looked(Moment, Moment now, const detect::Evidence& evidence) override {
    const std::string text = describe(evidence);
    if (add_same(Kind::look, text)) {
      lines_.back() = fmt::format("{} {} ({} times)", stamp_, text, ++times_);
      return;
    }
    times_ = 1;
    add(now, text);
  }
  void changed(Moment at, const detect::Change& change) override {
    last_ = Kind::other;
    add(at, describe(change));
  }
  void add(Moment at, const std::string& text) {
    stamp_ = fmt::format("{:9.3f} ms ", milliseconds_of(at - begun_));
    if (lines_.size() < kMostLog)
      lines_.push_back(stamp_ + " " + text);
    else
      lines_.back() = "…";
  }

 private:
  enum class Kind { other, output, look };
  bool add_same(Kind kind, const std::string& text) {
    const bool same = last_ == kind && last_text_ == text && lines_.size() < kMostLog;
    last_ = kind;
    last_text_ = text;
    return same;
  }

  std::vector<std::string>& lines_;
  Moment begun_;
  Kind last_ = Kind::other;
  std::string last_text_;
  std::string stamp_;
  size_t bytes_ = 0;
  size_t times_ = 0;
};

Trial::Trial(const Conditions& conditions)
    : conditions_(conditions), begun_(clock_.now()), observer_(std::make_unique<Log>(outcome_.log, begun_)) {}

Trial::~Trial() = default;

Stage* Trial::start(const Program& program) {
  stage_.reset();
  std::string words;
  for (const std::string& each : program.argv) words += " " + base::shell_quote(each);
  log("start:" + base::printable(words, 2 * kMostText));
  auto stage = Stage::open(program, {.settings = conditions_.settings,
                                     .patterns = conditions_.patterns,
                                     .observer = observer_.get(),
                                     .veil = conditions_.veil,
                                     .stop = conditions_.stop});
  if (!stage) {
    expect("the program starts", "started", stage.error().message());
    return nullptr;
  }
  stage_ = std::move(*stage);
  return stage_.get();
}

Stage* Trial::start_part(std::vector<std::string> words) {
  words.insert(words.begin(), {conditions_.tend, "__lab-program"});
  return start({.argv = std::move(words)});
}

Rehearsal Trial::rehearse() const {
  static const detect::Patterns kUsual;
  return {conditions_.settings, conditions_.patterns != nullptr ? *conditions_.patterns : kUsual,
          conditions_.veil};
}

void Trial::expect(std::string_view name, std::string_view expected, std::string_view actual) {
  outcome_.checks.push_back(
      {std::string(name), std::string(expected), std::string(actual), expected == actual});
}

void Trial::expect_below(std::string_view name, Duration most, Duration actual) {
  most *= conditions_.patience;
  outcome_.checks.push_back({std::string(name), fmt::format("< {:.3f} ms", milliseconds_of(most)),
                             fmt::format("{:.3f} ms", milliseconds_of(actual)),
                             actual < most && actual >= Duration::zero()});
}

bool Trial::await(std::string_view name, const std::function<bool()>& condition) {
  constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 500'000};
  const Moment end = clock_.now() + conditions_.deadline;
  while (!condition()) {
    if (stopped()) return false;
    if (clock_.now() >= end) {
      outcome_.checks.push_back({std::string(name), "within its deadline", "not", false});
      return false;
    }
    ::nanosleep(&kPause, nullptr);
  }
  return true;
}

bool Trial::reach(std::string_view name, Stage& stage, const std::function<bool()>& condition) {
  if (stage.run_until(condition, conditions_.deadline)) return true;
  if (stopped()) return false;
  outcome_.checks.push_back({std::string(name), "within its deadline",
                             fmt::format("not; state {}, {}, {} looks; on the screen: \"{}\"",
                                         detect::name_of(stage.detector().state()),
                                         stage.detector().why().rule, stage.looks(), stage.text()),
                             false});
  return false;
}

bool Trial::reach_question(Stage& stage, size_t number) {
  return reach(fmt::format("question {} is asked", number), stage,
               [&] { return stage.detector().asked() && stage.detector().asked()->number >= number; });
}

bool Trial::reach_silence(Stage& stage) {
  // A detector that has made up its mind looks no more.
  return reach("it is silent, and looked at", stage, [&] {
    const bool considered = stage.looks() > 0 && stage.last_output() + kSilence <= stage.now() &&
                            stage.detector().why().quiet >= kSilence;
    return considered || !stage.detector().next();
  });
}

void Trial::figure(std::string_view name, double value, std::string_view unit) {
  outcome_.figures.push_back({std::string(name), value, unit});
}

void Trial::figure(std::string_view name, Duration value) { figure(name, milliseconds_of(value), "ms"); }

void Trial::log(const std::string& line) { observer_->add(clock_.now(), line); }

bool Trial::stopped() const {
  pollfd wait{conditions_.stop, POLLIN, 0};
  return conditions_.stop >= 0 && ::poll(&wait, 1, 0) > 0;
}

Outcome Trial::finish() {
  stage_.reset();
  outcome_.took = clock_.now() - begun_;
  outcome_.stopped = stopped();
  return std::move(outcome_);
}

std::string offered(const detect::Prompt& prompt) {
  std::string text;
  for (const detect::Choice& each : prompt.choices) {
    if (!text.empty()) text += ' ';
    text += fmt::format("{}={}({})", each.key, each.label, base::printable(each.send, kMostText));
  }
  return text;
}

std::string fallback_of(const detect::Prompt& prompt) { return prompt.fallback.value_or("none"); }

}  // namespace lab
