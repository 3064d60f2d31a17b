// SPDX-License-Identifier: Apache-2.0
// What a daemon keeps of the environment it is started in: where its files are and who its user is, and
// nothing of the shell that happened to need it first.
#pragma once
#include <string>
#include <vector>

namespace wire {

std::vector<std::string> daemon_environment();

// The same with the tokens of channels, for those who need them: a channel, and a daemon that is to start
// one. Keepers, which bring a lost daemon back, do not get them.
std::vector<std::string> channel_environment();

}  // namespace wire
