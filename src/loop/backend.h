// SPDX-License-Identifier: Apache-2.0
// The command lines of the agents that tend knows: one table, held against the page docs/loop.md by a test.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "loop/mode.h"

namespace loop {

// A longer prompt goes into a file, and the agent is asked to read that.
inline constexpr size_t kLongestPrompt = 7000;

struct Invocation {
  std::vector<std::string> argv;
  std::string input;  // for its standard input; empty: none
};

std::string_view name_of(config::Backend backend);

// The program that will be run, as it is looked for in PATH; an error for `custom` without a command.
base::Result<std::string> program_of(const config::Cli& settings);

// The program's fixed words, the settings' arguments, `extra`, then the prompt, its flag directly before it.
// With prompt_mode stdin the prompt is `input`. A prompt that begins with `-` is handed over as it is: not
// every agent knows `--`, so none is put in; agents that take the prompt behind a flag do not mind, for the
// others prompt_mode stdin helps.
base::Result<Invocation> invocation(const config::Cli& settings, Mode mode, const std::string& prompt,
                                    const std::vector<std::string>& extra);

// What an agent is told in place of a long prompt.
std::string request_to_read(const std::string& path);

// As a person would type it into a shell, for --dry-run.
std::string shell_words(const std::vector<std::string>& argv);

}  // namespace loop
