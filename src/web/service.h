// SPDX-License-Identifier: Apache-2.0
// The server for browsers as a part of the daemon: opens and closes it, makes and revokes tokens, and keeps
// all that in one file, so that the next daemon goes on where this one ended.
#pragma once
#include <memory>
#include <string>

#include "daemon/web_service.h"

namespace web {

std::unique_ptr<host::WebService> make_service(host::Context& context, const std::string& folder,
                                               std::function<void()> changed);

}  // namespace web
