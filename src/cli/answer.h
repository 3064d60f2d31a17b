// SPDX-License-Identifier: Apache-2.0
// tend answer: answers a prompt, once, and says what came of it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cli {

struct AnswerOptions {
  std::string prompt;
  std::optional<std::string> value;  // "-": a line of standard input
  std::optional<int64_t> choice;
  std::vector<std::string> keys;
  bool enter = false;
  bool cancel = false;
  bool json = false;
};
int answer(const AnswerOptions& options);

}  // namespace cli
