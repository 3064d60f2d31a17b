// SPDX-License-Identifier: Apache-2.0
// The network of a sandbox that has one of its own: a loopback, and nothing else.
#pragma once
#include <cstdint>

#include "base/fd.h"
#include "base/result.h"

namespace sandbox {

// A new network namespace has it, but down.
base::Result<void> raise_loopback();
base::Result<base::Fd> listen_on_loopback(uint16_t port);

}  // namespace sandbox
