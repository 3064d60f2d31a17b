// SPDX-License-Identifier: Apache-2.0
// The daemon's log: lines in a file of bounded size, with one older file behind it.
#pragma once
#include <string>

namespace host {

// From now on the log goes there; where that is not possible, nowhere.
void write_log_to(const std::string& path);

}  // namespace host
