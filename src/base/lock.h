// SPDX-License-Identifier: Apache-2.0
// A lock on a whole file, held by an open descriptor and by the copies of it: the kernel lets go of it with
// the last of them, whatever the end of its holder is. Who only looks takes nothing, not for a moment, so
// that nobody who wants the lock just then finds it taken.
#pragma once
#include "base/result.h"

namespace base {

// False if somebody else has it. The descriptor can be written to.
Result<bool> take_lock(int fd);

// Whether somebody has it by another opening of the file.
bool is_locked(int fd);

}  // namespace base
