// SPDX-License-Identifier: Apache-2.0
#include "sandbox/control_limits.h"

#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "pty/control_group.h"
#include "sandbox/features.h"

namespace sandbox {
namespace {

using base::Fd;
using base::Result;

constexpr uint64_t kPeriod = 100'000;  // of cpu.max, in microseconds

std::string needed(const Limits& limits) {
  std::string text;
  if (limits.memory != 0) text += " +memory";
  if (limits.pids != 0) text += " +pids";
  if (limits.cpu_percent != 0) text += " +cpu";
  return text.empty() ? text : text.substr(1);
}

int put(int folder, const char* file, std::string_view text) {
  const Fd fd(::openat(folder, file, O_WRONLY | O_CLOEXEC));
  if (!fd) return errno;
  return ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : errno;
}

int set(int folder, const Limits& limits) {
  int reason = 0;
  const auto put_if = [&](uint64_t value, const char* file, const std::string& text) {
    if (value != 0 && reason == 0) reason = put(folder, file, text);
  };
  put_if(limits.memory, "memory.max", std::to_string(limits.memory));
  put_if(limits.pids, "pids.max", std::to_string(limits.pids));
  put_if(limits.cpu_percent, "cpu.max",
         std::to_string(limits.cpu_percent * kPeriod / 100) + " " + std::to_string(kPeriod));
  // Beyond the bound there is an end, and not a slow life in swap. Not every kernel has it.
  if (limits.memory != 0) (void)put(folder, "memory.swap.max", "0");
  return reason;
}

}  // namespace

// A group with processes in it can hand no controllers on, so the new one usually stands beside this
// process's own, below the one that was delegated.
Result<ControlLimits> ControlLimits::make(const std::string& name, const Limits& limits) {
  int reason = ENOENT;
  std::string at = pty::own_control_group();
  for (int level = 0; level < 2 && !at.empty(); level++) {
    Fd parent(::open(at.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    at.resize(at.rfind('/') == std::string::npos ? 0 : at.rfind('/'));
    if (!parent) continue;
    (void)put(parent.get(), "cgroup.subtree_control", needed(limits));
    if (::mkdirat(parent.get(), name.c_str(), 0755) != 0) {
      reason = errno;
      continue;
    }
    Fd folder(::openat(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ControlLimits made(std::move(parent), std::move(folder), name);
    reason = made.folder_ ? set(made.folder_.get(), limits) : errno;
    if (reason == 0) return made;
  }
  return std::unexpected(missing(Feature::cgroup_limits, reason));
}

ControlLimits::~ControlLimits() {
  if (parent_) ::unlinkat(parent_.get(), name_.c_str(), AT_REMOVEDIR);
}

Result<void> ControlLimits::add(pid_t pid) const {
  const int reason = put(folder_.get(), "cgroup.procs", std::to_string(pid));
  if (reason != 0) return std::unexpected(missing(Feature::cgroup_limits, reason));
  return {};
}

int try_limits() {
  const Limits some{.memory = 1ULL << 30, .pids = 1000, .cpu_percent = 100};
  auto made = ControlLimits::make("tend-doctor-" + std::to_string(::getpid()), some);
  if (made) return 0;
  return made.error().sys;
}

}  // namespace sandbox
