// SPDX-License-Identifier: Apache-2.0
// Styles as the sequences that set them.
#pragma once
#include <string>

#include "vt/style.h"

namespace vt {

// The parameters of an SGR that gives exactly this style, from whatever there was: "0;1;31".
std::string rendition(const Style& style);

}  // namespace vt
