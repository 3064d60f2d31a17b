// SPDX-License-Identifier: Apache-2.0
// QA-005, QA-019: which question is open, and which was answered.
#include <fmt/format.h>
#include <string>

#include "lab/scenarios/all.h"
#include "lab/slip.h"

namespace lab {
namespace {

using std::chrono::milliseconds;

const detect::Evidence kWaits{.verdict = detect::Verdict::waits, .command = "ask", .call = "read"};
const detect::Evidence kBusy{.verdict = detect::Verdict::busy, .command = "ask"};

// The question that is open must be this one; gives whether to go on.
bool expect_open(Trial& trial, Stage& stage, size_t number, std::string_view question) {
  if (!trial.reach_question(stage, number)) return false;
  trial.expect(fmt::format("question {}", number), question, stage.detector().asked()->prompt.question);
  trial.expect(fmt::format("type of question {}", number), "YES_NO",
               detect::name_of(stage.detector().asked()->prompt.type));
  trial.expect(fmt::format("questions so far, at question {}", number), number, stage.asked().size());
  return true;
}

void both_at_once(Trial& trial) {
  Stage* stage = trial.start(shell(
      "printf 'Delete a? (y/n) \\nDelete b? (y/n) '; read -r a; read -r b; printf 'got <%s> <%s>\\n' \"$a\" "
      "\"$b\"; read -r end"));
  if (stage == nullptr || !expect_open(trial, *stage, 1, "Delete a? (y/n)")) return;
  trial.expect("held behind the first", 1, stage->detector().later());
  // It looks no more until something moves, however long the first stays open.
  trial.expect("looks that are still wanted", 0, static_cast<int>(stage->detector().next().has_value()));
  trial.expect("questions before the first is answered", 1, stage->asked().size());
  stage->type("y\r");
  if (!expect_open(trial, *stage, 2, "Delete b? (y/n)")) return;
  trial.expect("held behind the second", 0, stage->detector().later());
  stage->type("n\r");
  trial.reach("both answers arrive in order", *stage, [&] { return stage->shows("got <y> <n>"); });
}

// The second is printed by another process while the first is open.
void one_after_the_other(Trial& trial) {
  Slip slip;
  Stage* stage = trial.start(shell(
      "(until [ -s \"$1\" ]; do sleep 0.01; done; printf '\\nDelete d? (y/n) ') & printf 'Delete c? (y/n) '; "
      "read -r a; read -r b; printf 'got <%s> <%s>\\n' \"$a\" \"$b\"; read -r end",
      slip.path()));
  if (stage == nullptr || !expect_open(trial, *stage, 1, "Delete c? (y/n)")) return;
  slip.open_gate();
  if (!trial.reach("the second is held", *stage, [&] { return stage->detector().later() == 1; })) return;
  trial.expect("questions while the first is open", 1, stage->asked().size());
  stage->type("y\r");
  if (!expect_open(trial, *stage, 2, "Delete d? (y/n)")) return;
  stage->type("n\r");
  trial.reach("both answers arrive in order", *stage, [&] { return stage->shows("got <y> <n>"); });
}

void real_echo(Trial& trial) {
  Slip slip;
  Stage* stage = trial.start(shell(
      "printf 'Continue? (y/n) '; read -r a; until [ -s \"$1\" ]; do :; done; printf 'Delete a? (y/n) '; "
      "read -r b; printf 'Delete b? (y/n) '; read -r c; printf 'got <%s%s%s>\\n' \"$a\" \"$b\" \"$c\"",
      slip.path()));
  if (stage == nullptr || !expect_open(trial, *stage, 1, "Continue? (y/n)")) return;
  stage->type("y\r");
  if (!trial.reach("the reply is echoed", *stage, [&] { return stage->shows("Continue? (y/n) y"); })) return;
  // The window and more: the echo stands on the screen all the time, and the program works.
  if (!stage->run_for(milliseconds(700))) return;
  trial.expect("questions after the echo", 1, stage->asked().size());
  trial.expect("state after the echo", "working", detect::name_of(stage->detector().state()));
  slip.open_gate();
  if (!expect_open(trial, *stage, 2, "Delete a? (y/n)")) return;
  stage->type("n\r");
  const base::Moment answered = stage->now();
  if (!expect_open(trial, *stage, 3, "Delete b? (y/n)")) return;
  const base::Duration after = stage->happenings().back().at - answered;
  trial.figure("a new prompt inside the window", after);
  trial.expect_below("a new prompt inside the window is known in it", milliseconds(500), after);
  stage->type("y\r");
  trial.reach("all answers arrive", *stage, [&] { return stage->shows("got <yny>"); });
  trial.expect("questions in all", 3, stage->asked().size());
}

// The window to the millisecond.
void virtual_echo(Trial& trial) {
  // The program draws the same question again in its place: an echo, until the window has passed.
  Rehearsal redrawn = trial.rehearse();
  redrawn.prints("Press Enter to continue");
  redrawn.passes(milliseconds(1000), kWaits);
  trial.expect("before the reply: questions", 1, redrawn.asked().size());
  redrawn.types("\r");
  redrawn.prints("\r\n\x1b[A\r\x1b[KPress Enter to continue");
  redrawn.passes(milliseconds(499), kWaits);
  trial.expect("drawn again, 499 ms after the reply: questions", 1, redrawn.asked().size());
  redrawn.passes(milliseconds(2), kWaits);
  trial.expect("drawn again, 501 ms after the reply: questions", 2, redrawn.asked().size());

  // The echo alone, while the program works, and while it reads on.
  Rehearsal echoed = trial.rehearse();
  echoed.prints("Continue? (y/n) ");
  echoed.passes(milliseconds(1000), kWaits);
  echoed.types("y\r");
  echoed.prints("y\r\n");
  echoed.passes(std::chrono::minutes(1), kBusy);
  trial.expect("echoed, the program works for a minute: questions", 1, echoed.asked().size());

  // Another question is another question, window or not.
  Rehearsal other = trial.rehearse();
  other.prints("Delete a? (y/n) ");
  other.passes(milliseconds(1000), kWaits);
  other.types("y\r");
  other.prints("y\r\nDelete b? (y/n) ");
  other.passes(milliseconds(10), kWaits);
  trial.expect("another question, 10 ms after the reply: questions", 2, other.asked().size());

  // The same words below the answer are asked again.
  Rehearsal again = trial.rehearse();
  again.prints("Continue? (y/n) ");
  again.passes(milliseconds(1000), kWaits);
  again.types("x\r");
  again.prints("x\r\nContinue? (y/n) ");
  again.passes(milliseconds(1000), kWaits);
  trial.expect("the same words below the answer: questions", 2, again.asked().size());
}

}  // namespace

void nested_prompts(Trial& trial) {
  both_at_once(trial);
  one_after_the_other(trial);
}

void echo_loop(Trial& trial) {
  real_echo(trial);
  virtual_echo(trial);
}

}  // namespace lab
