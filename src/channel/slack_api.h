// SPDX-License-Identifier: Apache-2.0
// Slack's Web API: one call, and what came of it. Tokens stand in a header and are in no error.
#pragma once
#include <boost/json/object.hpp>
#include <expected>
#include <functional>
#include <string>
#include <string_view>

#include "channel/http.h"
#include "channel/send_queue.h"

namespace channel {

// What a response means; the problem says whether to try again, and when. Pure.
using SlackAnswer = std::expected<boost::json::object, SendQueue::Sent>;
SlackAnswer read_slack_answer(const base::Result<HttpResponse>& response);

class SlackApi {
 public:
  using Done = std::function<void(SlackAnswer)>;

  SlackApi(Http& http, std::string url, std::string token);
  void call(std::string_view method, const boost::json::object& params, Done done);

 private:
  Http& http_;
  std::string url_;
  std::string token_;
};

}  // namespace channel
