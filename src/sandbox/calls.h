// SPDX-License-Identifier: Apache-2.0
// System calls that a C library may not have yet, or has under other names: each as the kernel has it, -1
// with errno.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/fd.h"

namespace sandbox::calls {

struct OpenHow {
  uint64_t flags = 0;
  uint64_t mode = 0;
  uint64_t resolve = 0;
};

struct MountAttributes {
  uint64_t set = 0;
  uint64_t clear = 0;
  uint64_t propagation = 0;
  uint64_t user_namespace = 0;
};

// A copy of the mounts at `path` (empty: at the descriptor itself), attached nowhere.
enum class Depth { one, all };
base::Fd clone_tree(int folder, const char* path, Depth depth);
int set_attributes(int tree, MountAttributes attributes);
// Puts a detached tree over `target`.
int attach(int tree, int target);
// Relative to `root` as if that were /; never past it, never through /proc's magic links.
base::Fd open_in(int root, const std::string& path, uint64_t flags);
int pivot_root(const char* fresh, const char* old);
base::Fd open_filesystem(const char* type);
int configure(int filesystem, const char* key, const char* value);
base::Fd make_mount(int filesystem, unsigned attributes);
int open_pidfd(int pid);

}  // namespace sandbox::calls
