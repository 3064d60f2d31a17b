// SPDX-License-Identifier: Apache-2.0
#include "cli/evidence_command.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/strings.h"
#include "cli/access.h"
#include "cli/human.h"
#include "cli/output.h"
#include "cli/plain_text.h"
#include "cli/report.h"
#include "wire/encoding.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

constexpr int64_t kPage = 1000;
constexpr size_t kMostLine = 4000;
constexpr size_t kMostDetail = 60;

std::string text_of(const json::object& object, std::string_view name) {
  return wire::text(object, name).value_or("");
}

std::string place_of(const json::object& pack) {
  const int64_t number = wire::integer(pack, "pty").value_or(0);
  return number == 0 ? text_of(pack, "name") : fmt::format("{}:{}", text_of(pack, "name"), number);
}

std::string time_of(const json::object& pack) {
  const auto at = parse_time(text_of(pack, "at"));
  return at ? local_time(*at) : "";
}

std::string table_of(const json::array& packs) {
  Table table({"ID", "AT", "ACTION", "SESSION", "AGENT", "CHANNEL", "STATUS", "FOLDER", "NOTE"});
  for (const json::value& each : packs) {
    const json::object& pack = each.as_object();
    const auto code = wire::integer(pack, "exit_code");
    table.add({{text_of(pack, "evidence_id"), Tone::strong},
               {time_of(pack)},
               {text_of(pack, "action") + (wire::flag(pack, "secret") ? ", secret" : "")},
               {place_of(pack)},
               {text_of(pack, "agent")},
               {text_of(pack, "channel")},
               {code ? std::to_string(*code) : "", code && *code != 0 ? Tone::bad : Tone::plain},
               {short_path(text_of(pack, "cwd"))},
               {clip(text_of(pack, "note"), kMostDetail)}});
  }
  return table.text();
}

// The newest that were asked for, newest first.
Result<json::array> newest(wire::Client& client, const EvidenceListOptions& options) {
  json::array all;
  json::object params;
  if (options.session) params["session"] = *options.session;
  while (all.size() < options.rows) {
    params["limit"] = std::min<int64_t>(kPage, static_cast<int64_t>(options.rows - all.size()));
    auto page = client.call("evidence.list", params);
    if (!page) return fail(page);
    for (json::value& each : page->at("evidence").as_array()) all.push_back(std::move(each));
    const auto next = wire::text(page->as_object(), "next");
    if (!next) break;
    params["after"] = *next;
  }
  return all;
}

Result<int> print_list(const EvidenceListOptions& options) {
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto packs = newest(*client, options);
  if (!packs) return fail(packs);
  std::reverse(packs->begin(), packs->end());
  if (options.json) return print_json(std::move(*packs));
  if (!packs->empty()) return print(table_of(*packs));
  fmt::print(stderr, "there is no evidence\n");
  return kDone;
}

Result<std::string> part_of(wire::Client& client, const std::string& id, std::string_view part) {
  std::string all;
  json::object params{{"evidence_id", id}, {"part", part}, {"encoding", "base64"}};
  for (;;) {
    auto piece = client.call("evidence.get", params);
    if (!piece) return fail(piece);
    const auto bytes = wire::from_base64(text_of(piece->as_object(), "data"));
    if (!bytes) return fail(Code::internal, 0, "the daemon's answer is not base64");
    all += *bytes;
    const auto next = wire::integer(piece->as_object(), "next");
    if (!next) return all;
    params["offset"] = *next;
  }
}

std::string indented(const std::string& text) {
  std::string shown;
  const std::string lines = harmless_lines(text);
  for (const std::string_view line : base::split(lines, '\n')) shown += fmt::format("  {}\n", line);
  while (shown.ends_with("\n  \n")) shown.erase(shown.size() - 3);
  return shown;
}

std::string section(std::string_view name, const std::string& text) {
  return text.empty() ? "" : fmt::format("\n{}\n{}", toned(name, Tone::strong), indented(text));
}

std::string plain(const std::string& output) {
  PlainText text;
  return text.feed(output) + text.finish();
}

std::string sent_of(const json::object& pack) {
  if (wire::flag(pack, "secret")) return "(secret)";
  return base::printable(text_of(pack, "sent"), kMostLine);
}

std::string page_of(const json::object& pack, const std::string& diff) {
  const auto line = [](std::string_view name, const std::string& value) {
    return value.empty() ? std::string() : fmt::format("{:<9}{}\n", name, base::printable(value, kMostLine));
  };
  const auto code = wire::integer(pack, "exit_code");
  std::string page = line("id", text_of(pack, "evidence_id")) + line("at", time_of(pack)) +
                     line("session", place_of(pack)) + line("action", text_of(pack, "action")) +
                     line("agent", text_of(pack, "agent")) + line("channel", text_of(pack, "channel")) +
                     line("folder", text_of(pack, "cwd")) + line("note", text_of(pack, "note"));
  if (!pack.at("sent").is_null()) page += line("sent", sent_of(pack));
  if (code) page += line("status", std::to_string(*code));
  if (!wire::flag(pack, "complete")) page += "not complete yet\n";
  page += section("screen before", text_of(pack, "before"));
  page += section("output", plain(text_of(pack, "output")));
  page += section("screen after", text_of(pack, "after"));
  std::string changes = text_of(pack, "diff_stat");
  if (const std::string note = text_of(pack, "diff_note"); !note.empty()) changes += "(" + note + ")";
  if (wire::flag(pack, "truncated")) changes += "(there is more than is kept)";
  return page + section("git diff --stat", changes) + section("git diff", diff);
}

Result<int> print_pack(const EvidenceShowOptions& options) {
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto pack = client->call("evidence.get", {{"evidence_id", options.id}});
  if (!pack) return fail(pack);
  if (options.json) return print_json(*pack);
  std::string diff;
  if (options.diff && wire::integer(pack->as_object(), "diff_bytes").value_or(0) > 0) {
    auto part = part_of(*client, options.id, "diff.patch");
    if (!part) return fail(part);
    diff = std::move(*part);
  }
  return print(page_of(pack->as_object(), diff));
}

// Others have no business with it: mode 0600.
Result<void> write_new(const std::string& path, std::string_view bytes) {
  const base::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return fail(Code::internal, errno, "cannot write " + path);
  return base::write_all(file.get(), bytes);
}

Result<void> write_files(const std::string& folder, const std::map<std::string, std::string>& files) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return fail(Code::internal, errno, "cannot make " + folder);
  for (const auto& [name, bytes] : files) {
    const std::string path = fmt::format("{}/{}", folder, name);
    if (::faccessat(AT_FDCWD, path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0)
      return fail(Code::invalid_param, 0, path + " is there already; name another folder with -o");
  }
  for (const auto& [name, bytes] : files) {
    if (auto written = write_new(fmt::format("{}/{}", folder, name), bytes); !written) return written;
  }
  return {};
}

Result<int> write_pack(const EvidenceExportOptions& options) {
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto pack = client->call("evidence.get", {{"evidence_id", options.id}});
  if (!pack) return fail(pack);
  std::map<std::string, std::string> files{{"pack.json", json::serialize(*pack) + "\n"}};
  for (const json::value& each : pack->at("parts").as_array()) {
    const std::string name(each.as_string());
    auto part = part_of(*client, options.id, name);
    if (!part) return fail(part);
    files[name] = std::move(*part);
  }
  const std::string folder = options.folder.value_or("evidence-" + options.id);
  if (auto written = write_files(folder, files); !written) return fail(written);
  if (!options.json) return print(folder + "\n");
  json::array names;
  for (const auto& [name, bytes] : files) names.emplace_back(name);
  return print_json(json::object{{"folder", folder}, {"files", std::move(names)}});
}

Result<int> capture(const EvidenceCaptureOptions& options) {
  auto target = parse_target(options.target);
  if (!target) return fail(target);
  auto client = reach_daemon();
  if (!client) return fail(client);
  json::object params = to_params(*target);
  if (options.note) params["note"] = *options.note;
  if (options.thread) params["thread"] = *options.thread;
  auto captured = client->call("evidence.capture", std::move(params));
  if (!captured) return fail(captured);
  return options.json ? print_json(*captured) : print(text_of(captured->as_object(), "evidence_id") + "\n");
}

}  // namespace

int list_evidence(const EvidenceListOptions& options) { return finish(print_list(options)); }

int show_evidence(const EvidenceShowOptions& options) { return finish(print_pack(options)); }

int export_evidence(const EvidenceExportOptions& options) { return finish(write_pack(options)); }

int capture_evidence(const EvidenceCaptureOptions& options) { return finish(capture(options)); }

}  // namespace cli
