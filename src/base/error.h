// SPDX-License-Identifier: Apache-2.0
// Error: what failed (`what`, for a person), why (`sys`, an errno or 0), and how a program tells it apart
// (`code`, the names of docs/protocol.md).
#pragma once
#include <string>
#include <string_view>

namespace base {

enum class Code {
  pty_session_not_found,
  pty_spawn_failed,
  pty_timeout,
  pty_process_exited,
  pty_write_failed,
  pty_read_failed,
  pty_access_denied,
  prompt_not_found,
  prompt_stale,
  invalid_param,
  unknown_method,
  message_too_large,
  version_mismatch,
  pty_busy,         // no command can be run there now
  pty_interrupted,  // a command ended, and nobody knows how
  internal,
  no_daemon,  // of a client alone: nobody answers
};

// "PTY_SPAWN_FAILED" and so on.
std::string_view code_name(Code code);

struct Error {
  Code code = Code::internal;
  int sys = 0;
  std::string what;

  // One line: `what`, then the system's reason if there is one.
  std::string message() const;
};

}  // namespace base
