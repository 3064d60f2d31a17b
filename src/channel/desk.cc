// SPDX-License-Identifier: Apache-2.0
#include "channel/desk.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <cerrno>
#include <fmt/format.h>
#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "channel/escape.h"
#include "channel/notice.h"
#include "wire/params.h"

namespace channel {
namespace {

using base::Code;
using base::fail;
using base::Result;
using base::log::Level;
namespace json = wire::json;

// Before people are bothered: a rule may answer it, or somebody at the terminal.
constexpr std::chrono::milliseconds kSettle{200};
constexpr int kScrollback = 200;
constexpr size_t kMostScreen = 2000;
constexpr size_t kMostKey = 128;
constexpr size_t kMostValue = 512;
constexpr std::string_view kFinished = "finished ";

std::string text_of(const json::object& object, std::string_view name) {
  return wire::text(object, name).value_or("");
}

std::string_view name_of(Health::State state) {
  switch (state) {
    case Health::State::starting:
      return "starting";
    case Health::State::good:
      return "good";
    case Health::State::troubled:
      return "troubled";
  }
  return "troubled";
}

}  // namespace

Desk::Desk(event::Loop& loop, wire::Client client, DeskOptions options)
    : loop_(loop),
      client_(std::move(client)),
      options_(std::move(options)),
      watch_(loop, client_.fd(),
             [this](event::Ready ready) {
               if (ready.output) flush();
               if (ready.input) receive();
             }),
      report_(loop, [this] { report(); }),
      new_(loop, [this] { look_at_new(); }) {}

void Desk::open(Medium& medium, std::function<void(const base::Error&)> lost) {
  medium_ = &medium;
  lost_ = std::move(lost);
  report();
  ask("channel.recall", {}, [this](const Result<json::value>& entries) { recalled(entries); });
}

void Desk::recalled(const Result<json::value>& entries) {
  if (!entries) return lose(entries.error());
  for (const json::value& each : entries->at("entries").as_array()) {
    const json::object& entry = each.as_object();
    entries_[text_of(entry, "key")] = {text_of(entry, "value"), text_of(entry, "prompt")};
  }
  medium_->start();
  follow();
}

// What happens, and then what is there: nothing falls between the two.
void Desk::follow() {
  ask("events.subscribe", {}, [this](const Result<json::value>& done) {
    if (!done) lose(done.error());
  });
  ask("prompt.list", {}, [this](const Result<json::value>& prompts) { listed(prompts); });
}

void Desk::listed(const Result<json::value>& prompts) {
  if (!prompts) return lose(prompts.error());
  std::set<std::string> there;
  for (const json::value& each : prompts->as_array()) {
    there.insert(text_of(each.as_object(), "id"));
    looked(each.as_object());
  }
  // Those that ended while nobody was here.
  std::set<std::string> ended;
  for (const auto& [key, entry] : entries_) {
    if (!entry.prompt.empty() && !there.contains(entry.prompt) &&
        !recall(std::string(kFinished) + entry.prompt))
      ended.insert(entry.prompt);
  }
  for (const std::string& prompt : ended) look(prompt);
}

void Desk::ask(std::string_view method, json::object params, Answer then) {
  waiting_[client_.send(method, std::move(params))] = std::move(then);
  flush();
}

void Desk::flush() {
  if (auto done = client_.flush(); !done) return lose(done.error());
  watch_.want({.input = true, .output = client_.waiting_output() > 0});
}

void Desk::receive() {
  for (;;) {
    auto next = client_.next();
    if (!next) return lose(next.error());
    if (!*next) return;
    if (const auto* request = std::get_if<wire::Request>(&**next)) take(*request);
    auto* response = std::get_if<wire::Response>(&**next);
    if (response == nullptr || !response->id.is_number()) continue;
    auto node = waiting_.extract(response->id.to_number<uint64_t>());
    if (!node.empty() && node.mapped()) node.mapped()(std::move(response->result));
  }
}

void Desk::take(const wire::Request& notification) {
  const json::object& params = notification.params;
  if (notification.method == "channel.try") {
    const int64_t number = wire::integer(params, "number").value_or(0);
    medium_->test([this, number](const Result<std::string>& result) {
      ask("channel.tested",
          {{"number", number},
           {"ok", result.has_value()},
           {"detail", result ? *result : result.error().message()}},
          {});
    });
    return;
  }
  if (notification.method != "event") return;
  const std::string kind = text_of(params, "kind");
  const std::string prompt = text_of(params, "prompt");
  if (kind == "prompt.asked") return asked(prompt);
  if (kind != "prompt.changed") return;
  const std::string state = text_of(params, "state");
  if (state == "awaiting" || state == "claimed") return;
  fresh_.erase(prompt);
  if (open_.contains(prompt)) look(prompt);
}

void Desk::lose(const base::Error& error) {
  watch_.want({});
  report_.cancel();
  if (lost_) loop_.post([lost = std::exchange(lost_, {}), error] { lost(error); });
}

void Desk::asked(const std::string& prompt) {
  fresh_[prompt] = clock_.now() + kSettle;
  if (!new_.pending()) new_.set_after(kSettle);
}

void Desk::look_at_new() {
  const base::Moment now = clock_.now();
  std::vector<std::string> due;
  std::optional<base::Moment> next;
  for (const auto& [prompt, at] : fresh_) {
    if (at <= now)
      due.push_back(prompt);
    else
      next = std::min(next.value_or(at), at);
  }
  for (const std::string& prompt : due) {
    fresh_.erase(prompt);
    look(prompt);
  }
  if (next) new_.set(*next);
}

void Desk::look(const std::string& prompt) {
  ask("prompt.get", {{"prompt_id", prompt}}, [this, prompt](const Result<json::value>& found) {
    if (found) return looked(found->as_object());
    // One that the store has forgotten has no ending to be told.
    if (found.error().code == Code::prompt_not_found) open_.erase(prompt);
  });
}

void Desk::looked(const json::object& prompt) {
  const std::string id = text_of(prompt, "id");
  if (const auto ending = ending_of(prompt)) {
    open_.erase(id);
    return medium_->change(notice_of(prompt), *ending);
  }
  if (text_of(prompt, "state") != "awaiting" && !open_.contains(id)) {
    // An answer is on its way. If nothing comes of it, people are asked.
    return asked(id);
  }
  const auto [at, is_new] = open_.insert_or_assign(id, notice_of(prompt));
  if (is_new) medium_->show(at->second);
}

std::vector<const Notice*> Desk::open_notices() const {
  std::vector<const Notice*> all;
  all.reserve(open_.size());
  for (const auto& [id, notice] : open_) all.push_back(&notice);
  std::sort(all.begin(), all.end(),
            [](const Notice* a, const Notice* b) { return a->created_at < b->created_at; });
  return all;
}

const Notice* Desk::find(std::string_view prompt) const {
  const auto found = open_.find(prompt);
  return found != open_.end() ? &found->second : nullptr;
}

void Desk::answer(const Reply& reply, Done<Outcome> done) {
  json::object params{{"prompt_id", reply.prompt}, {"nonce", reply.nonce}, {"agent_id", reply.who}};
  const Notice* notice = find(reply.prompt);
  switch (reply.kind) {
    case Reply::Kind::text:
      params["answer"] = reply.text;
      break;
    case Reply::Kind::choice:
      params["choice"] = reply.choice;
      break;
    case Reply::Kind::enter:
      // Where no question is known there is no default that Enter could stand for.
      if (notice == nullptr || notice->ambiguous) params["keys"] = json::array{"Enter"};
      break;
    case Reply::Kind::cancel:
      params["cancel"] = true;
      break;
  }
  ask("prompt.answer", std::move(params),
      [this, prompt = reply.prompt, done = std::move(done)](const Result<json::value>& answered) {
        if (!answered && answered.error().code == Code::prompt_stale)
          return too_late(prompt, answered.error(), done);
        if (!answered) return done(std::unexpected(answered.error()));
        const json::object& result = answered->as_object();
        done(Outcome{.state = text_of(result, "state"), .outcome = text_of(result, "outcome")});
      });
}

// Whoever was slower hears who was faster.
void Desk::too_late(const std::string& prompt, const base::Error& error, const Done<Outcome>& done) {
  ask("prompt.get", {{"prompt_id", prompt}}, [error, done](const Result<json::value>& found) {
    if (!found) return done(std::unexpected(error));
    const json::object& now = found->as_object();
    const std::string by = text_of(now, "by");
    const std::string state = text_of(now, "state");
    if (by.empty() && state == "awaiting") return done(std::unexpected(error));
    done(fail(Code::prompt_stale, 0,
              by.empty() ? fmt::format("too late: it is {}", state)
                         : fmt::format("too late: {} by {}", state == "claimed" ? "answered" : state, by)));
  });
}

void Desk::sessions(Done<std::vector<SessionLine>> done) {
  ask("session.list", {{"limit", 100}}, [done = std::move(done)](const Result<json::value>& list) {
    if (!list) return done(std::unexpected(list.error()));
    std::vector<SessionLine> lines;
    for (const json::value& each : list->at("sessions").as_array()) {
      const json::object& session = each.as_object();
      if (!session.at("ended_at").is_null()) continue;
      const json::value& prompt = session.at("prompt");
      lines.push_back({.name = text_of(session, "name"),
                       .state = text_of(session, "state"),
                       .question = prompt.is_object() ? text_of(prompt.get_object(), "question") : ""});
    }
    done(std::move(lines));
  });
}

void Desk::screen(const std::string& target, Done<std::string> done) {
  const size_t colon = target.rfind(':');
  json::object params{{"session", target.substr(0, colon)}};
  if (colon != std::string::npos) {
    const auto number = base::parse_number<int64_t>(std::string_view(target).substr(colon + 1), 0, 63);
    if (!number) return done(fail(Code::invalid_param, 0, "the name of a session is wanted, or NAME:N"));
    params["pty"] = *number;
  }
  show_screen(std::move(params), std::move(done));
}

void Desk::screen_of(const std::string& prompt, Done<std::string> done) {
  ask("prompt.get", {{"prompt_id", prompt}},
      [this, done = std::move(done)](const Result<json::value>& found) {
        if (!found) return done(std::unexpected(found.error()));
        show_screen({{"session", found->at("session")}, {"pty", found->at("pty")}}, done);
      });
}

void Desk::show_screen(json::object params, Done<std::string> done) {
  params["format"] = "text";
  params["scrollback"] = kScrollback;
  ask("pty.screen", std::move(params), [done = std::move(done)](const Result<json::value>& screen) {
    if (!screen) return done(std::unexpected(screen.error()));
    const std::string text = trim_lines(plain(text_of(screen->as_object(), "data")));
    done(last_of(strip_secrets(text), kMostScreen));
  });
}

std::optional<std::string> Desk::recall(std::string_view key) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return {};
  return found->second.value;
}

std::vector<std::pair<std::string, std::string>> Desk::recall_all(std::string_view prefix) const {
  std::vector<std::pair<std::string, std::string>> all;
  for (auto at = entries_.lower_bound(prefix); at != entries_.end() && at->first.starts_with(prefix); ++at)
    all.emplace_back(at->first, at->second.value);
  return all;
}

void Desk::remember(std::string key, std::string value, std::string prompt) {
  if (key.size() > kMostKey || value.size() > kMostValue) {
    base::log::say(Level::error, "too long to be remembered: {}", base::printable(key, kMostKey));
    return;
  }
  json::object params{{"key", key}, {"value", value}};
  if (!prompt.empty()) params["prompt"] = prompt;
  entries_[std::move(key)] = {std::move(value), std::move(prompt)};
  ask("channel.remember", std::move(params), [](const Result<json::value>& done) {
    if (!done) base::log::say(Level::error, "it cannot be remembered: {}", done.error().message());
  });
}

void Desk::finished(const std::string& prompt) { remember(std::string(kFinished) + prompt, "1", prompt); }

void Desk::refused(const std::string& who, const std::string& what) {
  unaudited_++;
  if (!refusals_.take("", clock_.now())) return;
  ask("channel.refused", {{"who", who}, {"what", what}, {"count", std::exchange(unaudited_, 0)}}, {});
}

void Desk::report() {
  report_.set_after(options_.report_every);
  const Health now = medium_->health();
  if (now != reported_)
    base::log::say(now.state == Health::State::troubled ? Level::warning : Level::info, "{}: {}",
                   name_of(now.state), now.detail);
  reported_ = now;
  ask("channel.report", {{"state", name_of(now.state)}, {"detail", now.detail}}, {});
}

}  // namespace channel
