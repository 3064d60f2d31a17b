// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <cstring>

namespace base {

std::string_view code_name(Code code) {
  switch (code) {
    case Code::pty_session_not_found:
      return "PTY_SESSION_NOT_FOUND";
    case Code::pty_spawn_failed:
      return "PTY_SPAWN_FAILED";
    case Code::pty_timeout:
      return "PTY_TIMEOUT";
    case Code::pty_process_exited:
      return "PTY_PROCESS_EXITED";
    case Code::pty_write_failed:
      return "PTY_WRITE_FAILED";
    case Code::pty_read_failed:
      return "PTY_READ_FAILED";
    case Code::pty_access_denied:
      return "PTY_ACCESS_DENIED";
    case Code::prompt_not_found:
      return "PROMPT_NOT_FOUND";
    case Code::prompt_stale:
      return "PROMPT_STALE";
    case Code::invalid_param:
      return "INVALID_PARAM";
    case Code::unknown_method:
      return "UNKNOWN_METHOD";
    case Code::message_too_large:
      return "MESSAGE_TOO_LARGE";
    case Code::version_mismatch:
      return "VERSION_MISMATCH";
    case Code::pty_busy:
      return "PTY_BUSY";
    case Code::pty_interrupted:
      return "PTY_INTERRUPTED";
    case Code::no_daemon:
      return "NO_DAEMON";
    case Code::internal:
      return "INTERNAL";
  }
  return "INTERNAL";
}

std::string Error::message() const {
  if (sys == 0) return what;
  char buffer[256];
  return what + ": " + ::strerror_r(sys, buffer, sizeof buffer);
}

}  // namespace base
