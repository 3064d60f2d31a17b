// SPDX-License-Identifier: Apache-2.0
// The folder on the host that holds what programs have changed under an overlay.
#pragma once
#include <string>

namespace sandbox {

// With all that is in it, also folders that their owner may not enter, as overlayfs leaves one.
void remove_overlay(const std::string& folder);

}  // namespace sandbox
