// SPDX-License-Identifier: Apache-2.0
// CorpusCase: a real program, how it is brought to the point that matters, and what is true there. Read from
// a file of tests/corpus/detect; its README tells what each key means.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "detect/detector.h"
#include "pty/pty.h"

namespace lab {

// What a person who knows the program says about it. What is not said is not checked.
struct Truth {
  detect::State state = detect::State::waiting;
  std::vector<detect::Type> types;                  // any of them is right
  std::optional<std::string> question;              // its beginning
  std::optional<std::vector<std::string>> choices;  // their labels
  std::optional<std::string> fallback;
  std::optional<bool> secret;
  std::optional<bool> enter;
};

struct CorpusStep {
  std::string wait;        // a text on the screen
  std::string type;        // what is typed then
  base::Duration pause{};  // between the two
};

struct CorpusCase {
  std::string name;  // of its file
  std::string about;
  // Its truth was written down before its first run; what came of that run: "right", "wrong: …", "missed: …",
  // "alarm: …", or "mistaken: …" where the truth was. Empty: it was tried out before.
  std::string first;
  bool unseen() const { return !first.empty(); }
  std::vector<std::string> needs;  // commands that must be there; "root"
  std::string setup;               // for sh, in the folder that the program will run in
  std::string teardown;            // the same, afterwards
  std::vector<std::string> argv;
  std::vector<std::string> env;  // "NAME=value"
  pty::Size size;
  std::vector<CorpusStep> steps;
  base::Duration within{};  // an event must have come
  base::Duration hold{};    // for so long nothing may change any more
  Truth truth;
};

// The error names the file's line and what is wrong there.
base::Result<CorpusCase> parse_case(const std::string& text, const std::string& name);

}  // namespace lab
