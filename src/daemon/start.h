// SPDX-License-Identifier: Apache-2.0
// A command's way to the daemon: the one that runs, or one that it starts.
#pragma once
#include <string>

#include "base/folders.h"
#include "base/result.h"
#include "wire/client.h"

namespace host {

// Starts a daemon if none is there, and connects. `program` is the path of tend.
base::Result<wire::Client> reach(const base::Folders& folders, const std::string& program,
                                 const wire::Greeting& greeting);

// Only the one that is there; nobody is an error with sys ENOENT or ECONNREFUSED.
base::Result<wire::Client> reach_running(const base::Folders& folders, const wire::Greeting& greeting);

}  // namespace host
