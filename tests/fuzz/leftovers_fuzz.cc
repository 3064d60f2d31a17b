// SPDX-License-Identifier: Apache-2.0
// Leftovers under any bytes: cut in pieces they mean the same, and feeding the undo leaves nothing.
// The first byte chooses the pieces, the rest is output.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "term/leftovers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t piece = data[0] % 16U + 1;
  const std::string_view output(reinterpret_cast<const char*>(data) + 1, size - 1);

  term::Leftovers whole;
  whole.feed(output);
  term::Leftovers parts;
  for (std::string_view rest = output; !rest.empty();) {
    const size_t n = std::min(piece, rest.size());
    parts.feed(rest.substr(0, n));
    rest.remove_prefix(n);
  }
  const std::string undo = whole.undo();
  if (undo != parts.undo()) std::abort();
  whole.feed(undo);
  if (!whole.empty()) std::abort();
  parts.park();
  parts.feed(parts.redo());
  if (parts.undo().size() >= term::Leftovers::kMostBytes) std::abort();
  return 0;
}
