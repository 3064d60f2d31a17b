// SPDX-License-Identifier: Apache-2.0
// Prompt: what a program asks, with all that a person needs to answer it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detect {

enum class Type : uint8_t {
  yes_no,
  confirm_enter,
  multiple_choice,
  free_text,
  pager,    // something is shown page by page: listed, and sent to nobody
  unknown,  // somebody waits, and the question is not known
};

// "YES_NO" and so on.
std::string_view name_of(Type type);
std::optional<Type> type_named(std::string_view name);

struct Choice {
  std::string label;
  std::string key;   // what a person would call it by: "y", "2"; empty in a list without keys
  std::string send;  // the bytes that choose it, without the Enter that Prompt::enter asks for
  friend bool operator==(const Choice&, const Choice&) = default;
};

// A pattern that matched, by the name it has in the table.
struct Match {
  std::string name;
  Type type = Type::unknown;
  double confidence = 0;
  friend bool operator==(const Match&, const Match&) = default;
};

struct Prompt {
  Type type = Type::unknown;
  std::string question;  // one line, or several for a box
  std::vector<Choice> choices;
  std::optional<std::string> fallback;  // what the program takes if only Enter is pressed
  std::optional<uint32_t> limit;        // characters
  bool secret = false;
  bool enter = true;  // the answer is followed by Enter
  std::vector<Match> matches;
  double confidence = 0;  // of the patterns; 0 if none matched
  std::string excerpt;    // the last that stands on the screen before the cursor, 200 characters at most
  uint64_t row = 0;       // where the question stands, counted from the first row that was ever shown

  // The same question at the same place, whatever was typed behind it or is highlighted in it.
  bool same_as(const Prompt& other) const;
};

}  // namespace detect
