// SPDX-License-Identifier: Apache-2.0
// SlackStand: what the scenarios of channels stand on: a daemon of their own whose people are in Slack, and a
// Slack that the lab plays. Whatever does not come within its deadline is a failed check.
#pragma once
#include <string>

#include "lab/house.h"
#include "lab/slack.h"
#include "lab/trial.h"

namespace lab {

class SlackStand {
 public:
  explicit SlackStand(Trial& on) : trial(on), slack(on.conditions().garble), house(on) {}

  // Starts all of it; `more` is configuration.
  bool open(const std::string& users = "[U1]", const std::string& more = "");

  // Waits for so many.
  bool has_posted(size_t count, const std::string& method = "chat.postMessage");
  bool has_updated(size_t count) { return has_posted(count, "chat.update"); }
  // Envelopes that were acknowledged.
  bool has_heard(size_t count);
  // The one with this number, counted from 1, and its text.
  json::object message(size_t number, const std::string& method = "chat.postMessage") const;
  std::string text(size_t number, const std::string& method = "chat.postMessage") const;

  void say(const std::string& envelope);
  // Waits until the program of this session has read this, and checks that it is all.
  bool reads(const std::string& name, const std::string& line);
  // What it has read, so far.
  void expect_read(std::string_view what, const std::string& name, const std::string& expected);
  void expect_has(std::string_view what, std::string_view part, const std::string& text);
  void expect_lacks(std::string_view what, std::string_view part, const std::string& text);

  Trial& trial;
  Slack slack;
  House house;  // ends first
};

}  // namespace lab
