// SPDX-License-Identifier: Apache-2.0
#include "loop/record.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folders.h"
#include "base/lock.h"
#include "loop/text.h"
#include "wire/params.h"

namespace loop {
namespace {

using base::Code;
using base::fail;
using base::Fd;
using base::Result;

// Of one iteration's text; an agent that floods its screen does not fill the disk.
constexpr uint64_t kMostText = 16 << 20;
constexpr size_t kMostPlan = 4 << 20;

Result<Fd> open_private(const std::string& path, int flags) {
  Fd file(::open(path.c_str(), flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return fail(Code::internal, errno, "cannot write " + path);
  return file;
}

Result<void> write_line(int fd, std::string line) {
  line += '\n';
  auto written = base::write_all(fd, line);
  if (!written) written.error().what = "cannot write the loop's record";
  return written;
}

Result<std::string> read_plan_text(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return fail(Code::internal, errno, "cannot read " + path);
  std::string text(kMostPlan + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t n = ::read(file.get(), text.data() + size, text.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(Code::internal, errno, "cannot read " + path);
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  if (size > kMostPlan) return fail(Code::message_too_large, 0, path + " is too large");
  text.resize(size);
  return text;
}

}  // namespace

Result<Record> Record::open(const std::string& folder) {
  Record record;
  record.folder_ = folder;
  auto events = open_private(folder + "/events.jsonl", O_RDWR | O_APPEND);
  if (!events) return fail(events);
  record.events_ = std::move(*events);
  // Held for as long as the runner lives: a second one would mix its lines into these.
  const auto taken = base::take_lock(record.events_.get());
  if (!taken) return fail(Code::internal, taken.error().sys, "cannot lock " + folder + "/events.jsonl");
  if (!*taken) return fail(Code::pty_busy, 0, "another runner has the loop's folder");
  // A runner that was killed may have left half a line; what follows begins on one of its own.
  char last = '\n';
  const off_t size = ::lseek(record.events_.get(), 0, SEEK_END);
  if (size > 0 && ::pread(record.events_.get(), &last, 1, size - 1) == 1 && last != '\n') {
    if (auto closed = write_line(record.events_.get(), ""); !closed) return fail(closed);
  }
  return record;
}

Result<void> Record::add(std::string_view kind, json::object fields) {
  json::object line{{"at", iso_time(base::RealClock().wall())}, {"kind", kind}};
  for (auto& [name, value] : fields) line[name] = std::move(value);
  return write_line(events_.get(), json::serialize(line));
}

Result<void> Record::note_line(int iteration, std::string_view line) {
  if (iteration != lines_of_) {
    auto file = open_private(fmt::format("{}/iteration-{:04}.txt", folder_, iteration), O_WRONLY | O_APPEND);
    if (!file) return fail(file);
    struct stat about{};
    ::fstat(file->get(), &about);
    lines_ = std::move(*file);
    lines_of_ = iteration;
    text_bytes_ = static_cast<uint64_t>(about.st_size);
  }
  if (text_bytes_ > kMostText) return {};
  text_bytes_ += line.size() + 1;
  if (text_bytes_ > kMostText) line = "[what followed is not kept]";
  return write_line(lines_.get(), readable(line));
}

std::string loops_folder(const std::string& state_folder) { return state_folder + "/loops"; }

Result<std::string> create_folder(const std::string& loops_folder, const Plan& plan) {
  std::string folder = loops_folder + "/" + plan.id;
  if (auto made = base::make_private_folder(folder); !made) return fail(made);
  json::array extra(plan.extra.begin(), plan.extra.end());
  const json::object about{{"id", plan.id},
                           {"cwd", plan.cwd},
                           {"mode", name_of(plan.mode)},
                           {"settings", plan.settings},
                           {"extra", std::move(extra)}};
  auto file = open_private(folder + "/plan.json", O_WRONLY | O_EXCL);
  if (!file) return fail(file);
  if (auto written = write_line(file->get(), json::serialize(about)); !written) return fail(written);
  return folder;
}

Result<Plan> read_plan(const std::string& folder) {
  const std::string path = folder + "/plan.json";
  auto text = read_plan_text(path);
  if (!text) return fail(text);
  boost::system::error_code wrong;
  const json::value value = json::parse(*text, wrong);
  const json::object* about = wrong ? nullptr : value.if_object();
  const auto mode = about != nullptr ? mode_named(wire::text(*about, "mode").value_or("")) : std::nullopt;
  if (!mode) return fail(Code::internal, 0, path + " is no plan of a loop");
  return Plan{.id = wire::text(*about, "id").value_or(""),
              .cwd = wire::text(*about, "cwd").value_or(""),
              .mode = *mode,
              .settings = wire::text(*about, "settings").value_or(""),
              .extra = wire::texts(*about, "extra")};
}

}  // namespace loop
