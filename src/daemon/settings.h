// SPDX-License-Identifier: Apache-2.0
// The settings of a session, from the text that it was created with. No text is the defaults.
#pragma once
#include <string>

#include "base/result.h"
#include "session/session.h"

namespace host {

base::Result<session::SessionSettings> read_settings(const std::string& text);

}  // namespace host
