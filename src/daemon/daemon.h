// SPDX-License-Identifier: Apache-2.0
// The daemon's life: exactly one per home, by a lock that the kernel frees when the process is gone. It finds
// the sessions that live in keepers, serves its socket, and leaves by itself when it has had nothing to do
// for a while. Once it runs, no error ends it.
#pragma once
#include <string>

#include "base/clock.h"
#include "base/folders.h"
#include "base/result.h"
#include "daemon/web_service.h"

namespace host {

struct DaemonOptions {
  base::Folders folders;
  std::string keeper_program;
  base::Result<std::string> channel_program;  // or why there is none
  std::string own_program;                    // tend-daemon: what keepers start when this daemon is lost
  int ready_fd = -1;  // whoever started it waits here for a line: "ok", "busy", or what is wrong
  base::Duration idle = std::chrono::seconds(30);  // with nothing to do, before it leaves
  MakeWebService make_web = {};                    // how to make the server for browsers
};

// Until it is told to stop, or has nothing to do. The error says why it could not start.
base::Result<void> run_daemon(DaemonOptions options);

}  // namespace host
