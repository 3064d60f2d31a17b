// SPDX-License-Identifier: Apache-2.0
#include "pty/probe_proc.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

namespace pty::probe {
namespace {

constexpr size_t kLongestName = 15;

base::Fd open_to_read(const Path& path, int flags = 0) {
  return base::Fd(::open(path.text, O_RDONLY | O_CLOEXEC | flags));
}

// Of what stat(5) says, closed by a zero byte.
std::optional<TaskState> parse_state(std::string_view text) {
  // The name in parentheses may itself hold blanks and parentheses; behind the last one the fields are plain.
  const size_t name_begin = text.find('(');
  const size_t name_end = text.rfind(')');
  if (name_begin == std::string_view::npos || name_end < name_begin || name_end + 4 >= text.size()) return {};
  TaskState task_state;
  task_state.name = text.substr(name_begin + 1, std::min(name_end - name_begin - 1, kLongestName));
  task_state.state = text[name_end + 2];
  const char* at = text.data() + name_end + 3;
  long fields[21] = {};
  for (int number = 4; number <= 20; number++) {
    char* end = nullptr;
    fields[number] = std::strtol(at, &end, 10);
    at = end;
  }
  task_state.group = static_cast<pid_t>(fields[5]);
  task_state.session = static_cast<pid_t>(fields[6]);
  task_state.terminal = unpack_device(static_cast<uint32_t>(fields[7]));
  task_state.foreground = static_cast<pid_t>(fields[8]);
  task_state.threads = static_cast<int>(fields[20]);
  return task_state;
}

}  // namespace

// The minor's low byte, twelve bits of the major, the rest of the minor.
dev_t unpack_device(uint32_t packed) {
  return makedev(packed >> 8 & 0xFFF, (packed & 0xFF) | (packed >> 12 & 0xFFF00));
}

Path task_path(Task task, const char* file) {
  Path path;
  std::snprintf(path.text, sizeof path.text, "/proc/%d/task/%d/%s", task.pid, task.tid, file);
  return path;
}

Path task_path(Task task, const char* folder, int numbered) {
  Path path;
  std::snprintf(path.text, sizeof path.text, "/proc/%d/task/%d/%s/%d", task.pid, task.tid, folder, numbered);
  return path;
}

ProcText read_once(const Path& path, std::span<char> into) {
  const base::Fd file = open_to_read(path);
  if (!file) return {{}, errno};
  const ssize_t n = ::read(file.get(), into.data(), into.size() - 1);
  if (n < 0) return {{}, errno};
  into[static_cast<size_t>(n)] = '\0';
  return {{into.data(), static_cast<size_t>(n)}, 0};
}

Pieces::Pieces(const Path& path, char separator) : file_(open_to_read(path)), separator_(separator) {}

std::optional<std::string_view> Pieces::next() {
  for (;;) {
    const std::string_view held(buffer_.data() + begin_, end_ - begin_);
    if (const size_t length = held.find(separator_); length != std::string_view::npos) {
      begin_ += length + 1;
      return held.substr(0, length);
    }
    std::memmove(buffer_.data(), held.data(), held.size());
    begin_ = 0;
    end_ = held.size();
    const ssize_t n = file_ && end_ < buffer_.size()
                          ? ::read(file_.get(), buffer_.data() + end_, buffer_.size() - end_)
                          : 0;
    if (n > 0) {
      end_ += static_cast<size_t>(n);
      continue;
    }
    file_.reset();
    if (end_ == 0) return {};
    return std::string_view(buffer_.data(), std::exchange(end_, 0));
  }
}

Numbers::Numbers(const Path& path) : folder_(open_to_read(path, O_DIRECTORY)) {}

std::optional<int> Numbers::next() {
  for (;;) {
    if (at_ == end_) {
      // Not opendir(), whose buffer of 32 KiB would stay with the keeper.
      const ssize_t n = folder_ ? ::getdents64(folder_.get(), buffer_.data(), buffer_.size()) : 0;
      if (n <= 0) return {};
      at_ = 0;
      end_ = static_cast<size_t>(n);
    }
    const auto* entry = reinterpret_cast<const dirent64*>(buffer_.data() + at_);
    at_ += entry->d_reclen;
    int number = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    const auto [stop, error] = std::from_chars(entry->d_name, end, number);
    if (error == std::errc() && stop == end) return number;
  }
}

std::optional<uint64_t> number_after(std::string_view text, std::string_view label, int base) {
  const size_t at = text.find(label);
  if (at == std::string_view::npos) return {};
  const size_t begin = text.find_first_not_of(" \t", at + label.size());
  uint64_t number = 0;
  if (begin == std::string_view::npos ||
      std::from_chars(text.data() + begin, text.data() + text.size(), number, base).ec != std::errc())
    return {};
  return number;
}

std::optional<TaskState> state_of(Task task) {
  char buffer[512];
  return parse_state(read_once(task_path(task, "stat"), buffer).text);
}

StateFile::StateFile(Task task) : file_(open_to_read(task_path(task, "stat"))) {}

std::optional<TaskState> StateFile::now() const {
  char buffer[512];
  const ssize_t n = file_ ? ::pread(file_.get(), buffer, sizeof buffer - 1, 0) : 0;
  const std::string_view text(buffer, n > 0 ? static_cast<size_t>(n) : 0);
  buffer[text.size()] = '\0';
  return parse_state(text);
}

Turns::Turns(Task task) : file_(open_to_read(task_path(task, "schedstat"))) {}

uint64_t Turns::now() const {
  char buffer[128];
  const ssize_t n = file_ ? ::pread(file_.get(), buffer, sizeof buffer - 1, 0) : 0;
  const std::string_view text(buffer, n > 0 ? static_cast<size_t>(n) : 0);
  buffer[text.size()] = '\0';
  const size_t last = text.rfind(' ');
  return last == std::string_view::npos ? 0 : std::strtoull(text.data() + last, nullptr, 10);
}

bool ignores_all(Task task, std::span<const int> signals) {
  Pieces lines(task_path(task, "status"), '\n');
  while (const auto line = lines.next()) {
    if (!line->starts_with("SigIgn:")) continue;
    const uint64_t mask = number_after(*line, ":", 16).value_or(0);
    return std::all_of(signals.begin(), signals.end(),
                       [&](int signo) { return (mask >> (signo - 1) & 1) != 0; });
  }
  return false;
}

bool peek(Task task, uint64_t address, void* into, size_t size) {
  const iovec here{into, size};
  const iovec there{reinterpret_cast<void*>(address), size};  // NOLINT(performance-no-int-to-ptr)
  return ::process_vm_readv(task.tid, &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

}  // namespace pty::probe
