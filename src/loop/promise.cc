// SPDX-License-Identifier: Apache-2.0
#include "loop/promise.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace loop {
namespace {

// How much of the prompt before the promise must have been seen, in bytes without blanks: enough that an
// agent does not say it by chance.
constexpr size_t kContext = 40;
// What is enough where only the line before the promise was drawn again: the whole of it, or its end.
constexpr size_t kWholeLine = 12;
constexpr size_t kEndOfLine = 24;
constexpr size_t kMostPlaces = 100;

// Adds the text without its blanks, and keeps the end of it all.
void append_tail(std::string& tail, std::string_view text) {
  if (text.size() > 4 * kContext) text.remove_prefix(text.size() - 4 * kContext);
  for (const char c : text)
    if (c != ' ' && c != '\t') tail += c;
  if (tail.size() > kContext) tail.erase(0, tail.size() - kContext);
}

size_t inked(std::string_view text) {
  return text.size() - static_cast<size_t>(std::count(text.begin(), text.end(), ' '));
}

}  // namespace

Promise::Promise(std::string_view promise, config::PromiseMatch match, std::string_view prompt)
    : promise_(base::trim(promise)), match_(match) {
  read_prompt(prompt);
}

void Promise::read_prompt(std::string_view prompt) {
  Place place;
  for (const std::string_view line : base::split(prompt, '\n')) {
    if (is_promise(line)) {
      if (place.text.empty())
        begins_prompt_ = true;
      else if (places_.size() < kMostPlaces)
        places_.push_back(place);
    }
    const std::string_view bare = bare_line(line);
    if (bare.empty()) continue;
    place.line = bare;
    append_tail(place.text, bare);
  }
}

// Both without bullets: a promise may begin with a star of its own.
bool Promise::is_promise(std::string_view line) const {
  if (promise_.empty()) return false;
  const std::string_view bare = bare_line(line);
  return bare.empty() ? base::trim(line) == promise_ : bare == bare_line(promise_);
}

// A promise that begins the prompt has nothing before it: the first one that is seen is the echo.
bool Promise::echoed() {
  if (std::exchange(begins_prompt_, false)) return true;
  return std::ranges::any_of(places_, [&](const Place& place) {
    if (text_.ends_with(place.text)) return true;
    const size_t size = inked(before_);
    return (before_ == place.line && size >= kWholeLine) ||
           (place.line.ends_with(before_) && size >= kEndOfLine);
  });
}

void Promise::remember(std::string_view bare) {
  if (bare.empty()) return;
  before_ = bare;
  append_tail(text_, bare);
}

void Promise::line(std::string_view line, bool in_event) {
  if (made_ || promise_.empty()) return;
  if (match_ == config::PromiseMatch::anywhere)
    made_ = line.find(promise_) != std::string_view::npos;
  else
    made_ = is_promise(line) && !in_event && !echoed();
  remember(bare_line(line));
}

}  // namespace loop
