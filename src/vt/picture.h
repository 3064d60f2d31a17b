// SPDX-License-Identifier: Apache-2.0
// Pictures of the screen: HTML that can stand in any page, and SVG that can stand alone. Both escape
// everything the program printed, load nothing, run nothing, and make links only of http, https and mailto.
#pragma once
#include <string>

#include "vt/screen.h"

namespace vt {

enum class CursorIn : uint8_t { hidden, shown };

struct PictureOptions {
  CursorIn cursor = CursorIn::shown;  // also hidden where the program hides it
  int font_size = 14;                 // pixels
  std::string font = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
};

// A <pre>, each row on a line of its own.
std::string html(const Screen& screen, const PictureOptions& options = {});
std::string svg(const Screen& screen, const PictureOptions& options = {});

}  // namespace vt
