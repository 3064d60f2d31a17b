// SPDX-License-Identifier: Apache-2.0
// QA-006 to QA-009: what questions look like, and what there is to answer.
#include <fmt/format.h>
#include <string>

#include "base/strings.h"
#include "lab/scenarios/all.h"

namespace lab {
namespace {

// Prints the text as it is, reads a line, shows it.
Program asks(std::string_view text) {
  return shell(R"(printf '%s' "$1"; read -r answer; printf 'got <%s>\n' "$answer")", std::string(text));
}

// Starts it and waits for its question; the checks that all have in common.
Stage* reach_one(Trial& trial, std::string_view text, const Program& program, std::string_view type) {
  Stage* stage = trial.start(program);
  if (stage == nullptr || !trial.reach_question(*stage, 1)) return nullptr;
  const detect::Prompt& prompt = stage->detector().asked()->prompt;
  const auto named = [&](std::string_view what) { return fmt::format("{}: {}", text, what); };
  trial.expect(named("type"), type, detect::name_of(prompt.type));
  trial.expect(named("question"), text, prompt.question);
  trial.expect(named("certain"), "0.90 or more",
               stage->detector().asked()->confidence >= 0.90
                   ? "0.90 or more"
                   : fmt::format("{:.2f}", stage->detector().asked()->confidence));
  return stage;
}

void answer(Trial& trial, Stage& stage, std::string_view text, std::string_view keys) {
  const std::string got = fmt::format("got <{}>", base::trim(keys));
  stage.type(keys);
  trial.reach(fmt::format("{}: the answer arrives", text), stage, [&] { return stage.shows(got); });
  trial.reach(fmt::format("{}: the program ends", text), stage, [&] { return stage.ended().has_value(); });
  trial.expect(fmt::format("{}: questions in all", text), 1, stage.asked().size());
}

}  // namespace

void multiple_choice(Trial& trial) {
  constexpr std::string_view kList =
      "Which fruit do you want?\n  1) apples\n  2) pears from the garden\n  3) plums\nEnter choice [1-3]: ";
  Stage* stage = reach_one(trial, "Enter choice [1-3]:", asks(kList), "MULTIPLE_CHOICE");
  if (stage == nullptr) return;
  const detect::Prompt prompt = stage->detector().asked()->prompt;
  trial.expect("choices with keys, labels and what to send",
               "1=apples(1) 2=pears from the garden(2) 3=plums(3)", offered(prompt));
  trial.expect("Enter is needed", 1, static_cast<int>(prompt.enter));
  if (prompt.choices.size() < 2) return;
  answer(trial, *stage, "the second", prompt.choices[1].send + (prompt.enter ? "\r" : ""));

  struct List {
    std::string_view text;
    std::string_view question;
    std::string_view offered;
  };
  for (const List& list :
       {List{"Select a mode:\n1. fast\n2. safe\nSelect [1]: ", "Select [1]:", "1=fast(1) 2=safe(2)"},
        List{"  a) keep\n  b) replace\n  c) rename\nYour choice: ", "Your choice:",
             "a=keep(a) b=replace(b) c=rename(c)"}}) {
    Stage* other = reach_one(trial, list.question, asks(list.text), "MULTIPLE_CHOICE");
    if (other == nullptr) return;
    trial.expect(fmt::format("{} choices", list.question), list.offered,
                 offered(other->detector().asked()->prompt));
  }

  // A list that nobody chooses from.
  Stage* prose = trial.start(asks("What is new:\n1. It is faster.\n2. It is smaller.\n3. It is done.\n\n"));
  if (prose == nullptr || !trial.reach_question(*prose, 1)) return;
  trial.expect("a list in prose: type", "UNKNOWN", detect::name_of(prose->detector().asked()->prompt.type));
  trial.expect("a list in prose: choices", "", offered(prose->detector().asked()->prompt));
}

void yes_no_variants(Trial& trial) {
  struct Variant {
    std::string_view text;
    std::string_view fallback;
    std::string_view first;   // what to send for yes
    std::string_view second;  // and for no
  };
  for (const Variant& each : {
           Variant{"Continue? (y/n)", "none", "y", "n"},
           Variant{"Do you want to continue? [Y/n]", "y", "y", "n"},
           Variant{"Remove 3 packages? [y/N]", "n", "y", "n"},
           Variant{"Are you sure you want to continue (yes/no)?", "none", "yes", "no"},
           Variant{"Do you accept the terms? yes/no:", "none", "yes", "no"},
           Variant{"Shall I go on? Answer y or n:", "none", "y", "n"},
           Variant{"Please answer yes or no:", "none", "y", "n"},
           Variant{"Overwrite existing file? y/N:", "n", "y", "n"},
           Variant{"Stage this hunk [y/N/q/?]?", "n", "y", "n"},
           Variant{"(1/1) Stage this hunk [y,n,q,a,d,e,?]?", "none", "y", "n"},
           Variant{"Proceed ([y]/n)?", "y", "y", "n"},
           Variant{"Is the information correct? [Yes/No]", "none", "yes", "no"},
           Variant{"Retry? (y/n) [default: y]", "y", "y", "n"},
       }) {
    Stage* stage = reach_one(trial, each.text, asks(std::string(each.text) + " "), "YES_NO");
    if (stage == nullptr) return;
    const detect::Prompt prompt = stage->detector().asked()->prompt;
    const auto named = [&](std::string_view what) { return fmt::format("{}: {}", each.text, what); };
    trial.expect(named("default"), each.fallback, fallback_of(prompt));
    const bool two = prompt.choices.size() >= 2;
    trial.expect(named("yes"), each.first, two ? prompt.choices[0].send : "none");
    trial.expect(named("no"), each.second, two ? prompt.choices[1].send : "none");
    answer(trial, *stage, each.text, std::string(each.second) + "\r");
  }
  // Told, not asked.
  Stage* told = trial.start(asks("usage: rm [-y] (y/n) means that it asks\nWhat shall be removed: "));
  if (told == nullptr || !trial.reach_question(*told, 1)) return;
  trial.expect("(y/n) in a help text: type", "FREE_TEXT",
               detect::name_of(told->detector().asked()->prompt.type));
}

void press_enter(Trial& trial) {
  for (const std::string_view text :
       {"Press Enter to continue", "Press ENTER to continue...", "[Press Enter]", "Hit ENTER",
        "Press return to exit:", "-- Press <Enter> when you are ready --", "Press the Enter key to start.",
        "Enter to confirm"}) {
    Stage* stage = reach_one(trial, text, asks(text), "CONFIRM_ENTER");
    if (stage == nullptr) return;
    trial.expect(fmt::format("{}: choices", text), "", offered(stage->detector().asked()->prompt));
    answer(trial, *stage, text, "\r");
  }
  // Any key: one without Enter, from a terminal that gathers no lines.
  constexpr std::string_view kAnyKey = "Press any key to continue . . .";
  const Program program = shell(
      "stty -icanon -echo min 1; printf '%s' \"$1\"; key=$(dd bs=1 count=1 2>/dev/null); printf '\\ngot "
      "<%s>\\n' \"$key\"",
      std::string(kAnyKey));
  Stage* stage = reach_one(trial, kAnyKey, program, "CONFIRM_ENTER");
  if (stage == nullptr) return;
  trial.expect("any key: Enter is needed", 0, static_cast<int>(stage->detector().asked()->prompt.enter));
  answer(trial, *stage, kAnyKey, "k");
  // Told, not asked.
  Stage* told = trial.start(asks("The user pressed Enter to continue\nComment: "));
  if (told == nullptr || !trial.reach_question(*told, 1)) return;
  trial.expect("told, not asked: type", "FREE_TEXT", detect::name_of(told->detector().asked()->prompt.type));
}

void free_text_constraint(Trial& trial) {
  struct Field {
    std::string_view text;
    std::string_view limit;
    std::string_view fallback;
  };
  for (const Field& each :
       {Field{"Enter name (max 20 chars):", "20", "none"},
        Field{"Commit title (at most 50 characters):", "50", "none"},
        Field{"Enter a code (maximum 6 characters):", "6", "none"},
        Field{"Enter your e-mail:", "none", "none"}, Field{"Username [ada]:", "none", "ada"}}) {
    Stage* stage = reach_one(trial, each.text, asks(std::string(each.text) + " "), "FREE_TEXT");
    if (stage == nullptr) return;
    const detect::Prompt prompt = stage->detector().asked()->prompt;
    const auto named = [&](std::string_view what) { return fmt::format("{}: {}", each.text, what); };
    trial.expect(named("limit"), each.limit, prompt.limit ? std::to_string(*prompt.limit) : "none");
    trial.expect(named("default"), each.fallback, fallback_of(prompt));
    trial.expect(named("secret"), 0, static_cast<int>(prompt.secret));
    answer(trial, *stage, each.text, "Grace Hopper\r");
  }
  // What is not shown is secret, whatever it is called.
  Stage* hidden = reach_one(trial, "Shibboleth:",
                            shell("stty -echo; printf 'Shibboleth: '; read -r answer; stty echo; printf "
                                  "'\\ngot <%s>\\n' \"$answer\""),
                            "FREE_TEXT");
  if (hidden == nullptr) return;
  trial.expect("hidden: secret", 1, static_cast<int>(hidden->detector().asked()->prompt.secret));
}

}  // namespace lab
