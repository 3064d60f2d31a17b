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

// Absolute; this process's own where nothing is asked for.
base::Result<std::string> find_folder(const std::string& asked);

}  // namespace cli
