// SPDX-License-Identifier: Apache-2.0
// Asked: somebody who has asked for something that a keeper does, and is told once: what came of it, or, when
// the time is over, that the keeper does not answer. Belongs to the answer that is expected.
#pragma once
#include <cstdint>
#include <functional>

#include "base/clock.h"
#include "base/result.h"
#include "event/loop.h"

namespace session {

template <typename T>
using Done = std::function<void(base::Result<T>)>;

class Asked {
 public:
  // `otherwise` is what is said when the time is over.
  Asked(event::Loop& loop, base::Duration within, base::Error otherwise, Done<uint32_t> done);

  void tell(base::Result<uint32_t> result);
  bool is_told() const { return !done_; }

 private:
  Done<uint32_t> done_;
  base::Error otherwise_;
  event::Timer timer_;
};

}  // namespace session
