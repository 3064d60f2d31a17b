// SPDX-License-Identifier: Apache-2.0
#include "sandbox/overlay_folder.h"

#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

namespace sandbox {
namespace {

// Deeper than this no program of ours has made it, and the stack has an end.
constexpr int kMostLevels = 1000;

void empty(int folder, int levels) {
  base::Fd copy(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!copy || levels == 0) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> list(::fdopendir(copy.release()), ::closedir);
  while (const dirent* entry = list ? ::readdir(list.get()) : nullptr) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    if (::unlinkat(folder, entry->d_name, 0) == 0) continue;
    // Never through a link: another process of the user may be at work in here.
    const base::Fd path(::openat(folder, entry->d_name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!path) continue;
    ::chmod(("/proc/self/fd/" + std::to_string(path.get())).c_str(), 0700);
    const base::Fd inner(::openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (inner) empty(inner.get(), levels - 1);
    ::unlinkat(folder, entry->d_name, AT_REMOVEDIR);
  }
}

}  // namespace

void remove_overlay(const std::string& folder) {
  const base::Fd top(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!top) return;
  empty(top.get(), kMostLevels);
  ::rmdir(folder.c_str());
}

}  // namespace sandbox
