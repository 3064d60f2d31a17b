// SPDX-License-Identifier: Apache-2.0
// Calls that wait for something of a PTY: new output, quiet, a text on the screen, the end of the program.
// They end when it comes, at their timeout, when the PTY is dead, or when their connection goes.
#pragma once
#include <memory>

#include "daemon/call.h"

namespace host {

void read_output(const std::shared_ptr<Call>& call);
void wait_for_state(const std::shared_ptr<Call>& call);

}  // namespace host
