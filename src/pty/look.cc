// SPDX-License-Identifier: Apache-2.0
#include "pty/look.h"

namespace pty {

std::string_view name_of(Look::Verdict verdict) {
  switch (verdict) {
    case Look::Verdict::waits:
      return "waits";
    case Look::Verdict::may_wait:
      return "may wait";
    case Look::Verdict::busy:
      return "busy";
    case Look::Verdict::both:
      return "both";
    case Look::Verdict::unknown:
      return "unknown";
    case Look::Verdict::gone:
      return "gone";
  }
  return "unknown";
}

std::string_view name_of(Look::Call call) {
  switch (call) {
    case Look::Call::none:
      return "none";
    case Look::Call::read:
      return "read";
    case Look::Call::poll:
      return "poll";
    case Look::Call::select:
      return "select";
    case Look::Call::epoll:
      return "epoll";
  }
  return "none";
}

}  // namespace pty
