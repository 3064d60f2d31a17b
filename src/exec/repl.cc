// SPDX-License-Identifier: Apache-2.0
#include "exec/repl.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/strings.h"
#include "exec/typed.h"

namespace exec {
namespace {

using base::Code;
using base::fail;
using base::Result;

// Node draws what a line would give while it is typed; its output begins where it prints this.
constexpr std::string_view kNodeMark = "\x1b]7717;begin\a";
constexpr std::string_view kNodeBegin = "void process.stdout.write('\\x1b]7717;begin\\x07');";

// An empty line does nothing, but in gdb, where it repeats the command before.
std::string_view nothing_in(Repl repl) { return repl == Repl::gdb ? "#" : ""; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string without_blanks(std::string_view text) {
  std::string kept;
  std::copy_if(text.begin(), text.end(), std::back_inserter(kept), [](char c) { return !is_blank(c); });
  return kept;
}

std::string node_text(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\n')
      quoted += "\\n";
    else if (c == '\\' || c == '\'')
      quoted += {'\\', c};
    else
      quoted += c;
  }
  return quoted + "'";
}

}  // namespace

Result<ReplText> ReplText::make(Repl repl, std::string_view text) {
  if (text.size() > kMostCommand)
    return fail(Code::invalid_param, 0,
                fmt::format("a text for a REPL has {} KiB at most", kMostCommand >> 10));
  const bool typeable = std::all_of(text.begin(), text.end(),
                                    [](char c) { return static_cast<unsigned char>(c) >= ' ' || c == '\n'; });
  if (!typeable)
    return fail(Code::invalid_param, 0, "a REPL acts on control characters: only newlines can be typed");
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::vector<std::string> lines;
  for (const std::string_view each : base::split(text, '\n')) lines.emplace_back(each);
  if (repl == Repl::node) {
    const std::string_view first = base::trim(lines.front());
    if (first.starts_with('{') || first.starts_with('.'))
      return fail(Code::invalid_param, 0,
                  "node reads a line that begins with { or . in another way: put it in parentheses");
    // A line that is gone back to is drawn in ways that cannot be followed.
    if (lines.size() > 1) lines = {fmt::format("require('vm').runInThisContext({})", node_text(text))};
    lines.front().insert(0, kNodeBegin);
  }
  return ReplText(repl, std::move(lines));
}

std::string ReplText::next_line() {
  const std::string line = asks_for_prompt_        ? std::string(nothing_in(repl_))
                           : sent_ < lines_.size() ? lines_[sent_]
                                                   : "";
  if (!asks_for_prompt_) sent_++;
  echo_ = without_blanks(line);
  in_echo_ = true;
  begun_ = drops_return_ = false;
  tail_.clear();
  seen_.clear();
  held_.clear();
  return line + "\r";
}

void ReplText::feed(std::string_view bytes, Output& out) {
  if (repl_ == Repl::node && sent_ == 1 && in_echo_ && !asks_for_prompt_) {
    held_ += bytes;
    const size_t at = held_.find(kNodeMark);
    if (at == std::string::npos) {
      held_.erase(0, held_.size() - std::min(held_.size(), kNodeMark.size()));
      return;
    }
    const std::string rest = held_.substr(at + kNodeMark.size());
    in_echo_ = false;
    held_ = clean_.add(rest);
  } else {
    if (in_echo_ || !begun_) note_editor(bytes);
    held_ += clean_.add(bytes);
    if (in_echo_) find_echo();
  }
  if (in_echo_) return;
  drop_return();
  give(asks_for_prompt_ ? prompt_ : out);
}

// When a line is sent, readline leaves the mode in which it is told of pastes, with a CR behind that.
void ReplText::note_editor(std::string_view bytes) {
  constexpr std::string_view kPasteModeOff = "\x1b[?2004l\r";
  tail_ += bytes;
  if (tail_.find(kPasteModeOff) != std::string::npos) drops_return_ = true;
  tail_.erase(0, tail_.size() - std::min(tail_.size(), kPasteModeOff.size()));
}

void ReplText::drop_return() {
  if (begun_ || held_.empty()) return;
  begun_ = true;
  if (drops_return_ && held_.starts_with('\r')) held_.erase(0, 1);
}

// The echo ends with the newline behind the last character of the line; an editor may draw parts of it more
// than once, and break it where the terminal ends. Nothing of it is kept but what may be its end.
void ReplText::find_echo() {
  for (size_t i = 0; i < held_.size(); i++) {
    const char c = held_[i];
    if (c == '\n' && seen_.ends_with(echo_)) {
      held_.erase(0, i + 1);
      in_echo_ = false;
      return;
    }
    if (!is_blank(c)) seen_ += c;
    if (seen_.size() > 2 * echo_.size() + kMostPrompt) seen_.erase(0, seen_.size() - echo_.size());
  }
  held_.clear();
}

// Whole lines are output; what stands behind the last may be the prompt.
void ReplText::give(Output& out) {
  const size_t end = held_.rfind('\n');
  size_t count = end == std::string::npos ? 0 : end + 1;
  if (held_.size() - count > kMostPrompt) count = held_.size() - kMostPrompt;
  out.add(std::string_view(held_).substr(0, count));
  held_.erase(0, count);
}

ReplText::Step ReplText::settled(std::string_view line, Output& out) {
  const ReplPrompt prompt = prompt_of(repl_, line);
  Output& to = asks_for_prompt_ ? prompt_ : out;
  if (prompt.kind == PromptKind::none) {
    if (!in_echo_) to.add(held_);
    return Step::asks;
  }
  if (in_echo_ || !held_.ends_with(line.substr(line.size() - prompt.size))) return Step::strange;
  held_.resize(held_.size() - prompt.size);
  to.add(held_);
  held_.clear();
  // A block of Python's ends with an empty line.
  if (sent_ < lines_.size() ||
      (prompt.kind == PromptKind::more && repl_ == Repl::python && sent_ == lines_.size()))
    return Step::type;
  return prompt.kind == PromptKind::main ? at_prompt(out) : Step::asks;
}

ReplText::Step ReplText::at_prompt(Output& out) {
  if (!asks_for_prompt_ && out.count() > 0) {
    asks_for_prompt_ = true;
    return Step::type;
  }
  return out.remove_end(prompt_.text()) && !prompt_.truncated() ? Step::done : Step::strange;
}

}  // namespace exec
