// SPDX-License-Identifier: Apache-2.0
// Terminals with raw_program in them, started by itself or from an interactive shell.
#pragma once
#include <string>

#include "support/terminal.h"

namespace term_tests {

inline support::Start raw_program(const std::string& scenario = "",
                                  std::map<std::string, std::string> env = {}) {
  env.merge(support::plain_signals());
  return {.argv = {RAW_PROGRAM, scenario}, .env = std::move(env)};
}

// Without line editing, so that the terminal is plainly cooked while the shell has it.
inline support::Start shell(std::map<std::string, std::string> env = {}) {
  env.merge(support::plain_signals());
  env["PS1"] = "prompt> ";
  return {.argv = {"bash", "--norc", "--noprofile", "--noediting", "-i"}, .env = std::move(env)};
}

}  // namespace term_tests
