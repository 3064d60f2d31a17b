// SPDX-License-Identifier: Apache-2.0
// The runner: the process that a loop's session leads with. It starts the agent again and again, in a
// terminal that it asks the daemon for or with pipes of its own, watches what it says, ends it when it is
// idle, and decides when the loop is over. It prints what it does on its own terminal, PTY 0 of the session.
// SIGINT ends agent and loop (130), SIGQUIT at once, SIGTERM stops the loop (1). A daemon that is killed is
// waited for; if the runner is killed, the keeper ends what it has started.
#pragma once
#include <functional>
#include <string>

#include "base/result.h"
#include "wire/client.h"

namespace loop {

struct Surroundings {
  std::string folder;   // of the loop
  std::string session;  // id
  // To the daemon that runs. It does not start one: that would be a child of the session, and end with it.
  // The session's keeper brings a daemon back.
  std::function<base::Result<wire::Client>()> connect;
};

// Gives the exit code of the loop.
base::Result<int> run(const Surroundings& surroundings);

}  // namespace loop
