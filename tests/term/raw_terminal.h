// SPDX-License-Identifier: Apache-2.0
// Terminals with raw_program in them, started by itself or from an interactive shell.
#pragma once
#include <string>

#include "support/terminal.h"

namespace term_tests {

// A sanitizer's own handlers would answer before the kernel: a test that asks for the exact status of a
// process that a signal ended wants them off.
inline std::map<std::string, std::string> plain_signals() {
  const std::string off = "handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0";
  return {{"ASAN_OPTIONS", off}, {"TSAN_OPTIONS", off}, {"UBSAN_OPTIONS", off}};
}

inline support::Start raw_program(const std::string& scenario = "",
                                  std::map<std::string, std::string> env = {}) {
  env.merge(plain_signals());
  return {.argv = {RAW_PROGRAM, scenario}, .env = std::move(env)};
}

// Without line editing, so that the terminal is plainly cooked while the shell has it.
inline support::Start shell(std::map<std::string, std::string> env = {}) {
  env.merge(plain_signals());
  env["PS1"] = "prompt> ";
  return {.argv = {"bash", "--norc", "--noprofile", "--noediting", "-i"}, .env = std::move(env)};
}

}  // namespace term_tests
