// SPDX-License-Identifier: Apache-2.0
#include "detect/answer.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <string_view>

namespace detect {
namespace {

using base::Code;
using base::fail;
using base::Result;

constexpr char kEnter = '\r';

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string with_enter(std::string bytes, const Prompt& prompt) {
  if (prompt.enter) bytes += kEnter;
  return bytes;
}

// The entry that the text names: by its key, its label, or for yes and no by their first letter.
const Choice* named(const Prompt& prompt, std::string_view text) {
  const std::string wanted = lower(text);
  const auto find = [&](auto fits) -> const Choice* {
    const auto found = std::find_if(prompt.choices.begin(), prompt.choices.end(), fits);
    return found != prompt.choices.end() ? &*found : nullptr;
  };
  const Choice* found = find([&](const Choice& each) { return each.key == text || each.label == text; });
  if (found == nullptr)
    found =
        find([&](const Choice& each) { return lower(each.key) == wanted || lower(each.label) == wanted; });
  const bool yes = wanted == "y" || wanted == "yes";
  if (found == nullptr && prompt.type == Type::yes_no && (yes || wanted == "n" || wanted == "no")) {
    const char letter = yes ? 'y' : 'n';
    found = find([&](const Choice& each) { return lower(each.label).starts_with(letter); });
    if (found == nullptr)
      found = find([&](const Choice& each) { return lower(each.key).starts_with(letter); });
  }
  return found;
}

// Free text ends with Enter; what would press it on the way, or do something else, does not belong into it.
Result<void> check_line(std::string_view text) {
  const bool control = std::any_of(text.begin(), text.end(),
                                   [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7F; });
  if (control) return fail(Code::invalid_param, 0, "an answer is one line of text; use keys for other keys");
  return {};
}

Result<std::string> by_text(const Prompt& prompt, const std::string& text) {
  if (auto line = check_line(text); !line) return fail(line);
  if (!prompt.choices.empty()) {
    if (const Choice* choice = named(prompt, text)) return with_enter(choice->send, prompt);
    // A program that reads a line may know more answers than it tells; one with a list on the screen not.
    const bool moves = std::any_of(prompt.choices.begin(), prompt.choices.end(),
                                   [](const Choice& each) { return each.send.starts_with('\x1b'); });
    if (moves)
      return fail(Code::invalid_param, 0, "there is no such choice; the prompt has their labels and keys");
  }
  if (!prompt.enter && text.size() != 1)
    return fail(Code::invalid_param, 0, "it takes a single key, and not a text");
  const auto chars = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
  if (prompt.limit && chars > static_cast<std::ptrdiff_t>(*prompt.limit))
    return fail(Code::invalid_param, 0, fmt::format("it takes {} characters at most", *prompt.limit));
  return with_enter(text, prompt);
}

}  // namespace

Result<std::string> answer_bytes(const Prompt& prompt, const Answer& answer) {
  if (answer.choice) {
    if (*answer.choice == 0 || *answer.choice > prompt.choices.size())
      return fail(Code::invalid_param, 0, fmt::format("there are {} choices", prompt.choices.size()));
    return with_enter(prompt.choices[*answer.choice - 1].send, prompt);
  }
  if (answer.text && (prompt.type != Type::confirm_enter || !answer.text->empty()))
    return by_text(prompt, *answer.text);
  if (prompt.type == Type::confirm_enter || prompt.fallback) return std::string(1, kEnter);
  return fail(Code::invalid_param, 0, "there is no default: it needs an answer, a choice or keys");
}

}  // namespace detect
