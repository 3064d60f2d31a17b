// SPDX-License-Identifier: Apache-2.0
#include "sandbox/identity.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "sandbox/features.h"

namespace sandbox {
namespace {

using base::Code;
using base::fail;
using base::Result;

// Beyond what systems give to people, services and containers (up to 0x6FFFFFFF).
constexpr uint32_t kFirst = 0x70000000;
constexpr uint32_t kCount = 65536;
constexpr uint32_t kEverybody = 4294967295U;

// In the namespace of the machine itself; another one has a part of the numbers only.
bool has_all_numbers() {
  std::FILE* file = std::fopen("/proc/self/uid_map", "re");
  if (file == nullptr) return false;
  unsigned inside = 1;
  unsigned outside = 1;
  unsigned count = 0;
  const int fields = std::fscanf(file, "%u %u %u", &inside, &outside, &count);
  std::fclose(file);
  return fields == 3 && inside == 0 && outside == 0 && count == kEverybody;
}

Result<void> write_file(pid_t pid, const char* name, const std::string& text) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + name;
  const base::Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return {};
  return std::unexpected(missing(Feature::user_namespaces, errno));
}

std::string line(uint32_t inside, uint32_t outside, uint32_t count) {
  return std::to_string(inside) + " " + std::to_string(outside) + " " + std::to_string(count) + "\n";
}

}  // namespace

Identity Identity::find() {
  Identity identity;
  identity.mapped_ = ::geteuid() == 0 && has_all_numbers();
  return identity;
}

Result<void> Identity::write_maps(pid_t pid) const {
  if (mapped_) {
    if (auto done = write_file(pid, "uid_map", line(0, kFirst, kCount)); !done) return done;
    return write_file(pid, "gid_map", line(0, kFirst, kCount));
  }
  if (auto done = write_file(pid, "uid_map", line(::geteuid(), ::geteuid(), 1)); !done) return done;
  // Otherwise the kernel allows no map of groups: leaving a group could open what the group is kept out of.
  if (auto done = write_file(pid, "setgroups", "deny"); !done) return done;
  return write_file(pid, "gid_map", line(::getegid(), ::getegid(), 1));
}

Result<void> Identity::take_on() const {
  if (!mapped_) return {};
  // Not by the C library, which waits for every thread that it knows of: those are of the process that was
  // cloned.
  if (::syscall(SYS_setgroups, 0, nullptr) != 0 || ::syscall(SYS_setresgid, 0, 0, 0) != 0 ||
      ::syscall(SYS_setresuid, 0, 0, 0) != 0)
    return fail(Code::pty_spawn_failed, errno, "cannot become the sandbox's own root");
  return {};
}

}  // namespace sandbox
