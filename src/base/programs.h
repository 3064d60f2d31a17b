// SPDX-License-Identifier: Apache-2.0
// tend's programs, as one of them finds the others.
#pragma once
#include <string>

#include "base/result.h"

namespace base {

// The path of the one that runs.
std::string own_program();

// Another one by its name: beside `from` in a build; once installed, `tend` is in bin and the rest in
// libexec/tend of the same prefix.
Result<std::string> find_program(const std::string& name, const std::string& from = own_program());

}  // namespace base
