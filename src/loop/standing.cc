// SPDX-License-Identifier: Apache-2.0
// What the folders of loops tell, read by others than their runners.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include "base/ids.h"
#include "base/lock.h"
#include "loop/record.h"
#include "loop/text.h"
#include "wire/params.h"

namespace loop {
namespace {

using base::Code;
using base::fail;
using base::Fd;
using base::Result;

constexpr size_t kLongestLine = 1 << 20;

// Whole lines only; one that cannot be read is passed over. The function says whether to go on.
template <typename Take>
Result<void> each_event(const std::string& folder, const Take& take) {
  const std::string path = folder + "/events.jsonl";
  std::ifstream file(path, std::ios::binary);
  // A loop whose runner has not begun has none.
  if (!file) {
    if (errno == ENOENT) return {};
    return fail(Code::internal, errno, "cannot read " + path);
  }
  std::string line;
  while (std::getline(file, line) && !file.eof()) {
    if (line.size() > kLongestLine) continue;
    boost::system::error_code wrong;
    json::value value = json::parse(line, wrong);
    if (!wrong && value.is_object()) take(std::move(value.get_object()));
  }
  return {};
}

int64_t modified_at(const std::string& path) {
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0) return 0;
  return static_cast<int64_t>(about.st_mtim.tv_sec) * 1'000'000 + about.st_mtim.tv_nsec / 1000;
}

void note(Standing& standing, const json::object& event) {
  const std::string kind = wire::text(event, "kind").value_or("");
  const auto at = parse_iso_time(wire::text(event, "at").value_or(""));
  if (const auto iteration = wire::integer(event, "iteration"))
    standing.iteration = static_cast<int>(*iteration);
  if (kind == "started") {
    standing.session = wire::text(event, "session").value_or("");
    standing.name = wire::text(event, "name").value_or("");
    standing.backend = wire::text(event, "backend").value_or("");
    standing.mode = mode_named(wire::text(event, "mode").value_or("")).value_or(standing.mode);
    standing.started_at = at.value_or(standing.started_at);
  } else if (kind == "iteration.started") {
    standing.phase = "running";
  } else if (kind == "promise" && wire::flag(event, "verify")) {
    standing.phase = "verifying";
  } else if (kind == "iteration.ended") {
    standing.phase = wire::text(event, "how") == "limit" ? "waiting" : "cooling";
  } else if (kind == "ended") {
    standing.phase = "ended";
    standing.ended_at = at.value_or(0);
    standing.exit_code = static_cast<int>(wire::integer(event, "exit_code").value_or(1));
    standing.why = wire::text(event, "why").value_or("");
  }
}

std::vector<std::string> loop_folders(const std::string& loops_folder) {
  std::vector<std::string> found;
  std::error_code reason;
  for (std::filesystem::directory_iterator each(loops_folder, reason), end; !reason && each != end;
       each.increment(reason)) {
    std::error_code ignored;
    if (base::is_id(each->path().filename().string()) && each->is_directory(ignored))
      found.push_back(each->path().string());
  }
  return found;
}

bool has_runner(const std::string& folder) {
  const Fd events(::open((folder + "/events.jsonl").c_str(), O_RDONLY | O_CLOEXEC));
  return events && base::is_locked(events.get());
}

}  // namespace

Result<std::vector<json::object>> read_events(const std::string& folder, size_t most) {
  std::vector<json::object> events;
  auto read = each_event(folder, [&](json::object event) {
    events.push_back(std::move(event));
    // Not one by one: that would move all of them each time.
    if (events.size() / 2 > most)
      events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(most));
  });
  if (!read) return fail(read);
  if (events.size() > most) events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(most));
  return events;
}

Result<Standing> read_standing(const std::string& folder) {
  auto plan = read_plan(folder);
  if (!plan) return fail(plan);
  Standing standing;
  standing.id = plan->id;
  standing.folder = folder;
  standing.mode = plan->mode;
  standing.started_at = modified_at(folder + "/plan.json");
  auto read = each_event(folder, [&](const json::object& event) { note(standing, event); });
  if (!read) return fail(read);
  return standing;
}

std::vector<Standing> all_standings(const std::string& loops_folder) {
  std::vector<Standing> all;
  for (const std::string& folder : loop_folders(loops_folder)) {
    // One that is being made, or removed, is not there.
    if (auto standing = read_standing(folder)) all.push_back(std::move(*standing));
  }
  std::sort(all.begin(), all.end(),
            [](const Standing& a, const Standing& b) { return a.started_at > b.started_at; });
  return all;
}

void remove_old(const std::string& loops_folder, base::WallTime before) {
  const int64_t limit =
      std::chrono::duration_cast<std::chrono::microseconds>(before.time_since_epoch()).count();
  for (const std::string& folder : loop_folders(loops_folder)) {
    const int64_t last = std::max(modified_at(folder + "/plan.json"), modified_at(folder + "/events.jsonl"));
    if (last >= limit || last == 0 || has_runner(folder)) continue;
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
}

}  // namespace loop
