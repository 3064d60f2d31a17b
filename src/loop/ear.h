// SPDX-License-Identifier: Apache-2.0
// Ear: what is heard from the agent in one iteration, line by line: events, the promise, usage limits. All of
// it is written down.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "config/config.h"
#include "loop/event_tags.h"
#include "loop/limits.h"
#include "loop/promise.h"
#include "loop/record.h"

namespace loop {

class Ear {
 public:
  Ear(const config::Config& settings, int iteration, std::string prompt, Record& record);

  void line(std::string_view line);

  bool promised() const { return promise_.made(); }
  // What the agent ended with, if that was one.
  const std::optional<UsageLimit>& limit() const { return limit_; }
  // The first thing that could not be written down.
  const base::Result<void>& kept() const { return kept_; }

 private:
  void note_events();
  void note_limit(std::string_view line);
  void keep(base::Result<void> written);

  LimitWatch limits_;
  bool verifies_;
  int iteration_;
  std::string prompt_;
  Record& record_;
  EventTags tags_;
  Promise promise_;
  std::optional<UsageLimit> limit_;
  int since_limit_ = 0;  // lines
  int events_ = 0;
  base::Result<void> kept_;
};

}  // namespace loop
