// SPDX-License-Identifier: Apache-2.0
#include "channel/telegram_api.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <utility>

#include "base/strings.h"
#include "channel/token.h"
#include "wire/params.h"

namespace channel {
namespace {

namespace json = boost::json;
using Kind = ApiProblem::Kind;

constexpr size_t kMostText = 200;
constexpr int64_t kMostWait = 86'400;

Kind kind_of(int64_t status) {
  switch (status) {
    case 401:
    case 404:
      return Kind::unauthorized;
    case 409:
      return Kind::conflict;
    case 429:
      return Kind::flood;
    default:
      return status >= 400 && status < 500 ? Kind::refused : Kind::passing;
  }
}

std::optional<base::Duration> wait_of(const json::object& answer) {
  const json::value* parameters = answer.if_contains("parameters");
  if (parameters == nullptr || !parameters->is_object()) return {};
  const json::value* seconds = parameters->get_object().if_contains("retry_after");
  if (seconds == nullptr || !seconds->is_int64()) return {};
  return std::chrono::seconds(std::clamp<int64_t>(seconds->get_int64(), 0, kMostWait));
}

}  // namespace

Api<json::value> read_answer(const base::Result<HttpResponse>& response, std::string_view token) {
  if (!response) {
    const bool large = response.error().code == base::Code::message_too_large;
    return std::unexpected(ApiProblem{.kind = large ? Kind::too_large : Kind::passing,
                                      .text = without(token, response.error().message())});
  }
  boost::system::error_code wrong;
  json::value answer = json::parse(response->body, wrong, {}, {.max_depth = 32});
  if (wrong || !answer.is_object())
    return std::unexpected(ApiProblem{.kind = response->status == 429 ? Kind::flood : Kind::passing,
                                      .text = fmt::format("status {} and no JSON", response->status),
                                      .wait = response->retry_after});
  json::object& object = answer.get_object();
  const json::value* ok = object.if_contains("ok");
  const json::value* result = object.if_contains("result");
  if (response->status == 200 && ok != nullptr && *ok == true && result != nullptr) return *result;
  const json::value* code = object.if_contains("error_code");
  const int64_t number = code != nullptr && code->is_int64() ? code->get_int64() : response->status;
  const auto wait = wait_of(object);
  const std::string text = wire::text(object, "description").value_or("");
  return std::unexpected(
      ApiProblem{.kind = kind_of(number),
                 .text = base::printable(without(token, fmt::format("{} {}", number, text)), kMostText),
                 .wait = wait ? wait : response->retry_after});
}

TelegramApi::TelegramApi(Http& http, std::string url, std::string token)
    : http_(http), url_(std::move(url)), token_(std::move(token)) {
  while (url_.ends_with('/')) url_.pop_back();
}

uint64_t TelegramApi::call(std::string_view method, const json::object& params, Done done,
                           base::Duration more_time) {
  HttpRequest request{.url = fmt::format("{}/bot{}/{}", url_, token_, method),
                      .headers = {"Content-Type: application/json"},
                      .body = json::serialize(params),
                      .more_time = more_time};
  return http_.send(std::move(request),
                    [token = token_, done = std::move(done)](const base::Result<HttpResponse>& response) {
                      done(read_answer(response, token));
                    });
}

}  // namespace channel
