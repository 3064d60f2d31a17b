// SPDX-License-Identifier: Apache-2.0
// The loops that there are and were: what their runners wrote down, and what the daemon knows of their
// sessions.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "loop/record.h"
#include "wire/client.h"

namespace cli {

struct KnownLoop {
  loop::Standing standing;
  std::optional<wire::json::object> session = {};  // nothing: the daemon has forgotten it

  std::string name() const;
  bool runs() const;
  // "running", "waiting for the limit", …; or why it ended.
  std::string state() const;
};

// Newest first.
base::Result<std::vector<KnownLoop>> known_loops(wire::Client& client);

// By name, or by the id of the session or the loop. Of several with one name the one that runs, or else the
// newest.
base::Result<KnownLoop> find_loop(wire::Client& client, const std::string& name);
// That runs; the only one where no name is given.
base::Result<KnownLoop> find_running_loop(wire::Client& client, const std::string& name);

}  // namespace cli
