// SPDX-License-Identifier: Apache-2.0
#include "cli/ask_secret.h"

#include <cerrno>
#include <fmt/format.h>
#include <unistd.h>

#include "base/strings.h"
#include "term/raw_mode.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;

constexpr size_t kMost = 4096;
constexpr char kCtrlC = 3;
constexpr char kCtrlD = 4;
constexpr char kBackspace = 8;
constexpr char kCtrlU = 21;
constexpr char kDelete = 127;

// A byte at a time, so that what stands behind the line is left to whoever reads next.
Result<std::string> read_line() {
  std::string line;
  while (line.size() < kMost) {
    char c = 0;
    const ssize_t n = ::read(STDIN_FILENO, &c, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(Code::internal, errno, "cannot read standard input");
    if (n == 0 || c == '\n' || c == '\r') return line;
    if (c == kCtrlC || c == kCtrlD) return fail(Code::invalid_param, 0, "nothing was given");
    if (c == kCtrlU)
      line.clear();
    else if (c == kBackspace || c == kDelete)
      line.resize(line.empty() ? 0 : line.size() - 1);
    else
      line += c;
  }
  return fail(Code::invalid_param, 0, "that is too long");
}

Result<std::string> read_unseen(const std::string& what) {
  fmt::print(stderr, "{} (it is not shown): ", what);
  auto raw = term::RawMode::open(STDIN_FILENO);
  if (!raw) return fail(raw);
  if (auto entered = raw->enter(); !entered) return fail(entered);
  auto line = read_line();
  (void)raw->leave();
  fmt::print(stderr, "\n");
  return line;
}

}  // namespace

Result<std::string> ask_secret(const std::string& what) {
  auto line = ::isatty(STDIN_FILENO) == 1 ? read_unseen(what) : read_line();
  if (!line) return line;
  std::string secret(base::trim(*line));
  if (secret.empty()) return fail(Code::invalid_param, 0, "there is no secret on standard input: " + what);
  return secret;
}

}  // namespace cli
