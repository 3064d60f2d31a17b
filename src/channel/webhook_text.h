// SPDX-License-Identifier: Apache-2.0
// What a webhook is posted, and what comes back by an answer's URL. Pure.
//
// An event is JSON, or, with `channels.webhook.format: text`, a text for people with a title and buttons in
// headers, as ntfy takes them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "channel/medium.h"
#include "channel/signature.h"

namespace channel {

enum class WebhookFormat { json, text };

struct Post {
  std::string event;  // prompt.asked, prompt.ended, test
  std::string body;
  std::vector<std::string> headers;
};

// `answer_url`: of this prompt; empty where nothing may be answered here.
Post asked_post(const Notice& notice, std::string_view answer_url, WebhookFormat format);
Post ended_post(const Notice& notice, const Ending& ending, WebhookFormat format);
Post test_post(WebhookFormat format);
// Signs it, at this time.
std::vector<std::string> signed_headers(const Post& post, std::string_view key, int64_t now,
                                        std::string_view delivery);

// BASE/answer/PROMPT/EXPIRES/SIGNATURE; the nonce is in the signature only.
std::string answer_url(std::string_view base, std::string_view key, const AnswerTicket& ticket);

struct AnswerTarget {
  std::string prompt;
  int64_t expires = 0;
  std::string signature;
  std::string query;
};
std::optional<AnswerTarget> read_target(std::string_view target);

// What the body, or what stands behind the "?", says: one of answer, choice, enter, cancel. The body may be
// JSON, a form, or plain text, which is the answer itself.
base::Result<Reply> read_reply(std::string_view query, std::string_view content_type, std::string_view body);

}  // namespace channel
