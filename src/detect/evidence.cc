// SPDX-License-Identifier: Apache-2.0
#include "detect/evidence.h"

#include <array>

namespace detect {

std::string_view name_of(Verdict verdict) {
  constexpr std::array<std::string_view, 6> kNames{"waits", "may wait", "busy", "both", "unknown", "gone"};
  return kNames[static_cast<size_t>(verdict)];
}

}  // namespace detect
