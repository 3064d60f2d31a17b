// SPDX-License-Identifier: Apache-2.0
#include "session/asked.h"

#include <utility>

namespace session {

Asked::Asked(event::Loop& loop, base::Duration within, base::Error otherwise, Done<uint32_t> done)
    : done_(std::move(done)),
      otherwise_(std::move(otherwise)),
      timer_(loop, [this] { tell(std::unexpected(otherwise_)); }) {
  timer_.set_after(within);
}

// Who is told may let go of the session, and with it of this.
void Asked::tell(base::Result<uint32_t> result) {
  if (is_told()) return;
  timer_.cancel();
  const Done<uint32_t> done = std::exchange(done_, {});
  done(std::move(result));
}

}  // namespace session
