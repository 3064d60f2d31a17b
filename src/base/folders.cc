// SPDX-License-Identifier: Apache-2.0
#include "base/folders.h"

#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

namespace base {
namespace {

// The value if it is an absolute path; the XDG specification has others ignored.
std::string absolute(const char* value) {
  return value != nullptr && value[0] == '/' ? std::string(value) : std::string();
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

Result<Folders> find_folders(const std::function<const char*(const char*)>& lookup) {
  if (const char* set = lookup("TEND_HOME"); set != nullptr && *set != '\0') {
    const std::string home = without_slashes(absolute(set));
    if (home.empty()) return fail(Code::invalid_param, 0, "TEND_HOME must be an absolute path");
    return Folders{home + "/run", home + "/state", home + "/config"};
  }
  const std::string user = without_slashes(absolute(lookup("HOME")));
  const auto place = [&](const char* variable, const char* below_home) {
    const std::string set = without_slashes(absolute(lookup(variable)));
    if (!set.empty()) return set + "/tend";
    return user.empty() ? std::string() : user + below_home + "/tend";
  };
  Folders folders;
  folders.state = place("XDG_STATE_HOME", "/.local/state");
  folders.config = place("XDG_CONFIG_HOME", "/.config");
  if (folders.state.empty() || folders.config.empty())
    return fail(Code::invalid_param, 0, "neither HOME nor TEND_HOME says where tend may keep its files");
  folders.runtime = folders.state + "/run";
  return folders;
}

Result<void> make_private_folder(const std::string& path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST)
      return fail(Code::internal, errno, "cannot make " + part);
    if (slash == std::string::npos) break;
  }
  const Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat seen{};
  if (!folder || ::fstat(folder.get(), &seen) != 0) return fail(Code::internal, errno, "cannot open " + path);
  if (seen.st_uid != ::geteuid()) return fail(Code::pty_access_denied, 0, path + " belongs to another user");
  if ((seen.st_mode & 077) != 0)
    return fail(Code::pty_access_denied, 0, path + " is open to other users (chmod 700 " + path + ")");
  return {};
}

}  // namespace base
