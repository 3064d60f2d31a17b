// SPDX-License-Identifier: Apache-2.0
// EventTags: <event topic="…" [target="…"]>…</event> in the lines of an agent, on one line or over several.
// An event that is drawn again in the same iteration counts once. Bounded: a tag that is never closed is
// given up after 64 KiB.
#pragma once
#include <string>
#include <string_view>
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
  // Gives whether any part of the line belongs to a tag.
  bool line(std::string_view line);
  // Those that have come since the last call.
  std::vector<AgentEvent> take();

 private:
  bool finish(std::string_view upto);

  bool open_ = false;
  AgentEvent current_;
  std::vector<AgentEvent> fresh_;
  std::vector<AgentEvent> seen_;
};

}  // namespace loop
