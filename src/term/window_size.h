// SPDX-License-Identifier: Apache-2.0
// The size of the user's window, always usable: each dimension is the kernel's answer, else COLUMNS or LINES,
// else 80×24, and always within 1..1000. A terminal may say 0×0 (serial lines, some editors, `script`).
#pragma once
#include <cstdlib>
#include <optional>
#include <sys/ioctl.h>

#include "term/environment.h"

namespace term {

struct WindowSize {
  unsigned short cols = 80;
  unsigned short rows = 24;
  unsigned short width_px = 0;  // of the text area; 0 when the terminal does not say
  unsigned short height_px = 0;

  bool operator==(const WindowSize&) const = default;
};

WindowSize window_size(int fd, const Lookup& lookup = std::getenv);

// The same from an answer already in hand; nothing stands for an ioctl that failed.
WindowSize window_size_from(const std::optional<winsize>& answer, const Lookup& lookup);

}  // namespace term
