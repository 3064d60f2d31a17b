// SPDX-License-Identifier: Apache-2.0
// QA-010, QA-012, QA-013, QA-014, QA-022, QA-023, QA-024: answers from people elsewhere reach the prompt that
// they are meant for, once, and no other.
#include <fmt/format.h>

#include "lab/scenarios/all.h"
#include "lab/slack_stand.h"

namespace lab {
namespace {

// Which of the first two messages asks this.
int asking(const SlackStand& stand, std::string_view question) {
  return stand.text(1).find(question) != std::string::npos ? 1 : 2;
}

void expect_within_bounds(Trial& trial, const json::object& message) {
  size_t longest = 0;
  size_t largest = 0;
  for (const json::value& each : Slack::buttons(message)) {
    largest = std::max(largest, text_of(each, "value").size());
    const json::value* label = each.is_object() ? each.get_object().if_contains("text") : nullptr;
    if (label == nullptr) continue;
    trial.expect("a button's text is plain", "plain_text", text_of(*label, "type"));
    longest = std::max(longest, text_of(*label, "text").size());
  }
  trial.expect("buttons' texts have 75 bytes at most", "yes", longest <= 75 ? "yes" : "no");
  trial.expect("buttons' values have 64 bytes at most", "yes", largest <= 64 ? "yes" : "no");
}

}  // namespace

void slack_message_format(Trial& trial) {
  SlackStand stand(trial);
  if (!stand.open()) return;
  stand.house.asks("api", "Use <b>*bold*</b> & ```code``` for \\033[31m@channel\\033[0m? (y/n)");
  if (!stand.has_posted(1)) return;
  const json::object message = stand.message(1);
  trial.expect("it goes to the one who may answer", "U1", text_of(message, "channel"));
  stand.expect_has("what the program says is no markup", "&lt;b&gt;*bold*&lt;/b&gt; &amp; '''code'''",
                   stand.text(1));
  stand.expect_lacks("escape sequences", "\\u001b", stand.text(1));
  trial.expect("buttons", 4, Slack::buttons(message).size());
  expect_within_bounds(trial, message);
  stand.say(stand.slack.pressed("U1", Slack::value_of(message, 0)));
  if (!stand.reads("api", "y") || !stand.has_updated(1) || !stand.has_heard(1)) return;
  const json::object update = stand.message(1, "chat.update");
  trial.expect("it is changed in place", Slack::stamp(1), text_of(update, "ts"));
  trial.expect("buttons of a prompt that has ended", 0, Slack::buttons(update).size());
  stand.expect_has("it says what became of it", "Answered by slack:U1.", stand.text(1, "chat.update"));
}

void unknown_prompt(Trial& trial) {
  SlackStand stand(trial);
  if (!stand.open()) return;
  const std::string id = stand.house.asks("api", "Continue? (y/n)");
  if (!stand.has_posted(1)) return;
  const std::string value = Slack::value_of(stand.message(1), 0);
  if (value.size() < 30) return trial.expect("the button's value", "a prompt and a nonce", value);
  std::string other_nonce = value;
  other_nonce[22] = other_nonce[22] == 'a' ? 'b' : 'a';
  std::string other_prompt = value;
  other_prompt[3] = other_prompt[3] == 'a' ? 'b' : 'a';
  for (const std::string& wrong :
       {other_nonce, other_prompt, std::string("1nonsense"), std::string(2000, 'x')})
    stand.say(stand.slack.pressed("U1", wrong));
  stand.say(stand.slack.pressed("U9", value));  // a stranger
  stand.say(stand.slack.written("U1", "no", "1699999999.000001"));
  if (!stand.has_heard(6) || !stand.has_posted(2)) return;
  trial.expect("the open prompt", "awaiting", text_of(stand.house.open_prompt(id), "state"));
  stand.expect_read("what the program has read", "api", "");
  stand.say(stand.slack.pressed("U1", value));
  stand.reads("api", "y");
}

void slack_thread_reply(Trial& trial) {
  SlackStand stand(trial);
  if (!stand.open()) return;
  stand.house.asks("api", "Your name:");
  stand.house.asks("web", "Your town:");
  if (!stand.has_posted(2)) return;
  const int name = asking(stand, "Your name");
  stand.say(
      stand.slack.written("U1", "R&amp;D &lt;a b&gt; <http://x.example|x.example>", Slack::stamp(name)));
  stand.say(stand.slack.written("U1", "Paris", Slack::stamp(3 - name)));
  stand.reads("api", "R&D <a b> x.example");
  stand.reads("web", "Paris");
}

void slack_multi_user(Trial& trial) {
  SlackStand stand(trial);
  if (!stand.open("[U1, U2]")) return;
  stand.house.asks("api", "Continue? (y/n)");
  if (!stand.has_posted(2)) return;
  stand.say(stand.slack.pressed("U2", Slack::value_of(stand.message(1), 1), Slack::stamp(2)));
  stand.say(stand.slack.pressed("U1", Slack::value_of(stand.message(1), 0), Slack::stamp(1)));
  if (!stand.reads("api", "n") || !stand.has_updated(2)) return;
  for (const size_t each : {1U, 2U})
    stand.expect_has(fmt::format("message {} says whose answer it was", each), "Answered by slack:U2.",
                     stand.text(each, "chat.update"));
  if (!stand.has_posted(3)) return;
  trial.expect("the slower one is told", "DU1", text_of(stand.message(3), "channel"));
  stand.expect_has("what he is told", "too late", stand.text(3));
  stand.expect_read("what the program has read in all", "api", "n\n");
}

void duplicate_tap(Trial& trial) {
  SlackStand stand(trial);
  if (!stand.open()) return;
  stand.house.asks("api", "Continue? (y/n)");
  if (!stand.has_posted(1)) return;
  const std::string yes = Slack::value_of(stand.message(1), 0);
  // The same envelope three times, as Slack does when it is in doubt, and the same tap in others.
  const std::string same = stand.slack.envelope("interactive", Slack::press("U1", yes), "again");
  for (int i = 0; i < 3; i++) stand.say(same);
  for (int i = 0; i < 3; i++) stand.say(stand.slack.pressed("U1", yes));
  if (!stand.reads("api", "y") || !stand.has_heard(6)) return;
  if (!stand.has_posted(4)) return;  // those that were too late hear of it
  stand.expect_read("what the program has read in all", "api", "y\n");
  // What came of the one is known a little later than that the others came too late.
  trial.await("the answer's outcome is in the audit", [&] { return stand.house.answers("ok") > 0; });
  trial.expect("answers that were written, in the audit", 1, stand.house.answers("ok"));
}

void two_sessions(Trial& trial) {
  SlackStand stand(trial);
  if (!stand.open()) return;
  stand.house.asks("api", "Continue? (y/n)");
  if (!stand.has_posted(1)) return;
  stand.house.asks("web", "Continue? (y/n)");
  if (!stand.has_posted(2)) return;
  // In the other order.
  stand.say(stand.slack.pressed("U1", Slack::value_of(stand.message(2), 1), Slack::stamp(2)));
  stand.say(stand.slack.pressed("U1", Slack::value_of(stand.message(1), 0), Slack::stamp(1)));
  stand.reads("api", "y");
  stand.reads("web", "n");
}

void free_text_for_two(Trial& trial) {
  SlackStand stand(trial);
  if (!stand.open()) return;
  stand.house.asks("api", "Your name:");
  stand.house.asks("web", "Your town:");
  if (!stand.has_posted(2)) return;
  stand.say(stand.slack.written("U1", "Paris"));
  if (!stand.has_posted(3)) return;
  stand.expect_has("it is held", "Several prompts are open", stand.text(3));
  stand.expect_read("what api has read", "api", "");
  stand.expect_read("what web has read", "web", "");
  stand.say(stand.slack.written("U1", "Ada", Slack::stamp(asking(stand, "Your name"))));
  if (!stand.reads("api", "Ada") || !stand.has_updated(1)) return;
  // Now only one is open, and a plain message is for that.
  if (!trial.await("one prompt is open", [&] {
        return !stand.house.open_prompt("web").empty() && stand.house.open_prompt("api").empty();
      }))
    return;
  stand.say(stand.slack.written("U1", "Paris"));
  stand.reads("web", "Paris");
}

}  // namespace lab
