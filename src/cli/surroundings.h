// SPDX-License-Identifier: Apache-2.0
// What a program that tend starts gets from the command that started it: folder, environment, umask.
#pragma once
#include <boost/json/array.hpp>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/result.h"
#include "config/config.h"

namespace cli {

boost::json::array to_array(const std::vector<std::string>& texts);

mode_t current_umask();

// This process's own, with what the configuration adds or says otherwise. What marks this process as part of
// a session is not handed on: the new one has its own.
boost::json::array make_environment(const config::Environment& configured);

// What a program in a sandbox gets: of this process's environment only what makes a terminal usable, then the
// configuration's, in which "$NAME" is the value that this process has. One that it does not have is left
// out, with a warning.
boost::json::array make_sandbox_environment(const config::Config& config);

// Absolute; this process's own where nothing is asked for.
base::Result<std::string> find_folder(const std::string& asked);

}  // namespace cli
