// SPDX-License-Identifier: Apache-2.0
// The half of Server that talks to the daemon.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "mcp/protocol.h"
#include "mcp/resources.h"
#include "mcp/result.h"
#include "mcp/server.h"

namespace mcp {
namespace {

using base::Code;
using base::fail;
using base::Result;
using base::log::Level;
using base::log::say;
using std::chrono::milliseconds;

constexpr size_t kMostCalls = 256;
constexpr int kMostTries = 10;
constexpr size_t kMostMessage = wire::kMostPayload - 4096;  // room for the envelope
constexpr int64_t kResourcesPerPage = 50;                   // sessions
constexpr int64_t kLogBytes = 48'000;
constexpr milliseconds kProgressPace{1000};

// The end of a wait stays where it was when it is asked for again.
void shorten(json::object& params, int64_t spent_ms) {
  if (const auto limit = wire::integer(params, "timeout_ms"))
    params["timeout_ms"] = std::max<int64_t>(*limit - spent_ms, 0);
}

int64_t ms_between(base::Moment from, base::Moment to) {
  return std::chrono::duration_cast<milliseconds>(to - from).count();
}

std::optional<json::value> progress_token(const json::object& params) {
  const json::object* meta = object_at(params, "_meta");
  const json::value* token = meta != nullptr ? meta->if_contains("progressToken") : nullptr;
  if (token == nullptr || !(token->is_string() || token->is_number())) return {};
  return *token;
}

}  // namespace

void Server::call_tool(Asker asker, json::object params) {
  const auto name = text_at(params, "name");
  json::value* arguments = params.if_contains("arguments");
  if (!name || (arguments != nullptr && !arguments->is_object()))
    return refuse(asker, kInvalidParams, "tools/call needs the name of a tool, and arguments with names");
  auto plan = make_plan(*name, arguments != nullptr ? std::move(arguments->get_object()) : json::object(),
                        options_.new_session);
  if (!plan) {
    const Tool* tool = find_tool(*name);
    if (tool == nullptr || !tells_of_arguments(protocol_))
      return refuse(asker, kInvalidParams, plan.error().what, {{"code", base::code_name(plan.error().code)}});
    return answer(asker, make_failure({.tool = tool, .most_chars = kUsualChars}, plan.error(), {}));
  }
  begin({.asker = std::move(asker), .plan = std::move(*plan), .progress_token = progress_token(params)});
}

void Server::list_all_resources(Asker asker, const json::object& params) {
  Plan plan{.method = "session.list", .params = {{"limit", kResourcesPerPage}}, .again = true};
  if (params.contains("cursor")) {
    const auto cursor = text_at(params, "cursor");
    if (!cursor) return refuse(asker, kInvalidParams, "a cursor is a text");
    plan.params["after"] = *cursor;
  }
  begin({.asker = std::move(asker), .what = Call::For::resource_list, .plan = std::move(plan)});
}

void Server::read_resource(Asker asker, const json::object& params) {
  const auto uri = text_at(params, "uri");
  if (!uri) return refuse(asker, kInvalidParams, "resources/read needs a uri");
  const auto resource = parse_resource(*uri);
  if (!resource)
    return refuse(asker, kNoResource, "there is no such resource", {{"uri", base::printable(*uri)}});
  const bool screen = resource->kind == Resource::Kind::screen;
  Plan plan{.method = screen ? "pty.screen" : "pty.read",
            .params = {{"session", resource->session}, {"pty", resource->pty}},
            .most_chars = kUsualChars,
            .again = true};
  if (!screen) plan.params["max_bytes"] = kLogBytes;
  begin({.asker = std::move(asker), .what = Call::For::resource, .plan = std::move(plan), .uri = *uri});
}

void Server::begin(Call call) {
  if (calls_.size() >= kMostCalls)
    return refuse(call.asker, kInternal, fmt::format("{} requests are under way already", kMostCalls));
  if (call.plan.answer) return answer(call.asker, make_result(call.plan, std::move(*call.plan.answer)));
  call.begun = clock_.now();
  call.next_progress = call.begun + kProgressPace;
  const std::string key = json::serialize(call.asker.id);
  const bool too_large = json::serialize(call.plan.params).size() > kMostMessage;
  calls_.insert_or_assign(key, std::move(call));
  if (too_large)
    return conclude(key, fail(Code::message_too_large, 0, "the arguments have more than 1 MiB"), {});
  ask(key);
}

void Server::ask(const std::string& key) {
  Call& call = calls_.at(key);
  auto link = link_for(call);
  if (!link) return conclude(key, fail(link), {});
  call.tries++;
  call.asked = clock_.now();
  (*link)->waiting[(*link)->client.send(call.plan.method, call.plan.params)] = key;
  // An error shows when its answer is read.
  (void)(*link)->client.flush();
}

Result<std::list<Link>::iterator> Server::link_for(const Call& call) {
  const auto shared = [](const Link& each) { return each.sharing == Sharing::shared; };
  if (!call.plan.waits) {
    const auto found = std::find_if(links_.begin(), links_.end(), shared);
    if (found != links_.end()) return found;
  }
  auto client = options_.connect(greeting_);
  if (!client) return fail(client);
  say(Level::debug, "connected to the daemon");
  return links_.insert(links_.end(), {std::move(*client), call.plan.waits ? Sharing::own : Sharing::shared});
}

void Server::take_news(std::list<Link>::iterator link) {
  (void)link->client.flush();
  for (;;) {
    auto next = link->client.next();
    if (!next) return lost(link, next.error());
    if (!*next) return;
    if (auto* response = std::get_if<wire::Response>(&**next)) {
      const auto found = response->id.is_int64()
                             ? link->waiting.find(static_cast<uint64_t>(response->id.get_int64()))
                             : link->waiting.end();
      if (found == link->waiting.end()) continue;
      const std::string key = found->second;
      link->waiting.erase(found);
      const bool over = link->sharing == Sharing::own && link->waiting.empty();
      if (over) links_.erase(link);
      answered(key, std::move(*response));
      if (over) return;
    } else if (const auto* news = std::get_if<wire::Request>(&**next);
               news != nullptr && news->method == "run.progress") {
      for (const auto& [id, key] : link->waiting) {
        if (const auto call = calls_.find(key); call != calls_.end())
          call->second.last_line = text_at(news->params, "line").value_or("");
      }
    }
  }
}

void Server::answered(const std::string& key, wire::Response response) {
  const auto found = calls_.find(key);
  if (found == calls_.end()) return;
  Call& call = found->second;
  const bool list = call.what == Call::For::tool && call.plan.tool->odd == Odd::list;
  if (!list || !response.result || !response.result->is_object())
    return conclude(key, std::move(response.result), std::move(response.data));
  json::object& said = response.result->get_object();
  if (call.plan.method == "session.get") {
    call.gathered.push_back(std::move(said));
  } else {
    for (json::value& each : said.at("sessions").as_array()) call.gathered.push_back(std::move(each));
    if (const auto next = text_at(said, "next")) {
      call.plan.params["after"] = *next;
      call.tries = 0;
      return ask(key);
    }
  }
  conclude(key, json::value(std::move(call.gathered)), {});
}

void Server::conclude(const std::string& key, Result<json::value> result, json::object data) {
  auto node = calls_.extract(key);
  if (node.empty()) return;
  Call& call = node.mapped();
  say(Level::debug, "{}: {} after {} ms", call.plan.method,
      result ? "done" : base::code_name(result.error().code), ms_between(call.begun, clock_.now()));
  if (call.what != Call::For::tool) return finish_resource(call, result);
  answer(call.asker, result ? make_result(call.plan, std::move(*result))
                            : make_failure(call.plan, result.error(), std::move(data)));
}

void Server::finish_resource(const Call& call, const Result<json::value>& result) {
  if (!result) {
    const base::Error& error = result.error();
    json::object data{{"code", base::code_name(error.code)}};
    if (!call.uri.empty()) data["uri"] = call.uri;
    const int number = error.code == Code::pty_session_not_found ? kNoResource
                       : error.code == Code::invalid_param       ? kInvalidParams
                                                                 : kInternal;
    return refuse(call.asker, number, error.message(), std::move(data));
  }
  const json::object& said = result->as_object();
  if (call.what == Call::For::resource_list) {
    json::object page{{"resources", list_resources(said.at("sessions").as_array())}};
    if (const auto next = text_at(said, "next")) page["nextCursor"] = *next;
    return answer(call.asker, std::move(page));
  }
  std::string text = text_at(said, "data").value_or("");
  keep_newest(text, call.plan.most_chars);
  json::object content{{"uri", call.uri}, {"mimeType", "text/plain"}, {"text", std::move(text)}};
  answer(call.asker, json::object{{"contents", json::array{std::move(content)}}});
}

// The daemon has gone. Whoever only looks does not notice: the next daemon is asked. What may have been done
// already is not done twice.
void Server::lost(std::list<Link>::iterator link, const base::Error& why) {
  std::vector<std::string> keys;
  for (const auto& [id, key] : link->waiting)
    if (calls_.contains(key)) keys.push_back(key);
  links_.erase(link);
  say(Level::warning, "the daemon has gone: {}", why.message());
  // It did not take the greeting, and nothing behind it.
  const bool refused = why.code != Code::internal;
  for (const std::string& key : keys) {
    Call& call = calls_.at(key);
    if (!refused && call.plan.again && call.tries < kMostTries) {
      shorten(call.plan.params, ms_between(call.asked, clock_.now()));
      ask(key);
      continue;
    }
    base::Error error = why;
    if (!refused) error.what = "the daemon has gone, and it is not known whether it was done: " + why.what;
    conclude(key, std::unexpected(std::move(error)), {});
  }
}

// No answer follows.
void Server::cancel(const std::string& key) {
  const auto found = calls_.find(key);
  if (found == calls_.end()) return;
  const std::string run = found->second.plan.run;
  say(Level::info, "{} was cancelled", found->second.plan.method);
  calls_.erase(found);
  const auto link =
      std::find_if(links_.begin(), links_.end(), [&](const Link& each) { return each.has(key); });
  if (link == links_.end()) return;
  link->forget(key);
  if (link->sharing == Sharing::shared) return;
  if (run.empty()) {
    links_.erase(link);
    return;
  }
  // The connection stays until the daemon has heard it.
  link->waiting[link->client.send("pty.run_cancel", {{"run", run}})] = "";
  (void)link->client.flush();
}

void Server::on_time() {
  const base::Moment now = clock_.now();
  for (auto& [key, call] : calls_)
    if (call.progress_token && call.plan.waits && call.next_progress <= now) progress(call, now);
}

std::optional<base::Moment> Server::next() const {
  std::optional<base::Moment> first;
  for (const auto& [key, call] : calls_)
    if (call.progress_token && call.plan.waits && (!first || call.next_progress < *first))
      first = call.next_progress;
  return first;
}

void Server::progress(Call& call, base::Moment now) {
  call.next_progress = now + kProgressPace;
  json::object params{{"progressToken", *call.progress_token}, {"progress", ms_between(call.begun, now)}};
  if (const auto limit = wire::integer(call.plan.params, "timeout_ms")) params["total"] = *limit;
  if (!call.last_line.empty()) params["message"] = call.last_line;
  send(wire::make_notification("notifications/progress", std::move(params)));
}

}  // namespace mcp
