// SPDX-License-Identifier: Apache-2.0
#include "store/private_file.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace store {

using base::Code;
using base::fail;
using base::Fd;
using base::Result;

namespace {

constexpr size_t kMostBytes = 64 << 10;

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<void> check(const struct stat& seen, const std::string& path) {
  if (S_ISLNK(seen.st_mode))
    return fail(Code::internal, 0, path + " is a symbolic link, which is not followed");
  if (!S_ISREG(seen.st_mode)) return fail(Code::internal, 0, path + " is not a regular file");
  if (seen.st_uid != ::geteuid()) return fail(Code::internal, 0, path + " belongs to another user");
  if ((seen.st_mode & 077) != 0)
    return fail(Code::internal, 0, path + " is open to other users (chmod 600 it, if you trust it)");
  return {};
}

}  // namespace

Result<std::string> resolve_folder(const std::string& path) {
  const std::string folder = folder_of(path);
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(folder.c_str(), nullptr), &std::free);
  if (real == nullptr) return fail(Code::internal, errno, "cannot find the folder " + folder);
  std::string resolved = real.get();
  if (resolved != "/") resolved += '/';
  return resolved + path.substr(path.rfind('/') + 1);
}

Result<bool> is_private_file(const std::string& path) {
  struct stat seen{};
  if (::lstat(path.c_str(), &seen) != 0) {
    if (errno == ENOENT) return false;
    return fail(Code::internal, errno, "cannot look at " + path);
  }
  if (auto ok = check(seen, path); !ok) return fail(ok);
  return true;
}

Result<Fd> make_private_file(const std::string& path) {
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return fail(Code::internal, errno, "cannot make " + path);
  return file;
}

Result<std::string> read_private_file(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file && errno == ELOOP)
    return fail(Code::internal, 0, path + " is a symbolic link, which is not followed");
  if (!file) return fail(Code::internal, errno, "cannot open " + path);
  struct stat seen{};
  if (::fstat(file.get(), &seen) != 0) return fail(Code::internal, errno, "cannot look at " + path);
  if (auto ok = check(seen, path); !ok) return fail(ok);
  std::string text(kMostBytes, '\0');
  const ssize_t n = ::read(file.get(), text.data(), text.size());
  if (n < 0) return fail(Code::internal, errno, "cannot read " + path);
  text.resize(static_cast<size_t>(n));
  return text;
}

Result<void> rename_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) != 0)
    return fail(Code::internal, errno, "cannot rename " + from + " to " + to);
  return sync_folder_of(to);
}

Result<void> sync_file(int fd, const std::string& path) {
  if (::fsync(fd) != 0) return fail(Code::internal, errno, "cannot sync " + path);
  return {};
}

Result<void> sync_folder_of(const std::string& path) {
  const std::string name = folder_of(path);
  const Fd folder(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return fail(Code::internal, errno, "cannot open the folder " + name);
  return sync_file(folder.get(), name);
}

}  // namespace store
