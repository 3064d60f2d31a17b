// SPDX-License-Identifier: Apache-2.0
// The Bot API: one call, its result, or what kind of problem it was. The token stands in the URL, so neither
// URLs nor what the server says about them leave this file with it.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "channel/http.h"

namespace channel {

struct ApiProblem {
  enum class Kind {
    passing,       // the network, the server, or no answer of an API: to be tried again
    flood,         // too much; try again after `wait`
    conflict,      // somebody else polls with this token
    unauthorized,  // no such token
    refused,       // this call will never do
    too_large,
  };
  Kind kind = Kind::passing;
  std::string text = {};
  std::optional<base::Duration> wait = {};
};

template <typename T>
using Api = std::expected<T, ApiProblem>;

// What a response of the server means. Pure.
Api<boost::json::value> read_answer(const base::Result<HttpResponse>& response, std::string_view token);

class TelegramApi {
 public:
  using Done = std::function<void(Api<boost::json::value>)>;

  TelegramApi(Http& http, std::string url, std::string token);

  uint64_t call(std::string_view method, const boost::json::object& params, Done done,
                base::Duration more_time = {});
  void cancel(uint64_t id) { http_.cancel(id); }

 private:
  Http& http_;
  std::string url_;
  std::string token_;
};

}  // namespace channel
