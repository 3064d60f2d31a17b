// SPDX-License-Identifier: Apache-2.0
// The kinds of channels, one row each.
#pragma once
#include <boost/json/object.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"
#include "channel/desk.h"
#include "channel/http.h"
#include "channel/medium.h"
#include "config/config.h"

namespace channel {

// What a medium is made of; all of it outlives the medium.
struct Place {
  Desk& desk;
  Http& http;
  const config::Config& config;
};

struct Kind {
  using Checked = std::function<void(base::Result<boost::json::object>)>;

  std::string_view name;
  // The error says what the settings lack: the channel then waits for better ones.
  base::Result<std::unique_ptr<Medium>> (*make)(const Place& place);
  // For `tend channel add`: asks the service who the tokens in `given` belong to. What comes back is printed.
  void (*check)(Http& http, event::Loop& loop, const boost::json::object& given, Checked done);
};

std::span<const Kind> kinds();
const Kind* find_kind(std::string_view name);

}  // namespace channel
