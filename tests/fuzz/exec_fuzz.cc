// SPDX-License-Identifier: Apache-2.0
// What a terminal shows while a command runs in it: output, status and end are the same however the bytes are
// cut, and no more is kept than was asked for.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "exec/output.h"
#include "exec/scanner.h"
#include "exec/typed.h"

namespace {

constexpr std::string_view kSentinel = "K_PTY_DONE_12345678";
constexpr size_t kMost = 64;

void check(bool holds) {
  if (!holds) std::abort();
}

struct Outcome {
  bool begun = false;
  bool ended = false;
  std::optional<int> status;
  std::string text;
  uint64_t count = 0;
  bool operator==(const Outcome&) const = default;
};

Outcome found(exec::Scanner scanner, exec::Keep keep, std::string_view bytes, size_t piece) {
  exec::Output output(keep, kMost);
  Outcome outcome;
  for (; !bytes.empty() && !outcome.ended; bytes.remove_prefix(std::min(piece, bytes.size()))) {
    const auto end = scanner.feed(bytes.substr(0, piece), [&](std::string_view more) { output.add(more); });
    outcome.ended = end.has_value();
    if (end) outcome.status = end->status;
  }
  // What may be the beginning of a mark is held back: only behind the end is all of it there.
  if (outcome.ended) output.finish();
  outcome.begun = scanner.begun();
  outcome.text = output.text();
  outcome.count = output.count();
  check(outcome.text.size() <= kMost && outcome.count >= outcome.text.size());
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  // The fuzzer does not guess a sentinel: 0x01 stands for the beginning of a mark.
  std::string bytes;
  for (size_t i = 1; i < size; i++) {
    if (data[i] == 1)
      bytes += exec::mark_start(kSentinel);
    else
      bytes += static_cast<char>(data[i]);
  }
  const auto keep = (data[0] & 1) != 0 ? exec::Keep::everything : exec::Keep::text;
  const size_t piece = 1 + (data[0] >> 2) % 16;
  const auto scanner = (data[0] & 2) != 0 ? exec::Scanner::of_shell_marks() : exec::Scanner(kSentinel);
  check(found(scanner, keep, bytes, bytes.size() + 1) == found(scanner, keep, bytes, piece));
  return 0;
}
