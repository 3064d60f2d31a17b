// SPDX-License-Identifier: Apache-2.0
// A process of `tend-channel`: it gets nothing of the daemon but a pipe, whose end tells it that the daemon
// is gone, a file for its log, and the variables that it needs.
#pragma once
#include <string>
#include <sys/types.h>

#include "base/fd.h"
#include "base/result.h"

namespace host {

struct ChannelProcess {
  pid_t pid = 0;
  base::Fd process;  // a pidfd
  base::Fd pipe;     // its standard input
};

base::Result<ChannelProcess> start_channel(const std::string& program, const std::string& kind,
                                           const std::string& log_file);

}  // namespace host
