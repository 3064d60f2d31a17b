// SPDX-License-Identifier: Apache-2.0
#include "sandbox/calls.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sandbox::calls {
namespace {

constexpr unsigned kEmptyPath = 0x1000;      // AT_EMPTY_PATH
constexpr unsigned kRecursive = 0x8000;      // AT_RECURSIVE
constexpr unsigned kNoAutomount = 0x800;     // AT_NO_AUTOMOUNT
constexpr unsigned kFromEmpty = 0x00000004;  // MOVE_MOUNT_F_EMPTY_PATH
constexpr unsigned kToEmpty = 0x00000040;    // MOVE_MOUNT_T_EMPTY_PATH

}  // namespace

base::Fd clone_tree(int folder, const char* path, Depth depth) {
  const unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | kNoAutomount |
                         (depth == Depth::all ? kRecursive : 0) | (*path == '\0' ? kEmptyPath : 0);
  return base::Fd(static_cast<int>(::syscall(SYS_open_tree, folder, path, flags)));
}

int set_attributes(int tree, MountAttributes attributes) {
  return static_cast<int>(
      ::syscall(SYS_mount_setattr, tree, "", kEmptyPath | kRecursive, &attributes, sizeof attributes));
}

int attach(int tree, int target) {
  return static_cast<int>(::syscall(SYS_move_mount, tree, "", target, "", kFromEmpty | kToEmpty));
}

base::Fd open_in(int root, const std::string& path, uint64_t flags) {
  OpenHow how{.flags = flags | O_CLOEXEC, .mode = 0, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
  return base::Fd(static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how)));
}

int pivot_root(const char* fresh, const char* old) {
  return static_cast<int>(::syscall(SYS_pivot_root, fresh, old));
}

base::Fd open_filesystem(const char* type) {
  return base::Fd(static_cast<int>(::syscall(SYS_fsopen, type, FSOPEN_CLOEXEC)));
}

int configure(int filesystem, const char* key, const char* value) {
  const int command = key == nullptr     ? FSCONFIG_CMD_CREATE
                      : value == nullptr ? FSCONFIG_SET_FLAG
                                         : FSCONFIG_SET_STRING;
  return static_cast<int>(::syscall(SYS_fsconfig, filesystem, command, key, value, 0));
}

base::Fd make_mount(int filesystem, unsigned attributes) {
  return base::Fd(static_cast<int>(::syscall(SYS_fsmount, filesystem, FSMOUNT_CLOEXEC, attributes)));
}

int open_pidfd(int pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

}  // namespace sandbox::calls
