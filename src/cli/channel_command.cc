// SPDX-License-Identifier: Apache-2.0
#include "cli/channel_command.h"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "cli/access.h"
#include "cli/output.h"
#include "cli/report.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::fail;
using base::Result;
namespace json = wire::json;

constexpr std::chrono::seconds kTestDeadline{60};
constexpr size_t kMostDetail = 200;
constexpr std::string_view kNone = "there are no channels; 'tend channel add telegram' sets one up\n";

std::string text_of(const json::object& object, std::string_view name) {
  return wire::text(object, name).value_or("");
}

Tone tone_of(std::string_view state) {
  if (state == "good") return Tone::good;
  return state == "starting" ? Tone::busy : Tone::bad;
}

Result<int> list(const ChannelListOptions& options) {
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto channels = client->call("channel.list", {});
  if (!channels) return fail(channels);
  if (options.json) return print_json(*channels);
  if (channels->as_array().empty()) {
    fmt::print(stderr, "{}", kNone);
    return kDone;
  }
  Table table({"CHANNEL", "STATE", "RESTARTS", "DETAIL"});
  for (const json::value& each : channels->as_array()) {
    const json::object& channel = each.as_object();
    const std::string state = text_of(channel, "state");
    table.add({{text_of(channel, "kind"), Tone::strong},
               {state, tone_of(state)},
               {std::to_string(wire::integer(channel, "restarts").value_or(0))},
               {clip(text_of(channel, "detail"), kMostDetail)}});
  }
  return print(table.text());
}

Result<int> test(const ChannelTestOptions& options) {
  auto client = reach_daemon();
  if (!client) return fail(client);
  json::object params;
  if (options.kind) params["kind"] = *options.kind;
  auto results = client->call("channel.test", std::move(params), kTestDeadline);
  if (!results) return fail(results);
  bool good = true;
  std::string text;
  for (const json::value& each : results->as_array()) {
    const json::object& result = each.as_object();
    good = good && wire::flag(result, "ok");
    text += fmt::format("{}: {}\n", text_of(result, "kind"),
                        toned(clip(text_of(result, "detail"), kMostDetail),
                              wire::flag(result, "ok") ? Tone::good : Tone::bad));
  }
  if (results->as_array().empty()) {
    good = false;
    fmt::print(stderr, "{}", kNone);
  }
  const int printed = options.json ? print_json(*results) : print(text);
  return good ? printed : kFailed;
}

}  // namespace

int list_channels(const ChannelListOptions& options) { return finish(list(options)); }
int test_channels(const ChannelTestOptions& options) { return finish(test(options)); }

}  // namespace cli
