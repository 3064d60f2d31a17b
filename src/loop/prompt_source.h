// SPDX-License-Identifier: Apache-2.0
// PromptSource: what the agent is told in each iteration. A file is read anew every time, as people edit it
// while the loop runs; while it cannot be read, what it said last holds.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "config/config.h"

namespace loop {

// A promise that was not believed.
struct FailedCheck {
  std::string command;
  int exit_code = 0;
  std::string output;
};

class PromptSource {
 public:
  // `cwd`: of the loop. `folder`: the loop's own, for prompts that are too long to be passed.
  PromptSource(const config::EventLoop& settings, const std::string& cwd, std::string folder);

  struct Prompt {
    std::string text;     // all of it
    std::string spoken;   // what the agent gets: the text, or the request to read it
    std::string warning;  // why the file could not be read this time
  };
  // An error: there is none, and there never was.
  base::Result<Prompt> next(int iteration, const std::optional<FailedCheck>& check);

 private:
  base::Result<std::string> read() const;

  std::optional<std::string> given_;
  std::string file_;
  std::string folder_;
  std::optional<std::string> last_;
};

}  // namespace loop
