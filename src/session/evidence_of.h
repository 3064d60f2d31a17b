// SPDX-License-Identifier: Apache-2.0
// What a look found, as the detector takes it.
#pragma once
#include "detect/evidence.h"
#include "pty/look.h"

namespace session {

detect::Evidence evidence_of(const pty::Look& look);

}  // namespace session
