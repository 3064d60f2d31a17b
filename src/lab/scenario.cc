// SPDX-License-Identifier: Apache-2.0
#include "lab/scenario.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "lab/scenarios/all.h"
#include "lab/trial.h"

namespace lab {
namespace {

constexpr auto kAll = std::to_array<Scenario>({
    {"QA-001", "PartialLinePromptScenario",
     "A prompt arrives in two pieces: nothing is asked on the first alone", "linux", partial_line_prompt},
    {"QA-002", "ANSIRedrawScenario",
     "A prompt behind a redraw of the whole screen, in colours and by cursor moves", "linux", ansi_redraw},
    {"QA-003", "OverwrittenPromptScenario", "A prompt that a carriage return overwrites before the final one",
     "linux", overwritten_prompt},
    {"QA-004", "SilentBlockScenario",
     "A program that writes nothing and reads: known from the kernel, within 200 ms", "linux", silent_block},
    {"QA-005", "NestedPromptsScenario", "Two prompts before an answer: in order, the second held, none lost",
     "linux", nested_prompts},
    {"QA-006", "MultipleChoiceScenario", "A numbered list with \"Enter choice [1-3]:\"", "linux",
     multiple_choice},
    {"QA-007", "YesNoVariantsScenario", "(y/n), [Y/n], yes/no, y or n and others, with their defaults",
     "linux", yes_no_variants},
    {"QA-008", "PressEnterScenario", "\"Press Enter to continue\" and its variants", "linux", press_enter},
    {"QA-009", "FreeTextConstraintScenario", "Free text with a limit: \"Enter name (max 20 chars):\"",
     "linux", free_text_constraint},
    {"QA-010", "SlackMessageFormatScenario",
     "A message in Slack: within its bounds, nothing in it is markup, its buttons answer", "linux",
     slack_message_format},
    {"QA-011", "ReplyAfterExpiryScenario", "A reply after the expiry: nothing is written, and he hears it",
     "linux", reply_after_expiry},
    {"QA-012", "UnknownPromptScenario",
     "Another nonce, another prompt, nonsense, a stranger: refused, and the open prompt is untouched",
     "linux", unknown_prompt},
    {"QA-013", "SlackThreadReplyScenario", "Replies in threads, each to its own prompt, as they were typed",
     "linux", slack_thread_reply},
    {"QA-014", "SlackMultiUserScenario",
     "Two people: one answer, both hear whose, the slower that he is late", "linux", slack_multi_user},
    {"QA-015", "SlackRateLimitScenario", "429 and Retry-After are kept to; of many messages three go at once",
     "linux", slack_rate_limit},
    {"QA-016", "DaemonKilledScenario",
     "The daemon is killed: an open prompt is answered within 5 s, an expired one is not", "linux",
     daemon_killed},
    {"QA-017", "ChildKilledScenario", "The program is killed: its prompt expires, a late tap hears that",
     "linux", child_killed},
    {"QA-018", "OutputFloodScenario", "A flood of output that looks like prompts, followed by one", "linux",
     output_flood},
    {"QA-019", "EchoLoopScenario",
     "The echo of an injected reply asks nothing; a new prompt in its window is not lost", "linux",
     echo_loop},
    {"QA-021", "ProgressBarScenario", "A progress bar that redraws itself asks nothing", "linux",
     progress_bar},
    {"QA-022", "DuplicateTapScenario", "The same tap six times, in one envelope and in several: one write",
     "linux", duplicate_tap},
    {"QA-023", "TwoSessionsScenario", "Two sessions with the same question: nothing reaches the other one",
     "linux", two_sessions},
    {"QA-024", "FreeTextForTwoScenario", "Free text while two prompts are open is held: reply to one",
     "linux", free_text_for_two},
    {"QA-025", "ChannelDownScenario", "A channel that is down is tried after 1, 2, 4, 8 s; sessions go on",
     "linux", channel_down},
    {"QA-026", "PointerMenuScenario",
     "A list that is drawn between two keys: Enter comes when the pointer is seen at what was meant", "linux",
     pointer_menu},
});

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char one, unsigned char other) {
    return std::tolower(one) == std::tolower(other);
  });
}

}  // namespace

std::span<const Scenario> scenarios() { return kAll; }

const Scenario* find_scenario(std::string_view id_or_name) {
  const auto* const found = std::find_if(kAll.begin(), kAll.end(), [&](const Scenario& each) {
    return same_word(each.id, id_or_name) || same_word(each.name, id_or_name);
  });
  return found != kAll.end() ? found : nullptr;
}

bool Outcome::passed() const {
  return !stopped && !checks.empty() &&
         std::all_of(checks.begin(), checks.end(), [](const Check& each) { return each.passed; });
}

Outcome run(const Scenario& scenario, const Conditions& conditions) {
  Trial trial(conditions);
  scenario.run(trial);
  return trial.finish();
}

}  // namespace lab
