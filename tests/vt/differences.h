// SPDX-License-Identifier: Apache-2.0
// The differences between vt and xterm.js that are meant, each with its reason in docs/vt.md ("Differences
// from xterm.js"). What the grammar of sequences.h can leave out is left out there; the rest is evened out
// here, no wider than the difference is.
#pragma once
#include "view.h"

namespace vt_test {

void accept_known_differences(View& ours, View& theirs);

}  // namespace vt_test
