// SPDX-License-Identifier: Apache-2.0
// EventTags: <event topic="…" [target="…"]>…</event> in the lines of an agent, on one line or over several.
// An event that is drawn again in the same iteration counts once. Bounded: a tag that is never closed is
// given up after 64 KiB, what stood in it is then no event; of one iteration at most 1,000 events are taken.
// A tag in the middle of a sentence that is not closed on its line is only talked about, and one that is
// followed by another before it is closed was.
#pragma once
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace loop {

struct AgentEvent {
  std::string topic;
  std::string target;  // empty: none
  std::string payload;
  bool operator==(const AgentEvent&) const = default;
};

class EventTags {
 public:
  static constexpr size_t kMostPayload = size_t{64} * 1024;
  static constexpr size_t kMostEvents = 1000;

  // Gives whether any part of the line belongs to a tag.
  bool line(std::string_view line);
  // Those that have come since the last call.
  std::vector<AgentEvent> take();

 private:
  std::string_view outside(std::string_view rest);
  std::string_view within(std::string_view rest);
  void close();

  bool open_ = false;
  bool touched_ = false;  // the line at hand has a part of a tag
  AgentEvent current_;
  std::vector<AgentEvent> fresh_;
  std::unordered_set<size_t> seen_;  // hashes: the events themselves may be large
};

}  // namespace loop
