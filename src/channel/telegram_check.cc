// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "channel/telegram.h"
#include "channel/telegram_api.h"
#include "channel/telegram_updates.h"
#include "channel/token.h"
#include "wire/params.h"

namespace channel {
namespace {

namespace json = boost::json;

constexpr std::chrono::seconds kHold{30};

base::Error error_of(const ApiProblem& problem) {
  return {base::Code::internal, 0,
          problem.kind == ApiProblem::Kind::unauthorized ? "Telegram does not know this token"
                                                         : "Telegram: " + problem.text};
}

// The first person who writes to the bot, or nobody in half a minute.
void find_user(const std::shared_ptr<TelegramApi>& api, json::object found, const Kind::Checked& done) {
  api->call(
      "getUpdates", {{"timeout", kHold.count()}, {"limit", 1}, {"offset", -1}},
      [api, found = std::move(found), done](const Api<json::value>& result) mutable {
        if (!result) return done(std::unexpected(error_of(result.error())));
        for (const Update& each : read_updates(*result)) {
          if (each.user.empty() || !each.private_chat) continue;
          found["user"] = each.user;
          found["user_name"] = each.name;
        }
        done(std::move(found));
      },
      kHold);
}

}  // namespace

void check_telegram(Http& http, event::Loop& /*loop*/, const json::object& given, Kind::Checked done) {
  const auto api =
      std::make_shared<TelegramApi>(http, wire::text(given, "api_url").value_or("https://api.telegram.org"),
                                    wire::text(given, "token").value_or(""));
  const bool wants_user = wire::flag(given, "find_user");
  api->call("getMe", {}, [api, wants_user, done = std::move(done)](const Api<json::value>& result) {
    if (!result) return done(std::unexpected(error_of(result.error())));
    const json::object* bot = result->if_object();
    const auto name = bot != nullptr ? wire::text(*bot, "username") : std::nullopt;
    if (!name) return done(base::fail(base::Code::internal, 0, "Telegram does not say who the bot is"));
    json::object found{{"name", "@" + *name}};
    if (wants_user) return find_user(api, std::move(found), done);
    done(std::move(found));
  });
}

}  // namespace channel
