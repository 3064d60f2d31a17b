// SPDX-License-Identifier: Apache-2.0
#include "cli/wait.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "cli/access.h"
#include "cli/human.h"
#include "cli/output.h"
#include "cli/prompts.h"
#include "cli/report.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

constexpr int64_t kMostMs = int64_t{1000} * 60 * 60 * 24 * 365;
constexpr int64_t kUsualQuietMs = 1000;
constexpr size_t kMostText = 4096;

// What --until says, as the parameters of pty.wait.
Result<json::object> parse_until(std::string_view until) {
  const size_t equals = until.find('=');
  const std::string_view what = until.substr(0, equals);
  const bool has_value = equals != std::string_view::npos;
  const std::string_view value = has_value ? until.substr(equals + 1) : std::string_view();
  if ((what == "waiting" || what == "ready" || what == "exited") && !has_value)
    return json::object{{"until", what}};
  if (what == "quiet") {
    const auto ms = has_value ? base::parse_number<int64_t>(value, 0, kMostMs) : std::optional(kUsualQuietMs);
    if (!ms)
      return fail(Code::invalid_param, 0, "--until quiet=MS wants a number of milliseconds, as in quiet=500");
    return json::object{{"until", "quiet"}, {"quiet_ms", *ms}};
  }
  if (what == "text" && has_value && !value.empty())
    return json::object{{"until", "text"}, {"pattern", value}};
  return fail(Code::invalid_param, 0,
              fmt::format("--until is waiting, ready, quiet[=MS], exited or text=RE, and not '{}'",
                          base::printable(until, 80)));
}

std::string explanation(const json::object& came, const json::object& asked) {
  const std::string reason = wire::text(came, "reason").value_or("");
  if (reason == "text")
    return fmt::format("this line matches '{}': {}", wire::text(asked, "pattern").value_or(""),
                       wire::text(came, "line").value_or(""));
  if (reason == "waiting" || reason == "ready") return explain(came.at("why").as_object());
  if (reason == "quiet")
    return fmt::format("it has written nothing for {} ms or more, and its state is {}",
                       wire::integer(asked, "quiet_ms").value_or(0), wire::text(came, "state").value_or(""));
  if (wire::text(asked, "until") == "quiet")
    return "a program that has ended is quiet for good: " + how_it_ended(came);
  return "the program has ended and all its output is in: " + how_it_ended(came);
}

std::string what_came(const json::object& came) {
  const std::string reason = wire::text(came, "reason").value_or("");
  if (reason == "text") return wire::text(came, "line").value_or("");
  if (const json::value& prompt = came.at("prompt"); reason == "waiting" && prompt.is_object())
    return question_line(prompt.as_object());
  const std::string ended = how_it_ended(came);
  return reason == "exited" && !ended.empty() ? ended : reason;
}

Result<int> wait_for(const WaitOptions& options) {
  auto target = parse_target(options.target);
  if (!target) return fail(target);
  auto asked = parse_until(options.until);
  if (!asked) return fail(asked);
  auto client = reach_daemon();
  if (!client) return fail(client);
  json::object params = to_params(*target);
  for (const auto& [name, value] : *asked) params[name] = value;
  if (options.timeout_ms) params["timeout_ms"] = *options.timeout_ms;
  auto answer = look(*client, "pty.wait", params);
  if (!answer) {
    const int code = report(answer.error());
    // What cannot come any more is as good as gone.
    return answer.error().code == Code::pty_process_exited ? kNotFound : code;
  }
  json::object& came = answer->as_object();
  if (options.json) {
    if (options.explain) came["explanation"] = explanation(came, *asked);
    return print_json(came);
  }
  if (!options.explain) return print(base::printable(what_came(came), kMostText) + "\n");
  // Made printable line by line where it is put together.
  const std::string text = explanation(came, *asked);
  return print(text.ends_with('\n') ? text : base::printable(text, kMostText) + "\n");
}

}  // namespace

int wait(const WaitOptions& options) { return finish(wait_for(options)); }

}  // namespace cli
