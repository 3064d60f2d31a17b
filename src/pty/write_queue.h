// SPDX-License-Identifier: Apache-2.0
// WriteQueue: keys and pastes on their way into a PTY. A PTY takes about 4 KiB at a time and often less, so
// that partial writes and EAGAIN are the normal case; what did not go waits here, in order, up to a bound.
#pragma once
#include <cstddef>
#include <string_view>

#include "base/byte_ring.h"
#include "base/result.h"

namespace pty {

class WriteQueue {
 public:
  static constexpr size_t kBound = 8 << 20;

  explicit WriteQueue(size_t bound = kBound) : waiting_(bound) {}

  // All or nothing: past the bound it is PTY_WRITE_FAILED, and what waits already stays.
  base::Result<void> push(std::string_view bytes);

  // Writes what the terminal takes now; the caller watches the master for POLLOUT while !empty().
  base::Result<void> flush(int master);

  bool empty() const { return waiting_.empty(); }
  size_t size() const { return waiting_.size(); }

 private:
  base::ByteRing waiting_;
};

}  // namespace pty
