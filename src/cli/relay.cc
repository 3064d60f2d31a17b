// SPDX-License-Identifier: Apache-2.0
#include "cli/relay.h"

#include <cstdio>
#include <fmt/format.h>

#include "cli/access.h"
#include "wire/params.h"

namespace cli {

using base::fail;
using base::Result;

Result<Opening> open_terminal(const GlobalOptions& global) {
  auto settings = load_settings(global);
  if (!settings) return fail(settings);
  auto terminal = UserTerminal::open();
  if (!terminal) return fail(terminal);
  auto client = reach_daemon();
  if (!client) return fail(client);
  return Opening{std::move(*settings), std::move(*terminal), std::move(*client)};
}

void add_window(wire::json::object& params, const UserTerminal& terminal) {
  if (!terminal.is_terminal()) return;
  const pty::Size size = terminal.size();
  params["cols"] = size.cols;
  params["rows"] = size.rows;
}

Result<AttachmentEnd> relay(UserTerminal& terminal, wire::Client client, const wire::json::object& attached,
                            const Relay& options) {
  const std::string name = wire::text(attached, "name").value_or("");
  auto attachment = Attachment::create(terminal, std::move(client), attached,
                                       {.role = options.role,
                                        .lossless = options.lossless,
                                        .follow_window = options.follow_window,
                                        .detach_key = options.detach_key,
                                        .reconnect = reach_daemon});
  if (!attachment) return fail(attachment);
  // The terminal turns raw only now: whatever failed until here was said on one that works.
  if (auto entered = terminal.enter(); !entered) return fail(entered);
  auto end = attachment->run();
  terminal.leave();
  if (!end || end->exit || !terminal.shows()) return end;
  const std::string why = end->reason.empty() ? "" : ": " + end->reason;
  fmt::print("\n[detached from {}{}]\n", name, why);
  std::fflush(stdout);
  return end;
}

}  // namespace cli
