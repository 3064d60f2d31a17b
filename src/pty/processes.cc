// SPDX-License-Identifier: Apache-2.0
#include "pty/processes.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"

namespace pty {
namespace {

constexpr size_t kMostOfAFile = 256 << 10;

std::string proc_file(pid_t pid, const char* name) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  const base::Fd fd(::open(path, O_RDONLY | O_CLOEXEC));
  std::string text;
  char piece[4096];
  while (fd && text.size() < kMostOfAFile) {
    const ssize_t n = ::read(fd.get(), piece, sizeof piece);
    if (n <= 0) break;
    text.append(piece, static_cast<size_t>(n));
  }
  return text;
}

template <typename T>
T next_number(const char*& at) {
  char* end = nullptr;
  const T value = static_cast<T>(std::strtoull(at, &end, 10));
  at = end;
  return value;
}

}  // namespace

std::optional<Process> look_at(pid_t pid) {
  const std::string text = proc_file(pid, "stat");
  // The name in parentheses may itself hold blanks and parentheses; behind the last one the fields are plain.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= text.size()) return {};
  Process process;
  process.pid = pid;
  process.state = text[name_end + 2];
  const char* at = text.c_str() + name_end + 3;
  process.parent = next_number<pid_t>(at);
  next_number<pid_t>(at);  // process group
  process.session = next_number<pid_t>(at);
  for (int field = 7; field < 22; field++) {
    while (*at == ' ') at++;
    while (*at != ' ' && *at != '\0') at++;
  }
  process.started = next_number<uint64_t>(at);
  return process;
}

std::vector<Process> all_processes() {
  std::vector<Process> list;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), ::closedir);
  if (!proc) return list;
  while (const dirent* entry = ::readdir(proc.get())) {
    pid_t pid = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    const auto [stop, error] = std::from_chars(entry->d_name, end, pid);
    if (error != std::errc() || stop != end) continue;
    if (const auto process = look_at(pid)) list.push_back(*process);
  }
  return list;
}

std::string environment_of(pid_t pid) { return proc_file(pid, "environ"); }

Hearing hearing_of(pid_t pid, int signo) {
  const std::string text = proc_file(pid, "status");
  const auto has = [&](std::string_view line) {
    const size_t at = text.find(line);
    if (at == std::string::npos) return false;
    return (std::strtoull(text.c_str() + at + line.size(), nullptr, 16) >> (signo - 1) & 1) != 0;
  };
  if (has("\nSigIgn:")) return Hearing::ignores;
  return has("\nSigBlk:") ? Hearing::blocks : Hearing::takes;
}

bool ignores_signal(pid_t pid, int signo) { return hearing_of(pid, signo) == Hearing::ignores; }

bool signal_process(const Process& process, int signo) {
  // The descriptor names whoever has the number now; if that is still the one we looked at, it stays the one.
  const base::Fd fd(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  if (!fd) return false;
  const auto now = look_at(process.pid);
  if (!now || !(*now == process)) return false;
  return ::syscall(SYS_pidfd_send_signal, fd.get(), signo, nullptr, 0) == 0;
}

}  // namespace pty
