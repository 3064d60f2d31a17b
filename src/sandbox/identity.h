// SPDX-License-Identifier: Apache-2.0
// Who the users of a sandbox are on the host. An ordinary user is themself, and the only one there is. Root
// becomes a range of numbers that nobody else has: root inside is nobody outside.
#pragma once
#include <sys/types.h>

#include "base/result.h"

namespace sandbox {

class Identity {
 public:
  // Of the sandboxes that this process starts.
  static Identity find();

  bool mapped() const { return mapped_; }
  // For a process that has just been cloned into a user namespace.
  base::Result<void> write_maps(pid_t pid) const;
  // In that process, when it has its maps.
  base::Result<void> take_on() const;

 private:
  bool mapped_ = false;
};

}  // namespace sandbox
