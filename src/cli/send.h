// SPDX-License-Identifier: Apache-2.0
// tend send: text or keys into a PTY, as if they were typed.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace cli {

struct SendOptions {
  std::string target;
  std::optional<std::string> text;  // "-": standard input
  std::vector<std::string> keys;    // C-c, Enter, Up, …
  bool enter = false;               // behind the text
  bool json = false;
};
int send(const SendOptions& options);

}  // namespace cli
