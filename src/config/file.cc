// SPDX-License-Identifier: Apache-2.0
#include "config/file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "config/yaml.h"

namespace config {
namespace {

std::unexpected<Problem> fail(const std::string& path, int sys, std::string what) {
  return std::unexpected(
      Problem{{path.empty() ? "''" : path, 0, 0}, "", base::Error{{}, sys, std::move(what)}.message()});
}

}  // namespace

std::expected<std::optional<std::string>, Problem> read_file(const std::string& path, Found found) {
  // Without O_NONBLOCK a FIFO in its place would hang us here.
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) {
    if (found != Found::by_name && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
    return fail(path, errno, "cannot be opened");
  }
  struct stat seen{};
  if (::fstat(file.get(), &seen) != 0) return fail(path, errno, "cannot be looked at");
  if (!S_ISREG(seen.st_mode)) return fail(path, 0, "is not a regular file");
  if (found == Found::in_folder && seen.st_uid != ::geteuid() && seen.st_uid != 0)
    return fail(path, 0, "belongs to another user (if you trust it: tend --config " + path + " …)");
  // One byte more than is allowed tells a file that has grown since from one that fits.
  std::string text(kMostBytes + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t n = ::read(file.get(), text.data() + size, text.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(path, errno, "cannot be read");
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  if (size > kMostBytes) return fail(path, 0, "is too large (1 MiB at most)");
  text.resize(size);
  return text;
}

}  // namespace config
