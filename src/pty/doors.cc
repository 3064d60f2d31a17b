// SPDX-License-Identifier: Apache-2.0
#include "pty/doors.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/unix_socket.h"

namespace pty::keeper {
namespace {

using base::Code;
using base::fail;
using base::Fd;

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

}  // namespace

base::Result<Doors> Doors::open(const std::string& socket_path, const std::string& journals_folder) {
  Doors doors;
  doors.journals_.reset(::open(journals_folder.c_str(), kFolder | O_NOFOLLOW));
  if (!doors.journals_) return fail(Code::internal, errno, "cannot open " + journals_folder);
  const size_t slash = socket_path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : socket_path.substr(0, slash + 1);
  doors.name_ = "." + socket_path.substr(slash + 1);
  doors.sockets_.reset(::open(folder.c_str(), kFolder));
  if (!doors.sockets_) return fail(Code::internal, errno, "cannot open " + folder);
  // One that was killed before it was wanted may have left the name.
  doors.remove_name();
  auto listener = base::listen_at(folder + "/" + doors.name_);
  if (!listener) return fail(listener);
  doors.listener_ = std::move(*listener);
  return doors;
}

base::Result<void> Doors::show() {
  const std::string shown = name_.substr(1);
  struct stat journals{};
  if (::fstat(journals_.get(), &journals) != 0 || journals.st_nlink == 0)
    return fail(Code::internal, ENOENT, "the folder of journals has gone");
  if (::renameat(sockets_.get(), name_.c_str(), sockets_.get(), shown.c_str()) != 0)
    return fail(Code::internal, errno, "cannot name the socket " + shown);
  name_ = shown;
  return {};
}

void Doors::replace_folders(Fd sockets, Fd journals) {
  sockets_ = std::move(sockets);
  journals_ = std::move(journals);
}

bool Doors::has_name() const { return ::faccessat(sockets_.get(), name_.c_str(), F_OK, 0) == 0; }

void Doors::remove_name() const { ::unlinkat(sockets_.get(), name_.c_str(), 0); }

}  // namespace pty::keeper
