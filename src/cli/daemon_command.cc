// SPDX-License-Identifier: Apache-2.0
#include "cli/daemon_command.h"

#include <boost/json/serialize.hpp>
#include <cerrno>
#include <fmt/format.h>
#include <poll.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "base/fd.h"
#include "base/unix_socket.h"
#include "cli/access.h"
#include "cli/become.h"
#include "cli/report.h"
#include "wire/params.h"

namespace cli {
namespace {

namespace json = wire::json;

constexpr std::chrono::seconds kStopDeadline{30};

}  // namespace

int run_daemon(const DaemonRunOptions& options) {
  std::vector<std::string> words = {"--idle-seconds", std::to_string(options.idle_seconds)};
  if (options.ready_fd >= 0) words.insert(words.end(), {"--ready-fd", std::to_string(options.ready_fd)});
  return become("tend-daemon", std::move(words));
}

int stop_daemon(const DaemonStopOptions& options) {
  auto found = find_daemon();
  if (!found) return report(found.error());
  if (!*found) {
    fmt::print("no daemon is running\n");
    return kDone;
  }
  wire::Client* const client = &**found;
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
  auto found = find_daemon();
  if (!found) return report(found.error());
  if (!*found) {
    if (options.json)
      fmt::print("null\n");
    else
      fmt::print("no daemon is running; the next command that needs one starts it\n");
    return kNoDaemon;
  }
  auto status = (*found)->call("daemon.status", {});
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
  if (const json::value* web = about.if_contains("web"); web != nullptr && web->is_object())
    fmt::print("web: {} ({} connections)\n", wire::text(web->as_object(), "url").value_or(""),
               wire::integer(web->as_object(), "connections").value_or(0));
  for (const json::value& each : about.at("degraded").as_array())
    fmt::print("degraded: {}\n", std::string_view(each.as_string()));
  return kDone;
}

}  // namespace cli
