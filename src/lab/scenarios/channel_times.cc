// SPDX-License-Identifier: Apache-2.0
// QA-011, QA-015, QA-016, QA-017, QA-025: answers that come too late, and channels and daemons that are not
// there for a while.
#include <fmt/format.h>

#include "lab/scenarios/all.h"
#include "lab/slack_stand.h"

namespace lab {
namespace {

using base::Duration;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kShort = "prompts:\n  timeout_seconds: 2\n";

std::string at_least(Duration least, Duration actual) {
  return actual >= least ? "kept" : fmt::format("{} ms", actual / milliseconds(1));
}

std::string prompt_of(SlackStand& stand, const std::string& session) {
  std::string id;
  stand.trial.await(fmt::format("{} has a prompt", session), [&] {
    id = text_of(stand.house.open_prompt(session), "id");
    return !id.empty();
  });
  return id;
}

bool becomes(SlackStand& stand, const std::string& prompt, std::string_view state) {
  return stand.trial.await(fmt::format("the prompt is {}", state),
                           [&] { return stand.house.prompt_state(prompt) == state; });
}

// Somebody at a terminal, who types and sees what comes of it; the longest he waited.
Duration longest_echo(SlackStand& stand, int times) {
  stand.house.ask("session.create",
                  {{"name", "other"},
                   {"cwd", stand.house.file("")},
                   {"command", json::array{"/bin/sh", "-c", "while read a; do echo \"echo $a\"; done"}}});
  const base::RealClock clock;
  Duration longest{};
  for (int i = 0; i < times; i++) {
    const base::Moment begun = clock.now();
    stand.house.ask("pty.write", {{"session", "other"}, {"data", fmt::format("{}\r", i)}});
    const bool came = stand.trial.await("the terminal answers", [&] {
      const json::value read = stand.house.ask("pty.read", {{"session", "other"}, {"since", 0}});
      return text_of(read, "data").find(fmt::format("echo {}\r\n", i)) != std::string::npos;
    });
    if (!came) return Duration(-1);
    longest = std::max(longest, Duration(clock.now() - begun));
  }
  return longest;
}

}  // namespace

void reply_after_expiry(Trial& trial) {
  SlackStand stand(trial);
  if (!stand.open()) return;
  stand.house.asks("api", "Name:", {{"settings", kShort}});
  if (!stand.has_posted(1) || !stand.has_updated(1)) return;
  stand.expect_has("the message says so", "Expired", stand.text(1, "chat.update"));
  stand.say(stand.slack.written("U1", "Ada", Slack::stamp(1)));
  if (!stand.has_posted(2)) return;
  trial.expect("who replied hears it in his thread", Slack::stamp(1), text_of(stand.message(2), "thread_ts"));
  stand.expect_has("what he hears", "not asked any more", stand.text(2));
  stand.expect_read("what the program has read", "api", "");
}

void slack_rate_limit(Trial& trial) {
  SlackStand stand(trial);
  if (!stand.open()) return;
  Service& service = stand.slack.service();
  service.fault("/chat.postMessage", {.status = 429, .body = "", .headers = {{"Retry-After", "2"}}});
  stand.house.asks("api", "Continue? (y/n)");
  if (!stand.has_posted(2)) return;
  const auto tries = service.all("/chat.postMessage");
  trial.expect("2 s were asked for", "kept", at_least(milliseconds(1900), tries[1].at - tries[0].at));
  trial.expect("the same message is tried again", tries[0].body, tries[1].body);
  // Of those that come at once three go out, and the others at their pace: one in six seconds.
  for (int i = 0; i < 4; i++) stand.house.asks(fmt::format("more{}", i), "Continue? (y/n)");
  if (!stand.has_posted(5)) return;
  const auto all = service.all("/chat.postMessage");
  const base::RealClock clock;
  trial.await("a while has passed", [&] { return clock.now() - all[4].at > milliseconds(1500); });
  trial.expect("messages so far", 5, stand.slack.count());
}

void daemon_killed(Trial& trial) {
  SlackStand stand(trial);
  if (!stand.open()) return;
  stand.house.asks("api", "Continue? (y/n)");
  if (!stand.has_posted(1)) return;
  stand.house.asks("old", "Name:", {{"settings", kShort}});
  const std::string old = prompt_of(stand, "old");
  if (old.empty() || !stand.has_posted(2)) return;
  const std::string yes = Slack::value_of(stand.message(1), 0);
  // That there are messages is on the disk.
  if (!trial.await("both messages are remembered", [&] {
        return stand.house.is_stored("DU1 " + Slack::stamp(1)) &&
               stand.house.is_stored("DU1 " + Slack::stamp(2));
      }))
    return;
  const base::RealClock clock;
  const base::Moment killed = clock.now();
  if (!stand.house.lose_daemon()) return;
  const auto linked = [&] {
    return stand.slack.service().sockets() >= 2 && stand.slack.service().is_open(stand.slack.link());
  };
  if (!trial.await("the channel is back", linked)) return;
  // The button of the message from before, which was not sent again.
  stand.say(stand.slack.pressed("U1", yes));
  if (!stand.reads("api", "y")) return;
  trial.expect_below("from the kill to the answer", seconds(5), clock.now() - killed);
  trial.figure("from the kill to the answer", clock.now() - killed);
  if (!stand.has_updated(1) || !becomes(stand, old, "expired") || !stand.has_updated(2)) return;
  trial.expect("messages after the restart", 2, stand.slack.count());
  stand.say(stand.slack.written("U1", "Ada", Slack::stamp(2)));
  if (!stand.has_posted(3)) return;
  stand.expect_has("what comes of a reply to the expired one", "not asked any more", stand.text(3));
  stand.expect_read("what the expired one has read", "old", "");
}

void child_killed(Trial& trial) {
  SlackStand stand(trial);
  if (!stand.open()) return;
  const std::string id = stand.house.asks("api", "Continue? (y/n)");
  if (!stand.has_posted(1)) return;
  const std::string yes = Slack::value_of(stand.message(1), 0);
  const std::string prompt = prompt_of(stand, id);
  if (prompt.empty()) return;
  stand.house.ask("session.kill", {{"session", id}, {"force", true}});
  if (!becomes(stand, prompt, "expired") || !stand.has_updated(1)) return;
  trial.expect("the prompt", "expired", stand.house.prompt_state(prompt));
  stand.expect_has("the message says so", "Expired", stand.text(1, "chat.update"));
  stand.say(stand.slack.pressed("U1", yes));
  if (!stand.has_posted(2)) return;
  stand.expect_has("what a late tap hears", "expired", stand.text(2));
}

void channel_down(Trial& trial) {
  SlackStand stand(trial);
  if (!stand.open()) return;
  Service& service = stand.slack.service();
  for (int i = 0; i < 4; i++) service.fault("/chat.postMessage", {.status = 500, .body = "down"});
  stand.house.asks("api", "Your name:");
  // The other one waits too, between two lines: whichever is seen to wait first is told of first.
  if (!stand.has_posted(1)) return;
  const Duration longest = longest_echo(stand, 20);
  trial.expect_below("the longest that somebody at a terminal waits", seconds(2), longest);
  trial.figure("the longest that somebody at a terminal waits", longest);
  if (!trial.await("the channel is troubled",
                   [&] { return stand.house.channel_state("slack") == "troubled"; }))
    return;
  if (!stand.has_posted(5)) return;
  const auto tries = service.all("/chat.postMessage");
  for (size_t i = 0; i < 4; i++)
    trial.expect(fmt::format("try {} waits {} s", i + 2, 1 << i), "kept",
                 at_least(milliseconds(900 << i), tries[i + 1].at - tries[i].at));
  if (!trial.await("the channel is good", [&] { return stand.house.channel_state("slack") == "good"; }))
    return;
  stand.say(stand.slack.written("U1", "Ada", Slack::stamp(1)));
  stand.reads("api", "Ada");
}

}  // namespace lab
