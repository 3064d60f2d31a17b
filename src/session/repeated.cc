// SPDX-License-Identifier: Apache-2.0
#include "session/repeated.h"

#include <algorithm>
#include <re2/re2.h>
#include <string>

#include "detect/view.h"

namespace session {
namespace {

using detect::Choice;
using detect::Prompt;

constexpr detect::Horizon kHorizon{.lines = 60, .bytes = 16 << 10};

// What programs say to an answer that they do not want.
bool says_no(std::string_view line) {
  static const RE2 kNo(
      R"((?i)\b(invalid|incorrect|not (a )?valid|try again|not recogni[sz]ed|unrecogni[sz]ed|wrong|sorry|denied|)"
      R"(does ?n[o']t match|mismatch|out of range|please (answer|enter|type|choose|select|respond|specify)|)"
      R"(must be|illegal|bad (choice|input|answer|password|passphrase|value)|unknown (option|choice|answer))\b)",
      RE2::Quiet);
  return RE2::PartialMatch(line, kNo);
}

// Between the answer and the question that follows it. The answer's own row is the person's text.
bool was_told_no(const Repeated& asked) {
  const detect::View view = detect::View::of(asked.screen, kHorizon);
  return std::any_of(view.lines.begin(), view.lines.end(), [&](const detect::ViewLine& line) {
    const uint64_t row = view.absolute(line);
    return row > asked.before.row && row < asked.now.row && says_no(line.text);
  });
}

// What was sent is one of the answers that the question names. What somebody had begun to type was taken back
// in front of it.
bool was_offered(const Prompt& prompt, std::string_view sent) {
  if (sent.ends_with('\r')) sent.remove_suffix(1);
  if (sent.empty()) return prompt.fallback.has_value();
  return std::any_of(prompt.choices.begin(), prompt.choices.end(), [&](const Choice& each) {
    return sent == each.send || (sent.size() == each.send.size() + 1 && sent.ends_with(each.send));
  });
}

}  // namespace

std::string_view outcome_of(const Repeated& asked) {
  const bool told_no = was_told_no(asked);
  if (asked.before.secret) return told_no ? "rejected" : "unknown";
  const bool has_moved = asked.now.row > asked.before.row;
  const bool closed = !asked.before.choices.empty();
  if (closed && asked.canonical && !was_offered(asked.before, asked.sent)) return "rejected";
  // To a free text any word may be the result of what was asked for.
  if (told_no) return closed ? "rejected" : "unknown";
  // A line that was read is gone from the screen, or has scrolled up: what stands there was written since.
  // Keys leave no trace, and the same picture may be the old one.
  return asked.canonical || has_moved ? "accepted" : "unknown";
}

}  // namespace session
