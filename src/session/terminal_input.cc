// SPDX-License-Identifier: Apache-2.0
#include "session/terminal_input.h"

#include <algorithm>

#include "base/strings.h"

namespace session {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::string_view kPasteBegin = "\x1b[200~";
constexpr std::string_view kPasteEnd = "\x1b[201~";
constexpr size_t kMostControl = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// xterm's F3 with modifiers.
bool may_be_f3(std::string_view params) {
  const auto parts = base::split(params, ';');
  return parts.size() == 2 && parts[0] == "1" && base::parse_number<int>(parts[1], 2, 16);
}

}  // namespace

TerminalInput::Taken TerminalInput::take(std::string_view input, Answers answers) {
  Taken taken;
  while (!input.empty()) {
    if (pasting_) {
      const size_t count = paste(input);
      taken.bytes += input.substr(0, count);
      taken.typed = true;
      input.remove_prefix(count);
      continue;
    }
    if (held_.empty()) {
      const size_t count = std::min(input.find(kEscape), input.size());
      taken.bytes += input.substr(0, count);
      taken.typed = taken.typed || count > 0;
      input.remove_prefix(count);
      if (input.empty()) break;
    }
    held_ += input.front();
    input.remove_prefix(1);
    if (const Verdict verdict = judge(answers); verdict != Verdict::partial)
      end_sequence(verdict, answers, taken);
  }
  // The end of what has begun to pass passes too.
  if (answers == Answers::pass || passed_ > 0) {
    taken.bytes += std::string_view(held_).substr(passed_);
    passed_ = held_.size();
  }
  return taken;
}

std::string TerminalInput::release() {
  std::string rest = held_.substr(passed_);
  held_.clear();
  passed_ = 0;
  return rest;
}

// What is no answer ends before an ESC in it, which begins another sequence.
void TerminalInput::end_sequence(Verdict verdict, Answers answers, Taken& taken) {
  while (verdict != Verdict::partial) {
    const size_t escape = verdict == Verdict::typed ? held_.rfind(kEscape) : 0;
    const size_t end = escape > 0 ? escape : held_.size();
    const bool dropped = verdict == Verdict::answer && answers != Answers::pass && passed_ == 0;
    if (!dropped && end > passed_) taken.bytes += std::string_view(held_).substr(passed_, end - passed_);
    taken.typed = taken.typed || verdict == Verdict::typed;
    pasting_ = held_ == kPasteBegin;
    paste_end_ = 0;
    held_.erase(0, end);
    passed_ -= std::min(passed_, end);
    verdict = held_.empty() ? Verdict::partial : judge(answers);
  }
}

// How much of the input belongs to the paste.
size_t TerminalInput::paste(std::string_view input) {
  for (size_t i = 0; i < input.size(); i++) {
    if (input[i] != kPasteEnd[paste_end_]) paste_end_ = 0;
    if (input[i] == kPasteEnd[paste_end_]) paste_end_++;
    if (paste_end_ < kPasteEnd.size()) continue;
    pasting_ = false;
    return i + 1;
  }
  return input.size();
}

TerminalInput::Verdict TerminalInput::judge(Answers answers) const {
  if (held_.size() == 1) return Verdict::partial;
  switch (held_[1]) {
    case '[':
      return judge_control(answers);
    case ']':
    case 'P':
    case '_':
      return judge_string();
    default:
      return Verdict::typed;
  }
}

TerminalInput::Verdict TerminalInput::judge_control(Answers answers) const {
  const std::string_view body = std::string_view(held_).substr(2);
  if (body.empty()) return Verdict::partial;
  const char last = body.back();
  if (last >= ' ' && last < '@') return body.size() < kMostControl ? Verdict::partial : Verdict::typed;
  if (last < '@' || last > '~') return Verdict::typed;
  // No key is written with these, and mice have another mark.
  if (body.front() == '?' || body.front() == '>') return Verdict::answer;
  const std::string_view params = body.substr(0, body.size() - 1);
  if (params.empty() || !is_digit(params.front())) return Verdict::typed;
  switch (last) {
    case 'R':
      if (params.find(';') == std::string_view::npos) return Verdict::typed;
      return may_be_f3(params) && answers != Answers::drop_doubtful ? Verdict::typed : Verdict::answer;
    case 'n':
    case 't':
    case 'x':
      return Verdict::answer;
    case 'y':
      return params.ends_with('$') ? Verdict::answer : Verdict::typed;
    default:
      return Verdict::typed;
  }
}

// Colours, titles and the clipboard; versions, settings and capabilities; pictures. The same beginnings are
// keys with Alt, so that what cannot go on in an answer ends the doubt.
TerminalInput::Verdict TerminalInput::judge_string() const {
  if (held_.size() == 2) return Verdict::partial;
  const char first = held_[2];
  const char kind = held_[1];
  const bool possible = kind == ']'   ? is_digit(first) || first == 'l' || first == 'L'
                        : kind == 'P' ? is_digit(first) || first == '>' || first == '!'
                                      : first == 'G';
  if (!possible || held_.size() > kMost) return Verdict::typed;
  const char last = held_.back();
  if (held_[held_.size() - 2] == kEscape) return last == '\\' ? Verdict::answer : Verdict::typed;
  if (last == '\a' && kind == ']') return Verdict::answer;
  if (last == kEscape) return Verdict::partial;
  return static_cast<unsigned char>(last) < ' ' || last == '\x7f' ? Verdict::typed : Verdict::partial;
}

}  // namespace session
