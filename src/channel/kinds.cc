// SPDX-License-Identifier: Apache-2.0
#include "channel/kinds.h"

#include <algorithm>
#include <array>

#include "channel/slack.h"
#include "channel/telegram.h"
#include "channel/webhook.h"

namespace channel {
namespace {

constexpr auto kKinds = std::to_array<Kind>({
    {"slack", make_slack, check_slack},
    {"telegram", make_telegram, check_telegram},
    {"webhook", make_webhook, check_webhook},
});

}  // namespace

std::span<const Kind> kinds() { return kKinds; }

const Kind* find_kind(std::string_view name) {
  const auto* found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& each) { return each.name == name; });
  return found != kKinds.end() ? found : nullptr;
}

}  // namespace channel
