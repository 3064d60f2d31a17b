// SPDX-License-Identifier: Apache-2.0
// A webhook as a medium: each event is posted, signed, to the user's URL; answers come by a signed URL of
// their own, served here where `channels.webhook.listen` says.
#pragma once
#include <boost/json/object.hpp>
#include <memory>

#include "channel/kinds.h"

namespace channel {

base::Result<std::unique_ptr<Medium>> make_webhook(const Place& place);

// {"url", "secret"}: posts a test to it; gives {"name": host}.
void check_webhook(Http& http, event::Loop& loop, const boost::json::object& given, Kind::Checked done);

}  // namespace channel
