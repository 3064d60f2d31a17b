// SPDX-License-Identifier: Apache-2.0
#include "channel/webhook_text.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <map>

#include "base/ids.h"
#include "base/strings.h"
#include "channel/escape.h"

namespace channel {
namespace {

namespace json = boost::json;
using base::Code;
using base::fail;
using base::Result;

constexpr size_t kMostQuestion = 1000;
constexpr size_t kMostExcerpt = 200;
constexpr size_t kMostLabel = 60;
constexpr size_t kMostChoices = 50;
constexpr size_t kMostActions = 3;  // that ntfy shows
constexpr size_t kMostAnswer = 4096;

std::string shown(std::string_view text, size_t most) { return last_of(strip_secrets(plain(text)), most); }

std::string one_line(std::string_view text, size_t most) {
  std::string line = first_of(strip_secrets(plain(text)), most);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

// A header is ASCII, and what separates ntfy's actions does not belong into them.
std::string header_text(std::string_view text, size_t most) {
  std::string line = one_line(text, most);
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c > '~' || c == ',' || c == ';'; },
      '?');
  return line;
}

std::string name_of(const Notice& notice) {
  return notice.pty == 0 ? notice.session : fmt::format("{}:{}", notice.session, notice.pty);
}

std::string_view state_of(const Ending& ending) {
  switch (ending.state) {
    case Ending::State::answered:
      return "answered";
    case Ending::State::expired:
      return "expired";
    case Ending::State::cancelled:
      return "cancelled";
    case Ending::State::failed:
      return "failed";
  }
  return "failed";
}

json::object about(std::string_view event, const Notice& notice) {
  return {{"event", event},
          {"prompt", notice.prompt},
          {"session", one_line(notice.session, kMostLabel)},
          {"pty", notice.pty},
          {"type", notice.type},
          {"question", shown(notice.question, kMostQuestion)},
          {"secret", notice.secret}};
}

// Button by button: "http, LABEL, URL?choice=N, method=POST, clear=true".
std::string actions_of(const Notice& notice, std::string_view url) {
  std::string actions;
  size_t count = 0;
  const auto add = [&](std::string_view label, const std::string& query) {
    if (count++ >= kMostActions) return;
    actions += fmt::format("{}http, {}, {}?{}, method=POST, clear=true", actions.empty() ? "" : "; ",
                           header_text(label, kMostLabel), url, query);
  };
  if (notice.ambiguous) {
    add("SEND ENTER", "enter=1");
    add("CANCEL", "cancel=1");
    return actions;
  }
  if (notice.type == "YES_NO" && notice.choices.empty()) {
    add("Yes", "answer=yes");
    add("No", "answer=no");
  }
  for (size_t i = 0; i < notice.choices.size(); i++) {
    const Choice& each = notice.choices[i];
    add(each.label.empty() ? each.key : each.label, fmt::format("choice={}", i + 1));
  }
  if (notice.type == "CONFIRM_ENTER" || (notice.fallback && notice.choices.empty())) add("Enter", "enter=1");
  return actions;
}

using Fields = std::map<std::string, std::string>;

Result<Fields> read_form(std::string_view form) {
  Fields fields;
  for (const std::string_view each : base::split(form, '&')) {
    if (each.empty()) continue;
    const size_t equals = each.find('=');
    const auto name = base::percent_decoded(each.substr(0, equals), base::Plus::blank);
    const auto value = base::percent_decoded(equals != std::string_view::npos ? each.substr(equals + 1) : "",
                                             base::Plus::blank);
    if (!name || !value || !fields.emplace(*name, *value).second)
      return fail(Code::invalid_param, 0, "the form cannot be read");
  }
  return fields;
}

Result<Fields> read_json(std::string_view body) {
  boost::system::error_code wrong;
  const json::value value = json::parse(body, wrong);
  if (wrong || !value.is_object()) return fail(Code::invalid_param, 0, "an object of JSON is wanted");
  Fields fields;
  for (const auto& [name, field] : value.get_object()) {
    if (field.is_null() || (field.is_bool() && !field.get_bool())) continue;
    fields[std::string(name)] = field.is_string() ? std::string(field.get_string())
                                : field.is_bool() ? "1"
                                                  : json::serialize(field);
  }
  return fields;
}

Result<Reply> reply_of(const Fields& fields) {
  if (fields.size() != 1)
    return fail(Code::invalid_param, 0, "one of answer, choice, enter and cancel is wanted");
  const auto& [name, value] = *fields.begin();
  Reply reply;
  if (name == "answer") {
    if (value.size() > kMostAnswer) return fail(Code::invalid_param, 0, "the answer is too long");
    reply.text = value;
  } else if (name == "choice") {
    const auto number = base::parse_number<uint32_t>(value, 1, 1000);
    if (!number) return fail(Code::invalid_param, 0, "choice is a number, counted from 1");
    reply.kind = Reply::Kind::choice;
    reply.choice = *number;
  } else if (name == "enter") {
    reply.kind = Reply::Kind::enter;
  } else if (name == "cancel") {
    reply.kind = Reply::Kind::cancel;
  } else {
    return fail(Code::invalid_param, 0, "one of answer, choice, enter and cancel is wanted");
  }
  return reply;
}

}  // namespace

Post asked_post(const Notice& notice, std::string_view answer_url, WebhookFormat format) {
  if (format == WebhookFormat::text) {
    std::string body = notice.secret ? "asks for a secret: " : "";
    body += shown(notice.question.empty() ? notice.excerpt : notice.question, kMostQuestion);
    if (answer_url.empty()) body += "\nAnswer it at the terminal or in the browser.";
    Post post{.event = "prompt.asked", .body = std::move(body), .headers = {}};
    post.headers.push_back(
        "Title: " +
        header_text(name_of(notice) + (notice.ambiguous ? " may wait for you" : " asks"), kMostLabel));
    post.headers.emplace_back("Tags: question");
    if (const std::string actions = answer_url.empty() ? "" : actions_of(notice, answer_url);
        !actions.empty())
      post.headers.push_back("Actions: " + actions);
    return post;
  }
  json::object event = about("prompt.asked", notice);
  json::array choices;
  for (size_t i = 0; i < std::min(notice.choices.size(), kMostChoices); i++)
    choices.push_back(json::object{{"key", one_line(notice.choices[i].key, kMostLabel)},
                                   {"label", one_line(notice.choices[i].label, kMostLabel)}});
  event["choices"] = std::move(choices);
  event["default"] =
      notice.fallback ? json::value(one_line(*notice.fallback, kMostLabel)) : json::value(nullptr);
  event["ambiguous"] = notice.ambiguous;
  event["excerpt"] = shown(notice.excerpt, kMostExcerpt);
  event["created_at"] = notice.created_at / 1'000'000;
  event["expires_at"] = notice.expires_at / 1'000'000;
  event["answer_url"] = answer_url.empty() ? json::value(nullptr) : json::value(answer_url);
  return {
      .event = "prompt.asked", .body = json::serialize(event), .headers = {"Content-Type: application/json"}};
}

Post ended_post(const Notice& notice, const Ending& ending, WebhookFormat format) {
  if (format == WebhookFormat::text) {
    std::string body = fmt::format("{}: {}", state_of(ending), one_line(notice.question, kMostQuestion));
    if (!ending.by.empty()) body += " (by " + one_line(ending.by, kMostLabel) + ")";
    return {.event = "prompt.ended",
            .body = std::move(body),
            .headers = {"Title: " + header_text(name_of(notice), kMostLabel), "Tags: heavy_check_mark",
                        "Priority: low"}};
  }
  json::object event = about("prompt.ended", notice);
  event["state"] = state_of(ending);
  event["outcome"] = ending.outcome.empty() ? json::value(nullptr) : json::value(ending.outcome);
  event["by"] = one_line(ending.by, kMostLabel);
  event["channel"] = ending.channel;
  return {
      .event = "prompt.ended", .body = json::serialize(event), .headers = {"Content-Type: application/json"}};
}

Post test_post(WebhookFormat format) {
  if (format == WebhookFormat::text)
    return {.event = "test", .body = "This is a test of tend.", .headers = {"Title: tend"}};
  return {.event = "test",
          .body = json::serialize(json::object{{"event", "test"}, {"text", "This is a test of tend."}}),
          .headers = {"Content-Type: application/json"}};
}

std::vector<std::string> signed_headers(const Post& post, std::string_view key, int64_t now,
                                        std::string_view delivery) {
  std::vector<std::string> headers = post.headers;
  headers.push_back(fmt::format("X-Tend-Event: {}", post.event));
  headers.push_back(fmt::format("X-Tend-Delivery: {}", delivery));
  headers.push_back(fmt::format("X-Tend-Timestamp: {}", now));
  headers.push_back(fmt::format("X-Tend-Signature: v1={}", event_signature(key, now, post.body)));
  return headers;
}

std::string answer_url(std::string_view base, std::string_view key, const AnswerTicket& ticket) {
  return fmt::format("{}/answer/{}/{}/{}", base, ticket.prompt, ticket.expires,
                     ticket_signature(key, ticket));
}

std::optional<AnswerTarget> read_target(std::string_view target) {
  AnswerTarget read;
  if (const size_t mark = target.find('?'); mark != std::string_view::npos) {
    read.query = target.substr(mark + 1);
    target = target.substr(0, mark);
  }
  const auto parts = base::split(target, '/');
  if (parts.size() != 5 || !parts[0].empty() || parts[1] != "answer" || !base::is_id(parts[2])) return {};
  const auto expires = base::parse_number<int64_t>(parts[3], 1, INT64_C(1) << 40);
  if (!expires || parts[4].size() != 64) return {};
  read.prompt = parts[2];
  read.expires = *expires;
  read.signature = parts[4];
  return read;
}

Result<Reply> read_reply(std::string_view query, std::string_view content_type, std::string_view body) {
  if (!query.empty()) {
    auto fields = read_form(query);
    return fields ? reply_of(*fields) : fail(fields);
  }
  const auto read = [&]() -> Result<Fields> {
    if (content_type.starts_with("application/json")) return read_json(body);
    if (content_type.starts_with("application/x-www-form-urlencoded")) return read_form(body);
    std::string_view text = body;
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    return Fields{{"answer", std::string(text)}};
  };
  auto fields = read();
  return fields ? reply_of(*fields) : fail(fields);
}

}  // namespace channel
