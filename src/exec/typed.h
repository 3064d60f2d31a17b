// SPDX-License-Identifier: Apache-2.0
// What is typed into a shell to run a command. Two marks stand around what it prints, as OSC strings that no
// terminal shows:
//
//   ESC ] 7717 ; SENTINEL ; begin BEL      ESC ] 7717 ; SENTINEL ; STATUS BEL
//
// The command goes through `eval` as one word; bash and its like print the first mark from inside that, so
// that a trace of the eval (set -x) is in front of it.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "exec/program.h"

namespace exec {

constexpr size_t kMostCommand = 64 << 10;

// The seed's, with eight random digits.
std::string new_sentinel();
base::Result<void> check_sentinel(std::string_view sentinel);

// Beginning of both marks, and what ends them.
std::string mark_start(std::string_view sentinel);
constexpr std::string_view kBegin = "begin";
constexpr char kMarkEnd = '\a';

// Fails for what cannot be typed: too long, or with a zero byte in it.
base::Result<std::string> typed(Shell shell, std::string_view command, std::string_view sentinel);

}  // namespace exec
