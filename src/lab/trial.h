// SPDX-License-Identifier: Apache-2.0
// Trial: one run of a scenario. It starts programs on stages, writes down what they did, and holds the
// checks; a check that fails says what was expected and what was there. A scenario goes on as long as that
// makes sense, and returns where a program does not even come so far.
#pragma once
#include <concepts>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/rehearsal.h"
#include "lab/scenario.h"
#include "lab/stage.h"

namespace lab {

class Trial {
 public:
  explicit Trial(const Conditions& conditions);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Starts a program; the one before is ended. Null, with a failed check, if it does not start.
  Stage* start(const Program& program);
  // The same for one of this program's own parts (programs.h).
  Stage* start_part(std::vector<std::string> words);
  // A detector without a program, whose time stands still until it is moved.
  Rehearsal rehearse() const;

  void expect(std::string_view name, std::string_view expected, std::string_view actual);
  void expect(std::string_view name, std::integral auto expected, std::integral auto actual) {
    expect(name, std::to_string(expected), std::to_string(actual));
  }
  void expect_below(std::string_view name, base::Duration most, base::Duration actual);
  // Waits for something that is no stage's.
  bool await(std::string_view name, const std::function<bool()>& condition);
  // Runs until it holds; a failed check with all that stands on the screen if it does not come.
  bool reach(std::string_view name, Stage& stage, const std::function<bool()>& condition);
  // The same for the question with this number, counted from 1.
  bool reach_question(Stage& stage, size_t number);
  // Until the program has been silent for a while and was looked at in it, so that all that stands on the
  // screen has been considered; for programs that must not be taken for waiting.
  bool reach_silence(Stage& stage);

  void figure(std::string_view name, double value, std::string_view unit);
  void figure(std::string_view name, base::Duration value);  // in milliseconds
  void log(const std::string& line);
  bool stopped() const;

  const Conditions& conditions() const { return conditions_; }
  Outcome finish();

 private:
  class Log;
  const Conditions& conditions_;
  base::RealClock clock_;
  base::Moment begun_;
  Outcome outcome_;
  std::unique_ptr<Log> observer_;
  std::unique_ptr<Stage> stage_;
};

// What a prompt offers, in one line: "1=apples(1) 2=pears(2)"; the bytes to send in brackets.
std::string offered(const detect::Prompt& prompt);
std::string fallback_of(const detect::Prompt& prompt);

}  // namespace lab
