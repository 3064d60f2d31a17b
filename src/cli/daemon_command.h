// SPDX-License-Identifier: Apache-2.0
// tend daemon: run it here, stop it, look how it is.
#pragma once

namespace cli {

struct DaemonRunOptions {
  int ready_fd = -1;
  int idle_seconds = 30;
};
int run_daemon(const DaemonRunOptions& options);

struct DaemonStopOptions {
  bool kill = false;  // the sessions too
};
int stop_daemon(const DaemonStopOptions& options);

struct DaemonStatusOptions {
  bool json = false;
};
int daemon_status(const DaemonStatusOptions& options);

}  // namespace cli
