// SPDX-License-Identifier: Apache-2.0
#include "channel/press.h"

#include <fmt/format.h>
#include <utility>

#include "base/ids.h"
#include "base/strings.h"

namespace channel {
namespace {

using What = Press::What;

constexpr size_t kId = 16;  // characters of an id, and of a nonce

std::string_view letter_of(What what) {
  switch (what) {
    case What::choice:
      return "c";
    case What::yes:
      return "y";
    case What::no:
      return "n";
    case What::enter:
      return "e";
    case What::output:
      return "o";
    case What::cancel:
      return "x";
  }
  return "e";
}

}  // namespace

std::string callback_data(const Press& press) {
  std::string data = fmt::format("1{}{}{}", press.prompt, press.nonce, letter_of(press.what));
  if (press.what == What::choice) data += std::to_string(press.choice);
  return data;
}

std::optional<Press> read_press(std::string_view data) {
  if (data.size() < 2 * kId + 2 || data.size() > kMostCallbackData || data[0] != '1') return {};
  Press press{.prompt = std::string(data.substr(1, kId)), .nonce = std::string(data.substr(1 + kId, kId))};
  if (!base::is_id(press.prompt) || !base::is_id(press.nonce)) return {};
  const std::string_view rest = data.substr(1 + 2 * kId);
  for (const What what : {What::yes, What::no, What::enter, What::output, What::cancel}) {
    if (rest != letter_of(what)) continue;
    press.what = what;
    return press;
  }
  const auto choice = base::parse_number<uint32_t>(rest.substr(1), 1, 1000);
  if (rest[0] != 'c' || !choice) return {};
  press.what = What::choice;
  press.choice = *choice;
  return press;
}

Reply reply_of(const Press& press, std::string who) {
  Reply reply{.prompt = press.prompt, .nonce = press.nonce, .who = std::move(who)};
  switch (press.what) {
    case What::choice:
      reply.kind = Reply::Kind::choice;
      reply.choice = press.choice;
      break;
    case What::yes:
      reply.text = "yes";
      break;
    case What::no:
      reply.text = "no";
      break;
    case What::cancel:
      reply.kind = Reply::Kind::cancel;
      break;
    case What::enter:
    case What::output:
      reply.kind = Reply::Kind::enter;
      break;
  }
  return reply;
}

}  // namespace channel
