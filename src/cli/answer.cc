// SPDX-License-Identifier: Apache-2.0
#include "cli/answer.h"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "cli/access.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/report.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

constexpr size_t kMostInput = 64 << 10;

Result<void> check_usage(const AnswerOptions& options) {
  const int given = (options.value ? 1 : 0) + (options.choice ? 1 : 0) + (options.keys.empty() ? 0 : 1) +
                    (options.enter ? 1 : 0) + (options.cancel ? 1 : 0);
  if (given == 1) return {};
  return fail(Code::invalid_param, 0, "give one of VALUE, --choice, --keys, --enter and --cancel");
}

// What is to be sent, without the prompt it is for.
Result<json::object> params_of(const AnswerOptions& options) {
  json::object params;
  if (options.value == "-") {
    auto line = read_input(kMostInput);
    if (!line) return fail(line);
    if (line->ends_with('\n')) line->pop_back();
    params["answer"] = *line;
  } else if (options.value) {
    params["answer"] = *options.value;
  }
  if (options.choice) params["choice"] = *options.choice;
  if (options.cancel) params["cancel"] = true;
  json::array keys;
  for (const std::string& each : options.keys) keys.emplace_back(each);
  if (!keys.empty()) params["keys"] = std::move(keys);
  return params;
}

// The nonce says that it is answered as it was when it was looked at.
Result<int> give_answer(const AnswerOptions& options) {
  if (auto good = check_usage(options); !good) return fail(good);
  auto params = params_of(options);
  if (!params) return fail(params);
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto prompt = client->call("prompt.get", {{"prompt_id", options.prompt}});
  if (!prompt) return fail(prompt);
  (*params)["prompt_id"] = options.prompt;
  (*params)["nonce"] = wire::text(prompt->as_object(), "nonce").value_or("");
  auto answered = client->call("prompt.answer", std::move(*params));
  if (!answered) return fail(answered);
  const json::object& result = answered->as_object();
  const std::string outcome = wire::text(result, "outcome").value_or("");
  const int code = options.cancel || outcome == "accepted" ? kDone : kFailed;
  if (options.json) {
    if (auto printed = print_json(*answered); !printed) return printed;
    return code;
  }
  if (outcome == "rejected")
    fmt::print(stderr, "tend: the program took the answer and asks the same again; tend prompts shows it\n");
  if (outcome == "unknown")
    fmt::print(stderr, "tend: the answer was sent, and what came of it is not known; tend screen shows it\n");
  return code;
}

}  // namespace

int answer(const AnswerOptions& options) { return finish(give_answer(options)); }

}  // namespace cli
