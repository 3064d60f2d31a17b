// SPDX-License-Identifier: Apache-2.0
#include "channel/slack_text.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "base/strings.h"
#include "channel/escape.h"

namespace channel {
namespace {

namespace json = boost::json;
using What = Press::What;

constexpr size_t kMostName = 100;
constexpr size_t kMostQuestion = 500;  // each character may take five when it is escaped
constexpr size_t kMostScreen = 2000;

std::string line_of(std::string_view text, size_t most) {
  std::string line = first_of(strip_secrets(plain(text)), most);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

// In a block of code nothing is markup but what ends the block.
std::string code(std::string_view text, size_t most) {
  std::string shown = last_of(strip_secrets(plain(text)), most);
  for (size_t at = shown.find("```"); at != std::string::npos; at = shown.find("```", at))
    shown.replace(at, 3, "'''");
  std::string escaped = slack_text(shown);
  // What was escaped may be longer than a block; then its end is what counts.
  while (escaped.size() > kMostSlackSection - 100 && shown.size() > 1) {
    shown = last_of(shown, shown.size() / 2);
    escaped = slack_text(shown);
  }
  return "```\n" + (escaped.empty() ? " " : escaped) + "\n```";
}

std::string title_of(const Notice& notice) {
  const std::string name = line_of(notice.session, kMostName);
  // Stars and the like would be markup in a name.
  std::string safe;
  for (const char c : slack_text(name)) safe += c == '*' || c == '_' || c == '~' || c == '`' ? ' ' : c;
  return notice.pty == 0 ? fmt::format("*{}*", safe) : fmt::format("*{}:{}*", safe, notice.pty);
}

json::object section(std::string text) {
  return {{"type", "section"},
          {"text", json::object{{"type", "mrkdwn"}, {"text", std::move(text)}, {"verbatim", true}}}};
}

json::object button(const Notice& notice, std::string_view label, What what, uint32_t choice = 0) {
  std::string text = line_of(label, kMostSlackButton);
  if (base::trim(text).empty()) text = fmt::format("({})", choice);
  return {{"type", "button"},
          {"action_id", fmt::format("tend_{}_{}", static_cast<int>(what), choice)},
          {"text", json::object{{"type", "plain_text"}, {"text", text}, {"emoji", false}}},
          {"value",
           callback_data({.prompt = notice.prompt, .nonce = notice.nonce, .what = what, .choice = choice})}};
}

std::string label_of(const Choice& choice) {
  if (choice.key.empty() || choice.key == choice.label) return choice.label;
  return choice.label.empty() ? choice.key : fmt::format("{}: {}", choice.key, choice.label);
}

json::array buttons(const Notice& notice) {
  json::array all;
  if (notice.ambiguous) {
    all.push_back(button(notice, "SEND ENTER", What::enter));
    all.push_back(button(notice, "SHOW LAST OUTPUT", What::output));
    all.push_back(button(notice, "CANCEL", What::cancel));
    return all;
  }
  if (notice.type == "YES_NO" && notice.choices.empty()) {
    all.push_back(button(notice, "Yes", What::yes));
    all.push_back(button(notice, "No", What::no));
  }
  const size_t most = kMostSlackButtons - 3;
  for (size_t i = 0; i < std::min(notice.choices.size(), most); i++)
    all.push_back(button(notice, label_of(notice.choices[i]), What::choice, static_cast<uint32_t>(i + 1)));
  if (notice.type == "CONFIRM_ENTER" || (notice.fallback && notice.choices.empty()))
    all.push_back(button(notice, "Enter", What::enter));
  all.push_back(button(notice, "Show last output", What::output));
  all.push_back(button(notice, "Cancel", What::cancel));
  return all;
}

std::string how_it_ended(const Ending& ending, std::string_view by) {
  const std::string who = by.empty() ? "" : " by " + slack_text(line_of(by, kMostName));
  switch (ending.state) {
    case Ending::State::answered:
      if (ending.outcome == "rejected") return fmt::format("Answered{}; the program does not want it.", who);
      if (ending.outcome == "unknown") return fmt::format("Answered{}; what came of it is not known.", who);
      return fmt::format("Answered{}.", who);
    case Ending::State::expired:
      return "Expired: nobody answered in time, or the program has ended.";
    case Ending::State::cancelled:
      return by.empty() ? "The question has left the screen." : fmt::format("Cancelled{}.", who);
    case Ending::State::failed:
      return "The terminal did not take the answer.";
  }
  return "";
}

// For notifications: one line, which is not markup either.
std::string summary(const Notice& notice, std::string_view verb) {
  return slack_text(fmt::format("{} {}: {}", line_of(notice.session, kMostName), verb,
                                line_of(notice.question, kMostQuestion)));
}

}  // namespace

SlackMessage slack_asking(const Notice& notice, Answerable answerable) {
  SlackMessage message{.text = summary(notice, "asks"), .blocks = {}};
  if (notice.ambiguous && answerable == Answerable::here) {
    message.blocks.push_back(section("tend detected a possible input request in " + title_of(notice) + "."));
    message.blocks.push_back(
        section("Last output (last 200 chars):\n" + code(notice.excerpt, kMostQuestion)));
    message.blocks.push_back(section("What should I do?"));
  } else {
    const bool here = answerable == Answerable::here;
    message.blocks.push_back(
        section(title_of(notice) + (here ? " asks:\n" : " asks for a secret:\n") +
                code(notice.question.empty() ? notice.excerpt : notice.question, kMostQuestion)));
    if (!here) {
      message.blocks.push_back(section("Answer it at the terminal or in the browser."));
      return message;
    }
    if (notice.choices.empty() && notice.type != "YES_NO" && notice.type != "CONFIRM_ENTER")
      message.blocks.push_back(section("Reply in this thread with the answer."));
  }
  message.blocks.push_back(
      json::object{{"type", "actions"}, {"block_id", "tend"}, {"elements", buttons(notice)}});
  return message;
}

SlackMessage slack_ended(const Notice& notice, const Ending& ending, std::string_view by) {
  SlackMessage message{.text = summary(notice, "asked"), .blocks = {}};
  message.blocks.push_back(
      section(title_of(notice) + " asked:\n" +
              code(notice.question.empty() ? notice.excerpt : notice.question, kMostQuestion)));
  message.blocks.push_back(section(how_it_ended(ending, by)));
  return message;
}

SlackMessage slack_screen(std::string_view screen) {
  SlackMessage message{.text = "The last output", .blocks = {}};
  message.blocks.push_back(section(code(screen, kMostScreen)));
  return message;
}

std::string typed_in_slack(std::string_view text) {
  std::string typed;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text[at] == '<' ? text.find('>', at) : std::string_view::npos;
    if (end != std::string_view::npos) {
      const std::string_view link = text.substr(at + 1, end - at - 1);
      const size_t bar = link.find('|');
      typed += bar != std::string_view::npos ? link.substr(bar + 1) : link;
      at = end + 1;
    } else {
      typed += text[at++];
    }
  }
  for (const auto& [entity, letter] :
       {std::pair<std::string_view, char>{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}}) {
    for (size_t at = typed.find(entity); at != std::string::npos; at = typed.find(entity, at + 1))
      typed.replace(at, entity.size(), 1, letter);
  }
  return typed;
}

}  // namespace channel
