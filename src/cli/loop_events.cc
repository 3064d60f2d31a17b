// SPDX-License-Identifier: Apache-2.0
// tend loop events: what agents said in <event> tags, or everything that a loop's runner wrote down.
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <fmt/format.h>
#include <sys/stat.h>
#include <thread>

#include "base/strings.h"
#include "cli/access.h"
#include "cli/human.h"
#include "cli/loop_command.h"
#include "cli/loop_find.h"
#include "cli/output.h"
#include "cli/report.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::fail;
using base::Result;
namespace json = wire::json;

constexpr std::chrono::milliseconds kPause{200};  // between two looks at the file
constexpr int kLooksPerQuestion = 10;             // before the daemon is asked whether the loop still runs
constexpr size_t kMostPayload = 2000;

std::string rest_of(const json::object& record) {
  std::string rest;
  for (const auto& [name, value] : record) {
    if (name == "at" || name == "kind" || name == "iteration" || value.is_null()) continue;
    const std::string text = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
    rest += fmt::format("  {}={}", std::string_view(name), base::printable(text, kMostPayload));
  }
  return rest;
}

std::string line_of(const json::object& record, const LoopEventsOptions& options) {
  if (options.json) return json::serialize(record) + "\n";
  const auto at = parse_time(wire::text(record, "at").value_or(""));
  const auto iteration = wire::integer(record, "iteration");
  const std::string kind = wire::text(record, "kind").value_or("");
  std::string line =
      fmt::format("{}  {:>4}  ", at ? local_time(*at) : "", iteration ? std::to_string(*iteration) : "-");
  if (kind == "event" && !options.all) {
    const std::string target = wire::text(record, "target").value_or("");
    line += base::printable(wire::text(record, "topic").value_or(""), kMostPayload);
    if (!target.empty()) line += " → " + base::printable(target, kMostPayload);
    line += "  " + base::printable(wire::text(record, "payload").value_or(""), kMostPayload);
  } else {
    line += base::printable(kind, kMostPayload) + rest_of(record);
  }
  return line + "\n";
}

class Reader {
 public:
  Reader(const LoopEventsOptions& options, const std::string& folder)
      : options_(options), folder_(folder), file_(folder + "/events.jsonl") {}

  // Prints what is new; the exit code.
  Result<int> print_new() {
    struct stat about{};
    if (::stat(file_.c_str(), &about) != 0 || about.st_size == size_) return kDone;
    size_ = about.st_size;
    auto records = loop::read_events(folder_);
    if (!records) return fail(records);
    std::string text;
    for (; printed_ < records->size(); printed_++) {
      const json::object& each = (*records)[printed_];
      const auto kind = wire::text(each, "kind");
      ended_ = ended_ || kind == "ended";
      if (options_.all || kind == "event") text += line_of(each, options_);
    }
    return text.empty() ? kDone : print(text);
  }
  bool ended() const { return ended_; }

 private:
  const LoopEventsOptions& options_;
  std::string folder_;
  std::string file_;
  off_t size_ = 0;
  size_t printed_ = 0;
  bool ended_ = false;
};

Result<bool> still_runs(wire::Client& client, const std::string& loop) {
  auto found = find_loop(client, loop);
  if (!found && found.error().sys == ECONNRESET) {
    auto next = reach_daemon();
    if (!next) return fail(next);
    client = std::move(*next);
    return true;
  }
  if (!found) return fail(found);
  return found->runs();
}

Result<int> show(const LoopEventsOptions& options) {
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto found = find_loop(*client, options.name);
  if (!found) return fail(found);
  Reader reader(options, found->standing.folder);
  bool runs = options.follow && found->runs();
  for (int looks = 0;; looks++) {
    // Asked before the look: what was written until it ended is seen by it.
    if (runs && looks % kLooksPerQuestion == kLooksPerQuestion - 1) {
      auto still = still_runs(*client, found->standing.id);
      if (!still) return fail(still);
      runs = *still;
    }
    auto code = reader.print_new();
    if (!code || *code != kDone || reader.ended() || !runs) return code;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

int loop_events(const LoopEventsOptions& options) { return finish(show(options)); }

}  // namespace cli
