// SPDX-License-Identifier: Apache-2.0
#include "daemon/log_file.h"

#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/strings.h"
#include "daemon/describe.h"
#include "store/store.h"

namespace host {
namespace {

constexpr off_t kMostBytes = 1 << 20;
constexpr size_t kMostLine = 2000;

class LogFile {
 public:
  explicit LogFile(std::string path) : path_(std::move(path)) { open(); }

  void write(base::log::Level level, std::string_view line) {
    const std::lock_guard lock(mutex_);
    struct stat about{};
    if (file_ && ::fstat(file_.get(), &about) == 0 && about.st_size > kMostBytes) {
      std::rename(path_.c_str(), (path_ + ".1").c_str());
      open();
    }
    const std::string text = fmt::format("{} {} {}\n", to_time(store::wall_now()),
                                         base::log::level_name(level), base::printable(line, kMostLine));
    if (file_) (void)base::write_all(file_.get(), text);
  }

 private:
  void open() {
    file_.reset(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  }

  std::mutex mutex_;
  std::string path_;
  base::Fd file_;
};

}  // namespace

void write_log_to(const std::string& path) {
  auto file = std::make_shared<LogFile>(path);
  base::log::set_sink([file](base::log::Level level, std::string_view line) { file->write(level, line); },
                      base::log::Level::info);
}

}  // namespace host
