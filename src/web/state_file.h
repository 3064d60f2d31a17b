// SPDX-License-Identifier: Apache-2.0
// The file that says how the server was opened, and who may come in. Replaced whole, or not at all.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "daemon/web_service.h"

namespace web {

struct State {
  bool open = false;
  host::WebRequest how = {};
  boost::json::value tokens = {};
};

// Nothing where there is no file.
base::Result<std::optional<State>> load_state(const std::string& path);
std::string to_text(const State& state);
base::Result<void> save_text(const std::string& path, const std::string& text);

}  // namespace web
