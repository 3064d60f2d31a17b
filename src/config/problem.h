// SPDX-License-Identifier: Apache-2.0
// Problem: one thing that is wrong, or only worth a warning, in a configuration, and where exactly.
#pragma once
#include <string>
#include <vector>

#include "base/error.h"

namespace config {

struct Place {
  std::string name;  // a file, a variable, a flag
  int line = 0;      // from 1; 0: the place has no lines
  int column = 0;    // from 1, in bytes; 0: the line as a whole
};

struct Problem {
  Place place;
  std::string path;  // of the setting, as prompts.rules[0].type; empty: the place as a whole
  std::string what;

  // "tend.yml:3:9: web.port: wants …". As in every Error, names and values stand as they are.
  base::Error error() const;
  // The same in one line, control characters made visible.
  std::string message() const;
};

// All that was found, in the order of the layers and, in a file, of its lines.
struct Findings {
  std::vector<Problem> errors;
  std::vector<Problem> warnings;
};

}  // namespace config
