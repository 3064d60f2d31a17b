// SPDX-License-Identifier: Apache-2.0
#include "channel/notice.h"

#include <boost/json/array.hpp>
#include <ctime>

#include "base/strings.h"
#include "wire/params.h"

namespace channel {
namespace {

namespace json = boost::json;

std::string text_of(const json::object& object, std::string_view name) {
  return wire::text(object, name).value_or("");
}

}  // namespace

int64_t time_of(const std::string& text) {
  std::tm parts{};
  const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (end == nullptr) return 0;
  int64_t micros = 0;
  if (*end == '.') {
    const std::string_view digits = std::string_view(end + 1).substr(0, 6);
    micros = base::parse_number<int64_t>(digits, 0, 999'999).value_or(0);
  }
  return static_cast<int64_t>(::timegm(&parts)) * 1'000'000 + micros;
}

Notice notice_of(const json::object& prompt) {
  Notice notice{.prompt = text_of(prompt, "id"),
                .nonce = text_of(prompt, "nonce"),
                .session = text_of(prompt, "name"),
                .pty = static_cast<uint32_t>(wire::integer(prompt, "pty").value_or(0)),
                .type = text_of(prompt, "type"),
                .question = text_of(prompt, "question"),
                .excerpt = text_of(prompt, "excerpt"),
                .choices = {},
                .fallback = wire::text(prompt, "default"),
                .secret = wire::flag(prompt, "secret"),
                .ambiguous = wire::flag(prompt, "ambiguous"),
                .created_at = time_of(text_of(prompt, "created_at")),
                .expires_at = time_of(text_of(prompt, "expires_at"))};
  const json::value* choices = prompt.if_contains("choices");
  if (choices == nullptr || !choices->is_array()) return notice;
  for (const json::value& each : choices->get_array()) {
    if (!each.is_object()) continue;
    notice.choices.push_back(
        {.key = text_of(each.get_object(), "key"), .label = text_of(each.get_object(), "label")});
  }
  return notice;
}

std::optional<Ending> ending_of(const json::object& prompt) {
  Ending ending{.state = Ending::State::answered,
                .outcome = text_of(prompt, "outcome"),
                .by = text_of(prompt, "by"),
                .channel = text_of(prompt, "channel")};
  const std::string state = text_of(prompt, "state");
  if (state == "answered") return ending;
  if (state == "expired")
    ending.state = Ending::State::expired;
  else if (state == "cancelled")
    ending.state = Ending::State::cancelled;
  else if (state == "failed")
    ending.state = Ending::State::failed;
  else
    return {};
  return ending;
}

bool is_too_early(int64_t written, const Notice& notice) {
  constexpr int64_t kEarly = 30;  // seconds that two clocks may differ
  return written != 0 && written + kEarly < notice.created_at / 1'000'000;
}

}  // namespace channel
