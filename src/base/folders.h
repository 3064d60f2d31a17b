// SPDX-License-Identifier: Apache-2.0
// Where tend keeps its files: $TEND_HOME/{run,state,config} if that is set, else tend's folders below
// $XDG_STATE_HOME and $XDG_CONFIG_HOME with their usual defaults. The sockets are in the state's own `run`,
// for they must be found for as long as sessions live: $XDG_RUNTIME_DIR goes with the user's last login, and
// is not set for all that the user starts.
#pragma once
#include <functional>
#include <string>

#include "base/result.h"

namespace base {

struct Folders {
  std::string runtime;  // sockets
  std::string state;    // store, journals, logs
  std::string config;
};

// `lookup` is std::getenv, or a test's own.
Result<Folders> find_folders(const std::function<const char*(const char*)>& lookup);

// Makes the folder, and those above it, if it is not there, mode 0700. One that belongs to somebody else or
// that others may enter, or a link in its place, is an error that says so.
Result<void> make_private_folder(const std::string& path);

}  // namespace base
