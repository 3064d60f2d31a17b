// SPDX-License-Identifier: Apache-2.0
// A request under /api/ that is a method of the protocol, run from the same table as the socket's.
#pragma once
#include <functional>
#include <memory>

#include "daemon/context.h"
#include "web/gate.h"
#include "web/request.h"
#include "web/tokens.h"

namespace web {

// Gives what must be kept until it has answered; dropping it tells whoever waits that nobody does any more.
std::shared_ptr<void> start_api_call(host::Context& context, Gates& gates, const Request& request,
                                     const Visitor& visitor, std::function<void(Response)> done);

}  // namespace web
