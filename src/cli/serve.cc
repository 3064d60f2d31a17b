// SPDX-License-Identifier: Apache-2.0
#include "cli/serve.h"

#include <boost/json/array.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/access.h"
#include "cli/output.h"
#include "cli/qr.h"
#include "cli/report.h"
#include "cli/settings.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Result;
namespace json = wire::json;

// The daemon stands in another folder.
std::string whole_path(const std::string& path) {
  std::error_code none;
  const auto whole = std::filesystem::absolute(path, none);
  return none ? path : whole.string();
}

json::object request_of(const ServeOptions& options, const config::Web& web, bool is_open) {
  json::object params{{"insecure", options.insecure || web.insecure}, {"read_only", options.read_only}};
  // One that is open stays where it is, unless it is told otherwise.
  if (options.host || !is_open) params["host"] = options.host.value_or(web.host);
  if (options.port || !is_open) params["port"] = options.port.value_or(web.port);
  const auto certificate = options.tls_cert ? options.tls_cert : web.tls_cert;
  const auto key = options.tls_key ? options.tls_key : web.tls_key;
  if (certificate) params["tls_cert"] = whole_path(*certificate);
  if (key) params["tls_key"] = whole_path(*key);
  json::array names;
  for (const std::string& each : options.names) names.emplace_back(each);
  params["names"] = std::move(names);
  return params;
}

std::string text_of(const json::object& about, std::string_view name) {
  return wire::text(about, name).value_or("");
}

int print_link(const json::object& about) {
  const std::string link = text_of(about, "link");
  std::string text = link + "\n";
  if (const std::string fingerprint = text_of(about, "fingerprint"); !fingerprint.empty())
    text += "certificate, SHA-256: " + fingerprint + "\n";
  if (text_of(about, "access") == "read-only") text += "This link is for looking only.\n";
  // A phone reads it off a terminal, and nothing else.
  if (::isatty(STDOUT_FILENO) == 1) {
    if (const auto code = make_qr(link)) text += to_terminal(*code);
  }
  return print(text);
}

int print_tokens(const json::value& tokens) {
  Table table({"TOKEN", "ACCESS", "BROWSERS", "SINCE"});
  for (const json::value& each : tokens.as_array()) {
    const json::object& about = each.as_object();
    table.add({{text_of(about, "id"), Tone::strong},
               {text_of(about, "access")},
               {std::to_string(wire::integer(about, "browsers").value_or(0))},
               {text_of(about, "created_at")}});
  }
  return print(table.empty() ? "no tokens; tend serve makes one\n" : table.text());
}

Result<int> run(const ServeOptions& options, const GlobalOptions& global) {
  auto settings = load_settings(global);
  if (!settings) return base::fail(settings);
  auto client = reach_daemon();
  if (!client) return base::fail(client);
  const auto ask = [&](std::string_view method, json::object params) {
    return client->call(method, std::move(params));
  };
  auto status = ask("web.status", {});
  if (!status) return base::fail(status);
  auto answer = options.stop     ? ask("web.stop", {})
                : options.tokens ? ask("web.tokens", {})
                : options.revoke
                    ? ask("web.revoke", {{"token", *options.revoke}})
                    : ask("web.start", request_of(options, settings->config.web, status->is_object()));
  if (!answer) return base::fail(answer);
  if (options.json) return print_json(*answer);
  if (options.tokens) return print_tokens(*answer);
  if (options.stop)
    return print(wire::flag(answer->as_object(), "stopped") ? "closed\n" : "it was not open\n");
  if (options.revoke) return print("revoked\n");
  return print_link(answer->as_object());
}

}  // namespace

int serve(const ServeOptions& options, const GlobalOptions& global) { return finish(run(options, global)); }

}  // namespace cli
