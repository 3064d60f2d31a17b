// SPDX-License-Identifier: Apache-2.0
// Names of keys, as in `tend send --keys C-c Enter Up`, and the bytes that a terminal sends for them, which
// for some depend on the modes that the program has set.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "vt/screen.h"

namespace session {

// Enter Tab Escape Space Backspace Up Down Left Right Home End PageUp PageDown Insert Delete F1…F12, with S-,
// M- and C- before them; C-a and M-x; any single character stands for itself.
base::Result<std::string> key_bytes(std::string_view name, const vt::Screen& screen);

}  // namespace session
