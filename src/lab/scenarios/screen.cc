// SPDX-License-Identifier: Apache-2.0
// QA-001, QA-002, QA-003, QA-021: prompts that only the screen shows as they are, not the stream of bytes.
#include <fmt/format.h>
#include <string>

#include "lab/scenarios/all.h"
#include "lab/slip.h"

namespace lab {
namespace {

// Behind a prompt: takes the answer and shows it.
constexpr std::string_view kRead = R"(read -r answer; printf 'got <%s>\n' "$answer")";
// Works until the slip's gate is open, with the processor or without.
constexpr std::string_view kCompute = "until [ -s \"$1\" ]; do :; done; ";
constexpr std::string_view kSleep = "until [ -s \"$1\" ]; do sleep 0.02; done; ";

// The whole of it: nothing is asked before the gate opens, one thing after, and the answer arrives.
struct TwoPieces {
  std::string_view how;
  std::string_view first;  // for printf, as are all below
  std::string_view work;
  std::string_view second;
  std::string_view shown;  // of the first, on the screen
  std::string_view question;
};

void play(Trial& trial, const TwoPieces& pieces) {
  const auto named = [&](std::string_view what) { return fmt::format("{}: {}", pieces.how, what); };
  Slip slip;
  Stage* stage = trial.start(
      shell(fmt::format("printf '{}'; {}printf '{}'; {}", pieces.first, pieces.work, pieces.second, kRead),
            slip.path()));
  if (stage == nullptr) return;
  if (!trial.reach(named("the first piece is there"), *stage, [&] { return stage->shows(pieces.shown); }))
    return;
  if (!trial.reach_silence(*stage)) return;
  trial.expect(named("questions on the first piece alone"), 0, stage->asked().size());
  trial.expect(named("state between the pieces"), "working", detect::name_of(stage->detector().state()));
  slip.open_gate();
  if (!trial.reach_question(*stage, 1)) return;
  const detect::Asked asked = *stage->detector().asked();
  trial.expect(named("type"), "YES_NO", detect::name_of(asked.prompt.type));
  trial.expect(named("question"), pieces.question, asked.prompt.question);
  stage->type("y\r");
  if (!trial.reach(named("the answer arrives"), *stage, [&] { return stage->shows("got <y>"); })) return;
  trial.reach(named("the program ends"), *stage, [&] { return stage->ended().has_value(); });
  trial.expect(named("questions in all"), 1, stage->asked().size());
}

}  // namespace

void partial_line_prompt(Trial& trial) {
  constexpr std::string_view kQuestion = "Do you want to continue? (y/n)";
  play(trial,
       {"computing", "Do you want to con", kCompute, "tinue? (y/n) ", "Do you want to con", kQuestion});
  play(trial, {"sleeping", "Do you want to con", kSleep, "tinue? (y/n) ", "Do you want to con", kQuestion});
  // The first piece looks like all of it.
  play(trial, {"looks whole", "Overwrite it? (y/n) ", kCompute, "[default: n] ", "Overwrite it? (y/n)",
               "Overwrite it? (y/n) [default: n]"});
  // The break is in the middle of a character and of a sequence.
  play(trial, {"inside a character", "Gr\\303", kCompute, R"(\274\303\237e senden\033[1m? (y/n)\033[0m )",
               "Gr", "Grüße senden? (y/n)"});
}

void ansi_redraw(Trial& trial) {
  struct Redraw {
    std::string_view how;
    std::string_view before;
  };
  // A frame, rows placed by the cursor, colours inside the words of the question, moves in place of blanks.
  constexpr std::string_view kFrame =
      "\\033[2J\\033[H\\033[44;97m migration \\033[0m\\033[3;1H\\033[K2 tables\\033[4;1H\\033[K7 rows"
      "\\033[6;1H\\033[J\\033[1;33mApply\\033[0m\\033[1Cchanges?\\033[1C\\033[32m(y\\033[0m/"
      "\\033[31mn)\\033[0m ";
  for (const Redraw& redraw :
       {Redraw{"main screen", ""}, Redraw{"alternate screen", "printf '\\033[?1049h'; "},
        Redraw{"below other questions", "printf 'Proceed? (y/n) y\\nReally? (y/n) n\\n'; "}}) {
    const auto named = [&](std::string_view what) { return fmt::format("{}: {}", redraw.how, what); };
    Stage* stage = trial.start(
        shell(fmt::format("{}for i in 1 2 3; do printf '{}'; done; {}", redraw.before, kFrame, kRead)));
    if (stage == nullptr || !trial.reach_question(*stage, 1)) return;
    const detect::Asked asked = *stage->detector().asked();
    trial.expect(named("type"), "YES_NO", detect::name_of(asked.prompt.type));
    trial.expect(named("question"), "Apply changes? (y/n)", asked.prompt.question);
    stage->type("n\r");
    trial.reach(named("the answer arrives"), *stage, [&] { return stage->shows("got <n>"); });
    trial.expect(named("questions in all"), 1, stage->asked().size());
  }
}

void overwritten_prompt(Trial& trial) {
  // Rest of the old text is erased by a sequence, by blanks, or stays behind the cursor in the second row.
  play(trial, {"erased", "Delete everything? (y/n) ", kCompute, "\\r\\033[KKeep the file? [Y/n] ",
               "Delete everything? (y/n)", "Keep the file? [Y/n]"});
  play(trial, {"blanked", "Delete everything? (y/n) ", kSleep,
               R"(\rChecking ...             \r                         \rKeep it? [Y/n] )",
               "Delete everything? (y/n)", "Keep it? [Y/n]"});
  play(trial,
       {"by backspaces", "Sure? (y/n) ", kCompute, R"(\b\b\b\b\b\b\b\b\b\b\b\bReally delete all? (y/n) )",
        "Sure? (y/n)", "Really delete all? (y/n)"});
}

void progress_bar(Trial& trial) {
  struct Bar {
    std::string_view how;
    std::string_view picture;  // printf's, with $i
  };
  constexpr int kPictures = 40;
  for (const Bar& bar :
       {Bar{"a line",
            "printf '\\r\\033[K[%-40.*s] %d%% ' $i '########################################' $((i*100/40))"},
        Bar{"several rows",
            R"(printf 'layer 1: \033[32m%d%%\033[0m\033[K\nlayer 2: %d%%\033[K\n\033[2A' $i $((i*2)))"},
        Bar{"left open", "printf '\\r\\033[KDownloading (%d of 40), continue:' $i"},
        Bar{"with a question in it", "printf '\\r\\033[K%d%% - cancel? (y/n) ' $i"}}) {
    const auto named = [&](std::string_view what) { return fmt::format("{}: {}", bar.how, what); };
    Slip slip;
    // The last picture stays until the gate opens: work that has stalled.
    Stage* stage =
        trial.start(shell(fmt::format("i=0; while [ $i -lt {} ]; do i=$((i+1)); {}; sleep 0.005; done; {}"
                                      "printf '\\r\\033[J'; printf 'Install it? (y/n) '; {}",
                                      kPictures, bar.picture, kCompute, kRead),
                          slip.path()));
    if (stage == nullptr) return;
    if (!trial.reach(named("the bar is full"), *stage, [&] { return stage->shows("40"); })) return;
    if (!trial.reach_silence(*stage)) return;
    trial.expect(named("questions while it moves and stalls"), 0, stage->asked().size());
    slip.open_gate();
    if (!trial.reach_question(*stage, 1)) return;
    trial.expect(named("the question behind it"), "Install it? (y/n)",
                 stage->detector().asked()->prompt.question);
    trial.expect(named("questions in all"), 1, stage->asked().size());
  }
  // A program of the whole screen, which could wait for keys while it draws.
  Rehearsal spinner = trial.rehearse();
  const detect::Evidence draws{.verdict = detect::Verdict::may_wait,
                               .canonical = false,
                               .echo = false,
                               .command = "node",
                               .call = "epoll",
                               .timeout_ms = 80,
                               .sockets = 1};
  for (int i = 0; i < 600; i++) {
    spinner.prints(fmt::format("\r\x1b[K{} installing, cancel? (y/n) ", i % 2 == 0 ? "⠋" : "⠙"));
    spinner.passes(std::chrono::milliseconds(100), draws);
  }
  trial.expect("a minute of a spinner: questions", 0, spinner.asked().size());
}

}  // namespace lab
