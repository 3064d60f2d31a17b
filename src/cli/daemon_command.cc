// SPDX-License-Identifier: Apache-2.0
#include "cli/daemon_command.h"

#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/folders.h"
#include "base/unix_socket.h"
#include "cli/access.h"
#include "cli/report.h"
#include "daemon/daemon.h"
#include "wire/params.h"

namespace cli {
namespace {

namespace json = wire::json;

constexpr std::chrono::seconds kStopDeadline{30};

bool nobody_there(const base::Error& error) { return error.sys == ENOENT || error.sys == ECONNREFUSED; }

// Whoever started it waits for a line, and its standard error is nobody's.
int fail_start(const base::Error& error, int ready_fd) {
  if (ready_fd >= 0) (void)base::write_all(ready_fd, error.message() + "\n");
  return report(error);
}

}  // namespace

int run_daemon(const DaemonRunOptions& options) {
  auto folders = base::find_folders(std::getenv);
  if (!folders) return fail_start(folders.error(), options.ready_fd);
  auto keeper = find_keeper();
  if (!keeper) return fail_start(keeper.error(), options.ready_fd);
  const auto ran = host::run_daemon({.folders = *folders,
                                     .keeper_program = *keeper,
                                     .channel_program = find_channel(),
                                     .own_program = own_program(),
                                     .ready_fd = options.ready_fd,
                                     .idle = std::chrono::seconds(options.idle_seconds)});
  return ran ? kDone : report(ran.error());
}

int stop_daemon(const DaemonStopOptions& options) {
  auto client = reach_running_daemon();
  if (!client) {
    if (!nobody_there(client.error())) return report(client.error());
    fmt::print("no daemon is running\n");
    return kDone;
  }
  const auto peer = base::peer_of(client->fd());
  const base::Fd process(peer ? static_cast<int>(::syscall(SYS_pidfd_open, peer->pid, 0)) : -1);
  auto stopped = client->call("daemon.shutdown", {{"kill", options.kill}}, kStopDeadline);
  // It may close the line before it has answered.
  if (!stopped && stopped.error().sys != ECONNRESET) return report(stopped.error());
  // What it has to write is written when it has gone.
  pollfd gone{process.get(), POLLIN, 0};
  if (process && ::poll(&gone, 1, static_cast<int>(std::chrono::milliseconds(kStopDeadline).count())) == 0)
    return report({base::Code::internal, 0,
                   fmt::format("the daemon (process {}) does not end; see daemon.log", peer->pid)});
  return kDone;
}

int daemon_status(const DaemonStatusOptions& options) {
  auto client = reach_running_daemon();
  if (!client && nobody_there(client.error())) {
    if (options.json)
      fmt::print("null\n");
    else
      fmt::print("no daemon is running; the next command that needs one starts it\n");
    return kNoDaemon;
  }
  if (!client) return report(client.error());
  auto status = client->call("daemon.status", {});
  if (!status) return report(status.error());
  if (options.json) {
    fmt::print("{}\n", json::serialize(*status));
    return kDone;
  }
  const json::object& about = status->as_object();
  fmt::print("pid {}, version {}, up {} s, {} sessions, {} clients\n",
             wire::integer(about, "pid").value_or(0), wire::text(about, "version").value_or(""),
             wire::integer(about, "uptime_s").value_or(0), wire::integer(about, "sessions").value_or(0),
             wire::integer(about, "clients").value_or(0));
  for (const json::value& each : about.at("channels").as_array())
    fmt::print("channel {} {}\n", wire::text(each.as_object(), "kind").value_or(""),
               wire::text(each.as_object(), "state").value_or(""));
  for (const json::value& each : about.at("degraded").as_array())
    fmt::print("degraded: {}\n", std::string_view(each.as_string()));
  return kDone;
}

}  // namespace cli
