// SPDX-License-Identifier: Apache-2.0
// Tests wait for conditions, with a deadline that only a broken program reaches, even on a loaded machine.
#pragma once
#include <chrono>
#include <functional>

namespace support {

constexpr std::chrono::seconds kDeadline{60};

// Asks again and again until the condition holds; false at the deadline.
bool wait_until(const std::function<bool()>& condition, std::chrono::milliseconds deadline = kDeadline);

}  // namespace support
