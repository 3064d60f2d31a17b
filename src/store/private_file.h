// SPDX-License-Identifier: Apache-2.0
// Files that hold secrets or evidence: of this user, mode 0600, never through a symbolic link, on the disk
// with their names before anyone is told of them.
#pragma once
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace store {

// The folder of `path` with every link in it resolved, and the file's name behind it: links above are the
// user's own affair, one in place of the file is not followed.
base::Result<std::string> resolve_folder(const std::string& path);

// True: it is there, a regular file of this user's that nobody else may read or write. An error says what it
// is instead. Opens nothing: closing any descriptor of a database would drop SQLite's locks on it.
base::Result<bool> is_private_file(const std::string& path);

// Must not be there yet.
base::Result<base::Fd> make_private_file(const std::string& path);

base::Result<std::string> read_private_file(const std::string& path);

// Renames, and syncs the folder. Fails if the new name is taken.
base::Result<void> rename_new(const std::string& from, const std::string& to);

base::Result<void> sync_file(int fd, const std::string& path);
base::Result<void> sync_folder_of(const std::string& path);

}  // namespace store
