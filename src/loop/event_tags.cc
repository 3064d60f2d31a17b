// SPDX-License-Identifier: Apache-2.0
#include "loop/event_tags.h"

#include <cctype>
#include <functional>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "loop/bare_line.h"

namespace loop {
namespace {

constexpr std::string_view kBegin = "<event";
constexpr std::string_view kEnd = "</event>";

bool is_space(char c) { return c == ' ' || c == '\t'; }
bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

// Reads the inside of a tag from the left.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool skip_spaces() {
    const size_t before = at_;
    while (at_ < text_.size() && is_space(text_[at_])) at_++;
    return at_ != before;
  }
  bool skip(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    at_++;
    return true;
  }
  std::string_view name() {
    const size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) at_++;
    return text_.substr(begin, at_ - begin);
  }
  std::optional<std::string_view> quoted() {
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '"' && quote != '\'') return {};
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return {};
    const size_t begin = std::exchange(at_, end + 1) + 1;
    return text_.substr(begin, end - begin);
  }
  size_t at() const { return at_; }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

struct Opening {
  AgentEvent event;
  size_t size = 0;
};

// The tag that begins with the text's first byte, if it is one: whole, with a topic, nothing twice.
std::optional<Opening> opening(std::string_view text) {
  Reader reader(text.substr(kBegin.size()));
  Opening out;
  for (;;) {
    const bool spaced = reader.skip_spaces();
    if (reader.skip('>')) break;
    const std::string_view name = reader.name();
    if (!spaced || name.empty()) return {};
    reader.skip_spaces();
    if (!reader.skip('=')) return {};
    reader.skip_spaces();
    const auto value = reader.quoted();
    if (!value) return {};
    std::string* const field = name == "topic"    ? &out.event.topic
                               : name == "target" ? &out.event.target
                                                  : nullptr;
    if (field != nullptr && field->empty()) *field = base::trim(*value);
  }
  if (out.event.topic.empty()) return {};
  out.size = kBegin.size() + reader.at();
  return out;
}

}  // namespace

// Looks for the next tag; gives what stands behind it, or nothing.
std::string_view EventTags::outside(std::string_view line) {
  for (size_t at = line.find(kBegin); at != std::string_view::npos; at = line.find(kBegin, at + 1)) {
    auto found = opening(line.substr(at));
    if (!found) continue;
    const std::string_view rest = line.substr(at + found->size);
    const bool closed = rest.find(kEnd) != std::string_view::npos;
    const bool begins = bare_line(line.substr(0, at)).empty();
    if (!closed && !begins && !bare_line(rest).empty()) continue;
    open_ = touched_ = true;
    current_ = std::move(found->event);
    return rest;
  }
  return {};
}

// Takes what belongs to the tag that is open; gives what stands behind its end, or nothing.
std::string_view EventTags::within(std::string_view rest) {
  const size_t end = rest.find(kEnd);
  current_.payload += rest.substr(0, end);
  if (end != std::string_view::npos) {
    close();
    return rest.substr(end + kEnd.size());
  }
  current_.payload += '\n';
  if (current_.payload.size() > kMostPayload) open_ = false;
  return {};
}

bool EventTags::line(std::string_view line) {
  touched_ = open_;
  std::string_view rest = without_box(line);
  if (open_) {
    // Another one begins here: the one before was only talked about.
    const size_t next = rest.find(kBegin);
    if (next < rest.find(kEnd) && opening(rest.substr(next))) open_ = false;
  }
  if (open_) rest = within(rest);
  while (!rest.empty()) {
    rest = outside(rest);
    if (open_) rest = within(rest);
  }
  return touched_;
}

void EventTags::close() {
  open_ = false;
  current_.payload = base::trim(current_.payload);
  if (current_.payload.size() > kMostPayload || seen_.size() >= kMostEvents) return;
  const std::string all = current_.topic + '\n' + current_.target + '\n' + current_.payload;
  if (!seen_.insert(std::hash<std::string>()(all)).second) return;
  fresh_.push_back(std::move(current_));
}

std::vector<AgentEvent> EventTags::take() { return std::exchange(fresh_, {}); }

}  // namespace loop
