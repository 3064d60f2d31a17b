// SPDX-License-Identifier: Apache-2.0
#include "sandbox/landlock.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sandbox {
namespace {

using base::Code;
using base::fail;

// As the newest kernel has it; an older one takes a part, by size.
struct Rules {
  uint64_t files = 0;
  uint64_t network = 0;
  uint64_t scoped = 0;
};

constexpr uint64_t kTruncate = 1ULL << 14;        // version 3
constexpr uint64_t kRefer = 1ULL << 13;           // version 2
constexpr uint64_t kAbstractSockets = 1ULL << 0;  // version 6

constexpr uint64_t kWriting = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                              LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                              LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                              LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                              LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr uint64_t kOfFiles = LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;

uint64_t rights(int version) {
  return kWriting | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0);
}

size_t size_of_rules(int version) {
  return version >= 6 ? sizeof(Rules) : version >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
}

}  // namespace

int Landlock::version() {
  const long found = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return std::max(0, static_cast<int>(found));
}

base::Result<Landlock> Landlock::make(const std::vector<std::string>& writable, Network network) {
  const int version = Landlock::version();
  Rules rules{.files = rights(version)};
  // In a network namespace of its own there are no others.
  if (version >= 6 && network == Network::host) rules.scoped = kAbstractSockets;
  Landlock landlock;
  landlock.rules_.reset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, size_of_rules(version), 0)));
  if (!landlock.rules_) return fail(Code::pty_spawn_failed, errno, "cannot make Landlock rules");
  for (const std::string& path : writable) {
    const base::Fd place(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat about{};
    if (!place || ::fstat(place.get(), &about) != 0)
      return fail(Code::pty_spawn_failed, errno, "cannot open " + path + " in the sandbox");
    landlock_path_beneath_attr below{};
    below.allowed_access = S_ISDIR(about.st_mode) ? rules.files : rules.files & kOfFiles;
    below.parent_fd = place.get();
    if (::syscall(SYS_landlock_add_rule, landlock.rules_.get(), LANDLOCK_RULE_PATH_BENEATH, &below, 0) != 0)
      return fail(Code::pty_spawn_failed, errno, "cannot let the sandbox write to " + path);
  }
  return landlock;
}

bool Landlock::restrict() const noexcept {
  return !rules_ || ::syscall(SYS_landlock_restrict_self, rules_.get(), 0) == 0;
}

}  // namespace sandbox
