// SPDX-License-Identifier: Apache-2.0
#include "loop/ear.h"

#include <utility>

#include "base/strings.h"
#include "loop/text.h"

namespace loop {
namespace {

// An agent that goes on for so many lines was not at its limit, but spoke of one.
constexpr int kStale = 200;
constexpr int kMostEvents = 1000;

}  // namespace

Ear::Ear(const config::Config& settings, int iteration, std::string prompt, Record& record)
    : limits_(settings.cli.backend),
      verifies_(settings.event_loop.verify.has_value()),
      iteration_(iteration),
      prompt_(std::move(prompt)),
      record_(record),
      promise_(settings.event_loop.completion_promise, settings.event_loop.promise_match, prompt_) {}

void Ear::line(std::string_view line) {
  keep(record_.note_line(iteration_, line));
  const bool in_event = tags_.line(line);
  note_events();
  const bool before = promise_.made();
  promise_.line(line, in_event);
  if (promise_.made() && !before)
    keep(record_.add("promise", {{"iteration", iteration_}, {"verify", verifies_}}));
  if (!in_event) note_limit(line);
}

void Ear::note_events() {
  for (const AgentEvent& each : tags_.take()) {
    if (events_++ >= kMostEvents) continue;
    json::value target;
    if (!each.target.empty()) target = readable(each.target);
    keep(record_.add("event", {{"iteration", iteration_},
                               {"topic", readable(each.topic)},
                               {"target", std::move(target)},
                               {"payload", readable(each.payload)}}));
  }
}

void Ear::note_limit(std::string_view line) {
  if (limit_ && ++since_limit_ > kStale) limit_.reset();
  // What the prompt says of limits is no limit.
  const std::string_view bare = base::trim(line);
  const bool echoed = !bare.empty() && prompt_.find(bare) != std::string::npos;
  if (echoed || !limits_.line(line, base::RealClock().wall())) return;
  since_limit_ = 0;
  if (limit_ && limit_->resets_at && !limits_.found()->resets_at) return;
  limit_ = limits_.found();
}

void Ear::keep(base::Result<void> written) {
  if (kept_ && !written) kept_ = std::move(written);
}

}  // namespace loop
