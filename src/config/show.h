// SPDX-License-Identifier: Apache-2.0
// Writes a configuration down: as YAML with each value's origin behind it, or as JSON with the origins
// beside. The YAML with secrets shown, given to load_text(), is the same configuration again.
#pragma once
#include <string>

#include "config/load.h"

namespace config {

enum class Secrets { masked, shown };
enum class Colour { none, ansi };

std::string show_yaml(const Loaded& loaded, Secrets secrets, Colour colour);

// What differs from the defaults, without secrets, as YAML that load_text() takes; empty where nothing does.
std::string show_changes(const Loaded& loaded);

// {"config": {section: {key: value}}, "origins": {"section.key": "tend.yml:3"}, "warnings": […]}
std::string show_json(const Loaded& loaded, Secrets secrets);

// {"ok": …, "errors": [{"file", "line", "column", "key", "message"}], "warnings": […]}
std::string show_json(const Findings& findings);

}  // namespace config
