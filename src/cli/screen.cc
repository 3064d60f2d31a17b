// SPDX-License-Identifier: Apache-2.0
#include "cli/screen.h"

#include "cli/access.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/size.h"
#include "wire/encoding.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

Result<int> print_screen(const ScreenOptions& options) {
  auto target = parse_target(options.target);
  if (!target) return fail(target);
  const std::string format = options.json ? "json" : options.format;
  if (options.scrollback && format != "text" && format != "json")
    return fail(Code::invalid_param, 0, "--scrollback goes with the formats text and json");
  auto client = reach_daemon();
  if (!client) return fail(client);
  json::object params = to_params(*target);
  params["format"] = format;
  if (options.scrollback) params["scrollback"] = *options.scrollback;
  auto screen = client->call("pty.screen", std::move(params));
  if (!screen) return fail(screen);
  std::string data = wire::text(screen->as_object(), "data").value_or("");
  if (!data.ends_with('\n')) data += '\n';
  return print(data);
}

Result<int> print_output(const ReadOptions& options) {
  auto target = parse_target(options.target);
  if (!target) return fail(target);
  auto client = reach_daemon();
  if (!client) return fail(client);
  json::object params = to_params(*target);
  if (options.since) params["since"] = *options.since;
  if (options.max_bytes) params["max_bytes"] = *options.max_bytes;
  params["timeout_ms"] = options.timeout_ms;
  // Without --json the bytes are printed as they are, and only base64 brings all of them.
  if (options.base64 || !options.json) params["encoding"] = "base64";
  auto answer = look(*client, "pty.read", params);
  if (!answer) return fail(answer);
  if (options.json) return print_json(*answer);
  const std::string data = wire::text(answer->as_object(), "data").value_or("");
  if (options.base64) return print(data + "\n");
  const auto bytes = wire::from_base64(data);
  if (!bytes) return fail(Code::pty_read_failed, 0, "the daemon's answer is not base64");
  return print(*bytes);
}

Result<int> resize_target(const ResizeOptions& options) {
  auto target = parse_target(options.target);
  if (!target) return fail(target);
  auto size = parse_size(options.size, "SIZE");
  if (!size) return fail(size);
  auto client = reach_daemon();
  if (!client) return fail(client);
  json::object params = to_params(*target);
  params["cols"] = size->cols;
  params["rows"] = size->rows;
  auto done = client->call("pty.resize", std::move(params));
  if (!done) return fail(done);
  return options.json ? print_json(*done) : kDone;
}

}  // namespace

int show_screen(const ScreenOptions& options) { return finish(print_screen(options)); }

int read_output(const ReadOptions& options) { return finish(print_output(options)); }

int resize(const ResizeOptions& options) { return finish(resize_target(options)); }

}  // namespace cli
