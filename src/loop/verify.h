// SPDX-License-Identifier: Apache-2.0
// The command that must succeed before a promise is believed.
#pragma once
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "loop/child.h"
#include "loop/station.h"

namespace loop {

struct Verified {
  ChildEnd end;
  std::string output;  // its last 4,000 characters
};

// Shows what it prints.
base::Result<Verified> verify(Station& station, const std::string& command, const std::string& cwd,
                              base::Moment deadline);

}  // namespace loop
