// SPDX-License-Identifier: Apache-2.0
// What a daemon keeps of the environment it is started in: where its files are and who its user is, and
// nothing of the shell that happened to need it first.
#pragma once
#include <string>
#include <vector>

namespace host {

std::vector<std::string> daemon_environment();

}  // namespace host
