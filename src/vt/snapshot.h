// SPDX-License-Identifier: Apache-2.0
// snapshot: a screen as the bytes that make a fresh terminal of the same size look and behave like it: both
// screens, cursors, margins, tab stops, modes, keyboard flags, pen, charsets, titles, colours, links, marks,
// and the start of a sequence that is not complete yet. Everything is written with sequences that real
// terminals know; those that do not know one lose only what it stands for.
//
// The law, which is tested and fuzzed: feed X to A and snapshot(A) to a fresh B, and A == B; without the
// scrollback, A.same_but_scrollback(B).
#pragma once
#include <cstddef>
#include <string>

#include "vt/screen.h"

namespace vt {

enum class Include : uint8_t { screen, scrollback };

std::string snapshot(const Screen& screen, Include include);
// With so many of the newest rows of the scrollback, if there are so many.
std::string snapshot(const Screen& screen, size_t scrollback_rows);

}  // namespace vt
