// SPDX-License-Identifier: Apache-2.0
#include "base/programs.h"

#include <filesystem>
#include <string_view>
#include <unistd.h>

namespace base {

namespace fs = std::filesystem;

std::string own_program() {
  std::error_code ignored;
  std::string path = fs::read_symlink("/proc/self/exe", ignored).string();
  // A program that was replaced while it runs.
  constexpr std::string_view kReplaced = " (deleted)";
  if (path.ends_with(kReplaced)) path.erase(path.size() - kReplaced.size());
  return path;
}

Result<std::string> find_program(const std::string& name, const std::string& from) {
  const fs::path here = fs::path(from).parent_path();
  const fs::path prefix = here.parent_path();
  for (const fs::path& place :
       {here / name, prefix / "libexec/tend" / name, prefix.parent_path() / "bin" / name}) {
    if (::access(place.c_str(), X_OK) == 0) return place.string();
  }
  return fail(Code::internal, 0,
              name + " is neither beside tend nor in its libexec folder; install tend again");
}

}  // namespace base
