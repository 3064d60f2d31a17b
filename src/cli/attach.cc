// SPDX-License-Identifier: Apache-2.0
#include "cli/attach.h"

#include <cstdlib>
#include <fmt/format.h>

#include "base/strings.h"
#include "cli/access.h"
#include "cli/relay.h"
#include "cli/report.h"
#include "cli/settings.h"
#include "cli/user_terminal.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

// A terminal that shows itself would never come to rest.
Result<void> check_not_itself(const json::object& resolved) {
  const char* session = std::getenv("TEND_SESSION");
  const char* pty = std::getenv("TEND_PTY");
  if (session == nullptr || pty == nullptr || wire::text(resolved, "session") != session ||
      std::to_string(wire::integer(resolved, "pty").value_or(0)) != pty)
    return {};
  return fail(Code::invalid_param, 0, "this terminal is the one to attach to");
}

constexpr int64_t kAllRows = 1'000'000;  // more than any terminal has

Result<int64_t> parse_scrollback(const std::string& text) {
  if (text.empty()) return 0;
  if (text == "all") return kAllRows;
  if (const auto rows = base::parse_number<int64_t>(text, 0, kAllRows)) return *rows;
  return fail(
      Code::invalid_param, 0,
      fmt::format("--scrollback is a number of rows, or all, and not '{}'", base::printable(text, 80)));
}

Result<int> attach_and_relay(const AttachCommand& options, const GlobalOptions& global) {
  auto scrollback = parse_scrollback(options.scrollback);
  if (!scrollback) return fail(scrollback);
  auto opening = open_terminal(global);
  if (!opening) return fail(opening);
  auto& [settings, terminal, client] = *opening;
  auto target = options.target.empty() ? only_session(client) : parse_target(options.target);
  if (!target) return fail(target);
  auto resolved = client.call("pty.resolve",
                              {{"target", fmt::format("{}:{}", target->session, target->pty.value_or(0))}});
  if (!resolved) return fail(resolved);
  if (auto good = check_not_itself(resolved->as_object()); !good) return fail(good);
  const Relay how{.role = options.observe ? "observer" : "writer",
                  .follow_window = !options.observe,
                  .detach_key = settings.config.session.detach_key};
  json::object params = to_params(*target);
  params["role"] = how.role;
  params["takeover"] = options.takeover;
  params["scrollback"] = *scrollback;
  // An observer's size counts nowhere, but what has scrolled away should fit its window.
  if (!options.observe || *scrollback > 0) add_window(params, terminal);
  auto answer = client.call("pty.attach", std::move(params));
  if (!answer) return fail(answer);
  auto end = relay(terminal, std::move(client), answer->at("attached").as_object(), how);
  if (!end) return fail(end);
  return kDone;
}

}  // namespace

int attach(const AttachCommand& options, const GlobalOptions& global) {
  return finish(attach_and_relay(options, global));
}

}  // namespace cli
