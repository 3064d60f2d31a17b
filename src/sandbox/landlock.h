// SPDX-License-Identifier: Apache-2.0
// Landlock: the second wall behind the mounts: what may be written is said once more, in terms of folders,
// and holds even if a mount is not what it should be. Where the network is the host's it also keeps the
// abstract sockets of outside processes out of reach (Linux 6.12).
#pragma once
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "sandbox/plan.h"

namespace sandbox {

class Landlock {
 public:
  // 0: the kernel has none.
  static int version();

  // In the finished sandbox: below these folders everything may be written, elsewhere nothing.
  static base::Result<Landlock> make(const std::vector<std::string>& writable, Network network);

  // As Filter::install.
  bool restrict() const noexcept;

 private:
  base::Fd rules_;
};

}  // namespace sandbox
