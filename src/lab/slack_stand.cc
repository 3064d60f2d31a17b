// SPDX-License-Identifier: Apache-2.0
#include "lab/slack_stand.h"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/strings.h"

namespace lab {
namespace {

constexpr size_t kMostText = 300;

}  // namespace

bool SlackStand::open(const std::string& users, const std::string& more) {
  const bool started = house.start(fmt::format(
      "channels:\n  slack:\n    bot_token_file: {}\n    app_token_file: {}\n    allowed_users: {}\n"
      "    api_url: {}\n  request_timeout_seconds: 2\n{}",
      house.put("bot.token", "xoxb-of-the-lab\n"), house.put("app.token", "xapp-of-the-lab\n"), users,
      slack.api_url(), more));
  return started &&
         trial.await("the channel is good", [&] { return house.channel_state("slack") == "good"; });
}

bool SlackStand::has_posted(size_t count, const std::string& method) {
  if (!trial.await(fmt::format("{} {}", method, count), [&] { return slack.count(method) >= count; }))
    return false;
  trial.log(fmt::format("{} {}: {}", method, count, base::printable(text(count, method), kMostText)));
  return true;
}

bool SlackStand::has_heard(size_t count) {
  return trial.await(fmt::format("{} envelopes are acknowledged", count),
                     [&] { return slack.service().received(slack.link()).size() >= count; });
}

json::object SlackStand::message(size_t number, const std::string& method) const {
  const auto all = slack.posted(method);
  return number >= 1 && number <= all.size() ? all[number - 1] : json::object();
}

std::string SlackStand::text(size_t number, const std::string& method) const {
  return json::serialize(message(number, method));
}

void SlackStand::say(const std::string& envelope) {
  trial.log("said: " + base::printable(envelope, kMostText));
  slack.say(envelope);
}

bool SlackStand::reads(const std::string& name, const std::string& line) {
  const bool came = trial.await(fmt::format("{} reads a line", name), [&] {
    const std::string read = house.read_by(name);
    return !read.empty() && read.ends_with('\n');
  });
  if (came) expect_read(fmt::format("what {} reads", name), name, line + "\n");
  return came;
}

void SlackStand::expect_read(std::string_view what, const std::string& name, const std::string& expected) {
  trial.expect(what, expected, house.read_by(name));
}

void SlackStand::expect_has(std::string_view what, std::string_view part, const std::string& text) {
  trial.expect(what, part, text.find(part) != std::string::npos ? part : std::string_view(text));
}

void SlackStand::expect_lacks(std::string_view what, std::string_view part, const std::string& text) {
  trial.expect(what, "not there",
               text.find(part) == std::string::npos ? "not there" : std::string_view(text));
}

}  // namespace lab
