// SPDX-License-Identifier: Apache-2.0
// From the settings of a session to the plan of its sandbox: what is bound where, what is hidden, and what
// nobody may ask for.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "sandbox/plan.h"
#include "store/records.h"

namespace session {

// What the daemon knows of the machine.
struct SandboxPlace {
  std::vector<std::string> hidden = {};  // tend's own folders
  std::vector<std::string> homes = {};   // the user's; the first is $HOME
  std::string overlays_folder = {};      // for what goes with the session
  std::string proxy_program = {};
};

base::Result<sandbox::Plan> make_plan(const config::Sandbox& settings, const store::SessionRecord& session,
                                      const SandboxPlace& place);

// How programs find the proxy, where there is one.
void add_proxy(const config::Sandbox& settings, std::vector<std::string>& env);

}  // namespace session
