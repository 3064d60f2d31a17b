// SPDX-License-Identifier: Apache-2.0
// Doors: the places of a keeper that are outside: where it listens, where it makes its journals. They are
// opened before anything else, and then used by descriptor only: in a sandbox their names lead nowhere.
#pragma once
#include <string>
#include <sys/types.h>

#include "base/fd.h"
#include "base/result.h"

namespace pty::keeper {

class Doors {
 public:
  // Listens at a name beside that of the socket, with a dot in front, until show() gives it the name itself.
  static base::Result<Doors> open(const std::string& socket_path, const std::string& journals_folder);
  // Fails too if a folder is not there any more.
  base::Result<void> show();

  int listener() const { return listener_.get(); }
  int journals() const { return journals_.get(); }
  int sockets() const { return sockets_.get(); }
  // The same folders seen through another mount.
  void replace_folders(base::Fd sockets, base::Fd journals);

  void stop_listening() { listener_.reset(); }

  // Whether the socket still has its name; takes the name away.
  bool has_name() const;
  void remove_name() const;

 private:
  base::Fd listener_;
  base::Fd journals_;
  base::Fd sockets_;  // the folder
  std::string name_;  // of the socket in it, as it is now
};

}  // namespace pty::keeper
