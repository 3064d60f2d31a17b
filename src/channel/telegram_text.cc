// SPDX-License-Identifier: Apache-2.0
#include "channel/telegram_text.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "base/strings.h"
#include "channel/escape.h"

namespace channel {
namespace {

namespace json = boost::json;
using What = Press::What;

constexpr size_t kMostExcerpt = 200;
constexpr size_t kMostQuestion = 600;
constexpr size_t kMostName = 80;
constexpr size_t kMostLabel = 40;
constexpr size_t kMostButtons = 30;
constexpr size_t kMostScreen = 2000;
constexpr size_t kMostSessions = 30;
constexpr size_t kMostLine = 60;  // of what a session asks

std::string shown(std::string_view text, size_t most) {
  return html(last_of(strip_secrets(trim_lines(plain(text))), most));
}

std::string one_line(std::string_view text, size_t most) {
  std::string line = plain(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return html(first_of(strip_secrets(line), most));
}

std::string title_of(const Notice& notice) {
  std::string name = fmt::format("<b>{}</b>", one_line(notice.session, kMostName));
  if (notice.pty != 0) name += fmt::format(":{}", notice.pty);
  return name;
}

// What was on the screen, with the question if that is not in it.
std::string body_of(const Notice& notice) {
  std::string text = notice.excerpt;
  if (text.find(notice.question) == std::string::npos) text += "\n" + notice.question;
  return fmt::format("<pre>{}</pre>", shown(text, kMostQuestion));
}

// Each line behind a mark, as the notice of an unknown question has it.
std::string quoted(std::string_view text) {
  const std::string lines = last_of(strip_secrets(trim_lines(plain(text))), kMostExcerpt);
  std::string result;
  for (const std::string_view line : base::split(lines, '\n'))
    result += fmt::format("{}  &gt; {}", result.empty() ? "" : "\n", html(line));
  return result;
}

std::string ambiguous_text(const Notice& notice) {
  return fmt::format(
      "{}\ntend detected a possible input request.\n\nLast output (last 200 chars):\n{}\n\nWhat should I do?",
      title_of(notice), quoted(notice.excerpt));
}

std::string hint_of(const Notice& notice) {
  if (notice.type == "CONFIRM_ENTER") return "";
  std::string hint = notice.choices.empty() && notice.type != "YES_NO"
                         ? "Reply to this message with the answer."
                         : "Press a button, or reply to this message.";
  if (notice.fallback && !notice.fallback->empty())
    hint += fmt::format(" Enter alone gives: {}", one_line(*notice.fallback, kMostLabel));
  return "\n" + hint;
}

json::object button(const Notice& notice, std::string_view label, What what, uint32_t choice = 0) {
  std::string text = first_of(strip_secrets(plain(label)), kMostLabel);
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (base::trim(text).empty()) text = fmt::format("({})", choice);
  return {{"text", text},
          {"callback_data",
           callback_data({.prompt = notice.prompt, .nonce = notice.nonce, .what = what, .choice = choice})}};
}

json::array choices_of(const Notice& notice) {
  json::array rows;
  const bool yes_no = notice.type == "YES_NO";
  if (yes_no && notice.choices.empty()) {
    rows.push_back(json::array{button(notice, "Yes", What::yes), button(notice, "No", What::no)});
    return rows;
  }
  json::array row;
  for (size_t i = 0; i < std::min(notice.choices.size(), kMostButtons); i++) {
    const Choice& each = notice.choices[i];
    const std::string& label = each.label.empty() ? each.key : each.label;
    const bool bare = yes_no || each.key.empty() || each.key == label;
    row.push_back(button(notice, bare ? label : fmt::format("{}: {}", each.key, label), What::choice,
                         static_cast<uint32_t>(i + 1)));
    // Yes and no stand beside each other, the entries of a menu below each other.
    if (yes_no) continue;
    rows.push_back(std::move(row));
    row = {};
  }
  if (!row.empty()) rows.push_back(std::move(row));
  return rows;
}

std::string how_it_ended(const Ending& ending, std::string_view by) {
  const std::string who = by.empty() ? "" : fmt::format(" by {}", one_line(by, kMostName));
  switch (ending.state) {
    case Ending::State::answered:
      if (ending.outcome == "rejected")
        return fmt::format("Answered{}; the program asks the same again.", who);
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

}  // namespace

std::string asking_text(const Notice& notice, Answerable answerable) {
  if (answerable == Answerable::elsewhere)
    return fmt::format("{} asks for a secret:\n{}\nAnswer it at the terminal or in the browser.",
                       title_of(notice), body_of(notice));
  if (notice.ambiguous) return ambiguous_text(notice);
  return fmt::format("{} asks:\n{}{}", title_of(notice), body_of(notice), hint_of(notice));
}

json::object buttons_of(const Notice& notice, Answerable answerable) {
  if (answerable == Answerable::elsewhere) return {{"inline_keyboard", json::array()}};
  if (notice.ambiguous)
    return {{"inline_keyboard", json::array{json::array{button(notice, "SEND ENTER", What::enter),
                                                        button(notice, "SHOW LAST OUTPUT", What::output),
                                                        button(notice, "CANCEL", What::cancel)}}}};
  json::array rows = choices_of(notice);
  json::array last;
  if (notice.type == "CONFIRM_ENTER" || (notice.fallback && notice.choices.empty()))
    last.push_back(button(notice, "Enter", What::enter));
  last.push_back(button(notice, "Show last output", What::output));
  last.push_back(button(notice, "Cancel", What::cancel));
  rows.push_back(std::move(last));
  return {{"inline_keyboard", std::move(rows)}};
}

std::string ended_text(const Notice& notice, const Ending& ending, std::string_view by) {
  return fmt::format("{} asked:\n{}\n{}", title_of(notice), body_of(notice), how_it_ended(ending, by));
}

std::string screen_text(std::string_view title, std::string_view screen) {
  const std::string text = shown(screen, kMostScreen);
  return fmt::format("<b>{}</b>\n{}", one_line(title, kMostName),
                     text.empty() ? "(nothing is on the screen)" : fmt::format("<pre>{}</pre>", text));
}

std::string sessions_text(const std::vector<SessionLine>& sessions) {
  if (sessions.empty()) return "There are no sessions.";
  std::string text;
  for (size_t i = 0; i < std::min(sessions.size(), kMostSessions); i++) {
    text += fmt::format("<b>{}</b> {}", one_line(sessions[i].name, kMostLabel), sessions[i].state);
    if (!sessions[i].question.empty()) text += ": " + one_line(sessions[i].question, kMostLine);
    text += '\n';
  }
  if (sessions.size() > kMostSessions) text += fmt::format("and {} more", sessions.size() - kMostSessions);
  return text;
}

std::string help_text() {
  return "tend sends you what your programs ask. Press a button, or reply to the message with the answer; "
         "where only one prompt is open, a plain message will do.\n\n/sessions - what runs\n/screen NAME - "
         "what a session shows\n/help - this";
}

}  // namespace channel
