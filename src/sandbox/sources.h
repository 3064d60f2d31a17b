// SPDX-License-Identifier: Apache-2.0
// Sources: what of the host goes into a sandbox, as mounts that are attached nowhere yet. An ordinary user
// takes them inside the new namespaces, as themself. For root they are taken outside, and mapped: the root of
// the sandbox is another user on the host, and only in these folders it passes for root.
#pragma once
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "sandbox/plan.h"

namespace sandbox {

struct Sources {
  // A folder of / below an overlay. One with other mounts in it may not be a layer, and is shown as it is.
  struct Top {
    std::string name;
    base::Fd tree;
    bool layer = false;
  };
  std::vector<base::Fd> binds;  // as in the plan
  std::vector<Top> tops;
  base::Fd overlay;  // with upper/NAME and spare/NAME for each
};

// `user_namespace`: to map into, or -1.
base::Result<Sources> take_sources(const Plan& plan, int user_namespace);

// The folder behind the descriptor through a mount of its own that is mapped.
base::Result<base::Fd> map_folder(int folder, int user_namespace);

}  // namespace sandbox
