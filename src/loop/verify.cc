// SPDX-License-Identifier: Apache-2.0
#include "loop/verify.h"

#include "loop/iteration.h"
#include "loop/text.h"

namespace loop {
namespace {

constexpr size_t kMostCharacters = 4000;
constexpr size_t kMostBytes = kMostCharacters * 4;

}  // namespace

base::Result<Verified> verify(Station& station, const std::string& command, const std::string& cwd,
                              base::Moment deadline) {
  std::string tail;
  const ChildRun run{.command = {.argv = {"/bin/sh", "-c", command},
                                 .env = own_environment(),
                                 .cwd = cwd,
                                 .umask = own_umask()},
                     .deadline = deadline,
                     .output = [&](std::string_view bytes) {
                       station.printer.bytes(bytes);
                       tail += bytes;
                       // Twice as much as is kept, so that it is seldom moved.
                       if (tail.size() > 4 * kMostBytes) tail.erase(0, tail.size() - kMostBytes);
                     }};
  auto end = run_child(station, run);
  if (!end) return base::fail(end);
  const std::string text = readable(tail);
  return Verified{*end, std::string(last_characters(text, kMostCharacters))};
}

}  // namespace loop
