// SPDX-License-Identifier: Apache-2.0
// What came of an answer, if the program read it and asks the very same again. It may want something else, or
// it may ask that for the next of many things: which of both is said only where there is evidence, and
// `rejected` only where there can be no other reason.
#pragma once
#include <string_view>

#include "detect/prompt.h"
#include "vt/screen.h"

namespace session {

struct Repeated {
  const detect::Prompt& before;
  const detect::Prompt& now;
  bool canonical = false;      // lines were read, which the terminal shows, and not keys
  std::string_view sent = {};  // not of a secret
  const vt::Screen& screen;
};

// accepted, rejected or unknown.
std::string_view outcome_of(const Repeated& asked);

}  // namespace session
