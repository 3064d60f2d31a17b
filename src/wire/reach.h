// SPDX-License-Identifier: Apache-2.0
// A command's way to the daemon: the one that runs, or one that it starts.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/folders.h"
#include "base/result.h"
#include "wire/client.h"

namespace wire {

std::string socket_path(const base::Folders& folders);

// Starts tend-daemon with this environment and nothing else of this process. What it says of itself: "ok",
// "busy" (another one was faster), or what is wrong; nothing if it died without a word.
base::Result<std::string> launch_daemon(const std::string& program, std::vector<std::string> environment);

// Starts a daemon if none is there, and connects. `program` is the path of tend-daemon, or why
// there is none.
base::Result<Client> reach(const base::Folders& folders, const base::Result<std::string>& program,
                           const Greeting& greeting);

// Only the one that is there; nobody is an error with sys ENOENT or ECONNREFUSED.
base::Result<Client> reach_running(const base::Folders& folders, const Greeting& greeting);

// The same, or nothing if none runs. One that begins or ends just now is waited for; one that nobody can
// reach, because its socket was removed or it is on another machine, is an error.
base::Result<std::optional<Client>> find_running(const base::Folders& folders, const Greeting& greeting);

}  // namespace wire
