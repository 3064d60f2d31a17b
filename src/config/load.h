// SPDX-License-Identifier: Apache-2.0
// Puts the layers together: built-in defaults < the user's file < ./tend.yml < --config FILE < environment <
// --set < a command's own options. What a layer sets replaces what stood below it; only maps (session.env)
// merge key by key. One error anywhere and there is no configuration at all.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "config/problem.h"
#include "config/reader.h"

namespace config {

// An option of a command that stands for a setting, as --idle-timeout does.
struct Option {
  std::string name;        // for errors
  std::string assignment;  // section.key=value
};

// Where to look.
struct Sources {
  std::optional<std::string> user_file = {};     // may be missing
  std::optional<std::string> project_file = {};  // may be missing
  std::optional<std::string> named_file = {};    // must be there
  std::vector<std::string> environment = {};     // NAME=VALUE
  std::vector<std::string> assignments = {};     // section.key=value, from --set
  std::vector<Option> options = {};              // above all else
  std::string home = {};                         // what ~ stands for
};

struct Loaded {
  Config config;
  // One for each row of the table, in its order: the value that holds, and who set it.
  std::vector<Assigned> settings;
  std::vector<Problem> warnings;

  // For a path of the table.
  const Assigned& at(std::string_view path) const;
};

// The first problem is the error.
base::Result<Loaded> load(const Sources& sources);
// Every problem.
Findings check(const Sources& sources);
// Every problem of this file by itself.
Findings check_file(const std::string& path);

// The built-in defaults.
Loaded defaults();
// These over the defaults and nothing else: how a configuration that show_yaml() wrote comes back.
base::Result<Loaded> load_text(std::string_view yaml, const std::string& name);

}  // namespace config
