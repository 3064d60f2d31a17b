// SPDX-License-Identifier: Apache-2.0
#include "channel/slack_api.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <utility>

#include "base/strings.h"

namespace channel {
namespace {

namespace json = boost::json;
using What = SendQueue::Sent::What;

constexpr size_t kMostError = 100;

// What passes by itself; everything else is the same tomorrow.
constexpr auto kPassing =
    std::to_array<std::string_view>({"ratelimited", "rate_limited", "internal_error", "fatal_error",
                                     "service_unavailable", "request_timeout", "team_added_to_org"});

SendQueue::Sent problem(What what, std::string text, std::optional<base::Duration> wait = {}) {
  return {.what = what, .wait = wait, .problem = std::move(text)};
}

}  // namespace

SlackAnswer read_slack_answer(const base::Result<HttpResponse>& response) {
  if (!response) return std::unexpected(problem(What::again, response.error().message()));
  if (response->status == 429)
    return std::unexpected(problem(What::again, "Slack wants fewer messages", response->retry_after));
  if (response->status >= 500)
    return std::unexpected(
        problem(What::again, fmt::format("Slack answers with {}", response->status), response->retry_after));
  boost::system::error_code wrong;
  json::value answer = json::parse(response->body, wrong);
  if (wrong || !answer.is_object())
    return std::unexpected(problem(response->status == 200 ? What::again : What::never,
                                   fmt::format("this is no answer of Slack ({})", response->status)));
  const json::value* ok = answer.get_object().if_contains("ok");
  if (ok != nullptr && ok->is_bool() && ok->get_bool()) return std::move(answer.get_object());
  const json::value* said = answer.get_object().if_contains("error");
  const std::string error =
      said != nullptr && said->is_string() ? std::string(said->get_string()) : "nothing";
  const bool passes = std::find(kPassing.begin(), kPassing.end(), error) != kPassing.end();
  return std::unexpected(problem(passes ? What::again : What::never,
                                 "Slack says " + base::printable(error, kMostError), response->retry_after));
}

SlackApi::SlackApi(Http& http, std::string url, std::string token)
    : http_(http), url_(std::move(url)), token_(std::move(token)) {}

void SlackApi::call(std::string_view method, const json::object& params, Done done) {
  HttpRequest request{
      .url = fmt::format("{}/{}", url_, method),
      .method = "POST",
      .headers = {"Authorization: Bearer " + token_, "Content-Type: application/json; charset=utf-8"},
      .body = json::serialize(params),
      .more_time = {}};
  http_.send(std::move(request), [done = std::move(done)](const base::Result<HttpResponse>& response) {
    done(read_slack_answer(response));
  });
}

}  // namespace channel
