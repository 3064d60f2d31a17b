// SPDX-License-Identifier: Apache-2.0
// Random terminal traffic from a grammar of what vt and xterm.js both know, for comparing the two. What they
// treat differently on purpose is left out here, and named in docs/vt.md.
#pragma once
#include <cstdint>

#include "recording.h"

namespace vt_test {

// The same seed gives the same recording, on every machine. Each event of output is one sequence or one piece
// of text.
Recording random_recording(uint64_t seed);

// The same bytes in other chunks.
Recording rechunk(const Recording& recording, uint64_t seed);

}  // namespace vt_test
