// SPDX-License-Identifier: Apache-2.0
#include "shrink.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/strings.h"

namespace vt_test {
namespace {

bool in(char c, unsigned char low, unsigned char high) {
  return static_cast<unsigned char>(c) >= low && static_cast<unsigned char>(c) <= high;
}

// To the end of OSC, DCS and the like, or to a byte that breaks it off.
size_t string_length(std::string_view bytes) {
  for (size_t i = 2; i < bytes.size(); i++) {
    if (bytes[i] == '\a' || bytes[i] == '\x18' || bytes[i] == '\x1a') return i + 1;
    if (bytes[i] == '\x1b') return i + 1 < bytes.size() && bytes[i + 1] == '\\' ? i + 2 : i;
  }
  return bytes.size();
}

size_t control_length(std::string_view bytes) {
  size_t i = 2;
  while (i < bytes.size() && in(bytes[i], 0x20, 0x3F)) i++;
  return std::min(i + 1, bytes.size());
}

size_t escape_length(std::string_view bytes) {
  if (bytes.size() < 2) return bytes.size();
  if (bytes[1] == '[') return control_length(bytes);
  if (std::string_view("]PX^_").contains(bytes[1])) return string_length(bytes);
  size_t i = 1;
  while (i < bytes.size() && in(bytes[i], 0x20, 0x2F)) i++;
  return std::min(i + 1, bytes.size());
}

size_t character_length(std::string_view bytes) {
  size_t i = std::min<size_t>(1, bytes.size());
  while (i < bytes.size() && in(bytes[i], 0x80, 0xBF)) i++;
  return i;
}

// Characters stay with what joins them, so that shrinking does not end at halves of an emoji.
size_t cluster_length(std::string_view bytes) {
  size_t length = character_length(bytes);
  for (;;) {
    const std::string_view rest = bytes.substr(length);
    const bool mark =
        rest.starts_with("\xCC") || rest.starts_with("\xCD") || rest.starts_with("\uFE0F") ||
        (rest.starts_with("\U0001F3FB") || rest.starts_with("\U0001F3FD") || rest.starts_with("\U0001F3FF"));
    const bool flag = rest.starts_with("\xF0\x9F\x87") && bytes.starts_with("\xF0\x9F\x87") && length == 4;
    if (rest.starts_with("\u200D"))
      length += 3 + character_length(rest.substr(3));
    else if (mark || flag)
      length += character_length(rest);
    else
      return length;
  }
}

size_t first_length(std::string_view bytes) {
  return bytes[0] == '\x1b' ? escape_length(bytes) : cluster_length(bytes);
}

Recording without(const Recording& recording, size_t from, size_t count) {
  Recording smaller = recording;
  const auto begin = smaller.events.begin() + static_cast<std::ptrdiff_t>(from);
  smaller.events.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  return smaller;
}

std::vector<Event> split_events(const std::vector<Event>& events) {
  std::vector<Event> parts;
  for (const Event& event : events) {
    if (event.kind == Event::Kind::mark) continue;
    if (event.kind == Event::Kind::resize) {
      parts.push_back(event);
      continue;
    }
    for (std::string& part : split_sequences(event.bytes)) parts.push_back({.bytes = std::move(part)});
  }
  return parts;
}

// The first that still fails; in batches, as a question costs less among others.
std::optional<Recording> first_failing(std::span<const Recording> candidates, const Fails& fails) {
  constexpr size_t kBatch = 16;
  for (size_t at = 0; at < candidates.size(); at += kBatch) {
    const auto batch = candidates.subspan(at, std::min(kBatch, candidates.size() - at));
    const std::vector<bool> answers = fails(batch);
    const auto found = std::ranges::find(answers, true);
    if (found != answers.end()) return batch[static_cast<size_t>(found - answers.begin())];
  }
  return {};
}

}  // namespace

std::vector<std::string> split_sequences(std::string_view bytes) {
  std::vector<std::string> parts;
  while (!bytes.empty()) {
    const size_t length = first_length(bytes);
    parts.emplace_back(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  return parts;
}

Recording shrink(Recording recording, const Fails& fails) {
  Recording split = recording;
  split.events = split_events(recording.events);
  if (!fails({&split, 1})[0]) return recording;  // the chunking is what matters
  recording = std::move(split);
  for (size_t block = std::max<size_t>(1, recording.events.size() / 2);;) {
    std::vector<Recording> candidates;
    for (size_t at = 0; at < recording.events.size(); at += block)
      candidates.push_back(without(recording, at, std::min(block, recording.events.size() - at)));
    if (auto smaller = first_failing(candidates, fails)) {
      recording = std::move(*smaller);
      block = std::clamp<size_t>(block, 1, std::max<size_t>(1, recording.events.size()));
    } else if (block == 1) {
      return recording;
    } else {
      block /= 2;
    }
  }
}

std::string describe(const Recording& recording) {
  std::string text = fmt::format("{} columns, {} rows:\n", recording.cols, recording.rows);
  for (const Event& event : recording.events) {
    if (event.kind == Event::Kind::output)
      text += fmt::format("  \"{}\"\n", base::printable(event.bytes, 400));
    if (event.kind == Event::Kind::resize)
      text += fmt::format("  resize to {} x {}\n", event.cols, event.rows);
  }
  return text;
}

}  // namespace vt_test
