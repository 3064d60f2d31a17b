// SPDX-License-Identifier: Apache-2.0
#include "detect/prompt.h"

#include <algorithm>
#include <array>
#include <utility>

namespace detect {
namespace {

constexpr std::array<std::pair<Type, std::string_view>, 6> kNames{{
    {Type::yes_no, "YES_NO"},
    {Type::confirm_enter, "CONFIRM_ENTER"},
    {Type::multiple_choice, "MULTIPLE_CHOICE"},
    {Type::free_text, "FREE_TEXT"},
    {Type::pager, "PAGER"},
    {Type::unknown, "UNKNOWN"},
}};

}  // namespace

std::string_view name_of(Type type) { return kNames[static_cast<size_t>(type)].second; }

std::optional<Type> type_named(std::string_view name) {
  for (const auto& [type, text] : kNames)
    if (text == name) return type;
  return {};
}

bool Prompt::same_as(const Prompt& other) const {
  return type == other.type && row == other.row && question == other.question &&
         std::equal(choices.begin(), choices.end(), other.choices.begin(), other.choices.end(),
                    [](const Choice& a, const Choice& b) { return a.label == b.label; });
}

}  // namespace detect
