// SPDX-License-Identifier: Apache-2.0
// tend prompts: what waits for a person, and what became of it; and how tend knows, as `--explain` of several
// commands tells it.
#pragma once
#include <string>
#include <string_view>

#include "wire/message.h"

namespace cli {

struct PromptsOptions {
  std::string session;  // empty: of all
  bool all = false;     // also those that have ended
  bool explain = false;
  bool json = false;
};
int prompts(const PromptsOptions& options);

struct ExplainOptions {
  std::string prompt;
  bool json = false;
};
int explain_prompt(const ExplainOptions& options);

// The state and the rule, then a line for each signal that spoke.
std::string explain(const wire::json::object& why, std::string_view indent = "");

// A question in one line, with its choices: "Continue? [Yes, No]".
std::string question_line(const wire::json::object& prompt);

}  // namespace cli
