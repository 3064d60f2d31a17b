// SPDX-License-Identifier: Apache-2.0
// prompt.*: what waits for a person, and what became of it. Open prompts are the sessions' to tell, the
// others the store's.
#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <memory>
#include <utility>
#include <vector>

#include "daemon/asker.h"
#include "daemon/connection.h"
#include "daemon/describe.h"
#include "daemon/method_functions.h"
#include "detect/answer.h"
#include "session/keys.h"
#include "session/prompt_record.h"
#include "wire/params.h"

namespace host {

namespace json = wire::json;
using base::Code;
using base::Result;

namespace {

constexpr int64_t kUsualPrompts = 100;
constexpr size_t kMostPage = 900 << 10;
constexpr auto kStates =
    std::to_array<std::string_view>({"open", "all", "ended", "created", "routed", "awaiting", "claimed",
                                     "answered", "expired", "cancelled", "failed"});

struct Open {
  session::Session* session = nullptr;
  session::Pty* pty = nullptr;
  const session::Question* question = nullptr;
};

enum class From { client, channel };

From from_of(const Call& call) {
  const auto connection = call.connection();
  return connection && connection->is_channel() ? From::channel : From::client;
}

// Of all sessions, or of this one.
std::vector<Open> open_prompts(Context& context, const session::Session* only = nullptr) {
  std::vector<Open> open;
  for (session::Session* each : context.sessions.all()) {
    if (only != nullptr && each != only) continue;
    for (const auto& [number, pty] : each->ptys()) {
      const auto& question = pty->attention().question();
      if (question && question->open()) open.push_back({each, pty.get(), &*question});
    }
  }
  std::sort(open.begin(), open.end(), [](const Open& a, const Open& b) {
    return std::pair(a.question->asked_at, a.pty->number()) <
           std::pair(b.question->asked_at, b.pty->number());
  });
  return open;
}

std::optional<Open> find_open(Context& context, std::string_view id) {
  for (const Open& each : open_prompts(context))
    if (each.question->id == id) return each;
  return {};
}

// Reads the store when all that was written before is in it. A disk that cannot be written can be read.
template <typename Work>
void read_store(const CallPtr& call, Work work) {
  call->context().store.write([](store::Connection&) -> Result<void> { return {}; },
                              [call, work = std::move(work)](const Result<void>&) {
                                run_aside(call,
                                          [&store = call->context().store, work]() -> Result<json::value> {
                                            auto reader = store.reader();
                                            if (!reader) return base::fail(reader);
                                            return work(*reader);
                                          });
                              });
}

Result<json::value> not_there() { return base::fail(Code::prompt_not_found, 0, "there is no such prompt"); }

Result<json::value> read_page(store::Connection& connection, const store::PromptFilter& filter) {
  auto prompts = store::list_prompts(connection, filter);
  if (!prompts) return base::fail(prompts);
  json::array list;
  size_t bytes = 0;
  for (const store::PromptRecord& each : *prompts) {
    json::object about = describe(each, Detail::whole);
    bytes += json::serialize(about).size();
    if (bytes > kMostPage && !list.empty()) break;
    list.push_back(std::move(about));
  }
  return list;
}

struct Value {
  std::vector<std::string> keys;
  detect::Answer answer;
};

Result<Value> value_of(const Call& call) {
  Value value{.keys = wire::texts(call.params(), "keys"),
              .answer = {.text = wire::text(call.params(), "answer"), .choice = {}}};
  if (const auto choice = wire::integer(call.params(), "choice"))
    value.answer.choice = static_cast<uint32_t>(*choice);
  const int given = (value.keys.empty() ? 0 : 1) + (value.answer.text ? 1 : 0) +
                    (value.answer.choice ? 1 : 0) + (wire::flag(call.params(), "cancel") ? 1 : 0);
  if (given > 1) return base::fail(Code::invalid_param, 0, "give one of answer, choice, keys and cancel");
  return value;
}

std::string text_of(const Value& value) {
  if (value.answer.text) return *value.answer.text;
  if (value.answer.choice) return fmt::format("choice {}", *value.answer.choice);
  return fmt::format("{}", fmt::join(value.keys, " "));
}

// What somebody has begun to type is no part of the answer; keys are sent as they are.
Result<std::string> bytes_of(const Value& value, const detect::Prompt& prompt, const session::Pty& pty) {
  if (value.keys.empty()) {
    auto bytes = detect::answer_bytes(prompt, value.answer);
    if (bytes) bytes->insert(0, pty.line_to_discard());
    return bytes;
  }
  std::string bytes;
  for (const std::string& name : value.keys) {
    auto key = session::key_bytes(name, pty.screen());
    if (!key) return base::fail(key);
    bytes += *key;
  }
  return bytes;
}

void answered(const CallPtr& call, const std::string& id, const Result<session::Answered>& result) {
  if (!result) return call->fail(result.error());
  call->audit().secret = result->secret;
  call->audit().bytes = result->bytes;
  call->audit().journal_offset = static_cast<int64_t>(result->offset);
  call->audit().summary = result->outcome;
  call->finish(json::object{{"prompt_id", id},
                            {"state", "answered"},
                            {"outcome", result->outcome},
                            {"bytes", result->count},
                            {"offset", result->offset}});
}

void cancel(const CallPtr& call, const Open& open, const session::AnswerRequest& request) {
  const auto begun =
      open.session->cancel_prompt(*open.pty, request, [call, request](const Result<void>& done) {
        if (!done) return call->fail(done.error());
        call->audit().summary = "cancelled";
        call->finish(json::object{{"prompt_id", request.prompt},
                                  {"state", "cancelled"},
                                  {"outcome", nullptr},
                                  {"bytes", 0},
                                  {"offset", nullptr}});
      });
  if (!begun) call->fail(begun.error());
}

// Secrets are answered at the terminal or in the browser, unless the session's settings say otherwise.
Result<void> check_secret(const detect::Prompt& prompt, const session::Session& session, From from) {
  if (from == From::client || !prompt.secret || session.settings().prompts.secrets_remote) return {};
  return base::fail(Code::pty_access_denied, 0,
                    "a secret is answered at the terminal or in the browser (prompts.secrets_remote)");
}

// One that does not wait: how it ended, or that it never was.
void answer_late(const CallPtr& call, const std::string& id) {
  const auto nonce = wire::text(call->params(), "nonce");
  read_store(call, [id, nonce](store::Connection& connection) -> Result<json::value> {
    auto found = store::load_prompt(connection, id);
    if (!found) return base::fail(found);
    if (!*found || (nonce && *nonce != (*found)->nonce)) return not_there();
    const store::PromptRecord& prompt = **found;
    std::string how = prompt.state == "awaiting" ? "is not asked any more" : "is " + prompt.state;
    if (!prompt.by.empty()) how += " by " + prompt.by;
    if (prompt.outcome) how += ", " + *prompt.outcome;
    return base::fail(Code::prompt_stale, 0, "the prompt " + how);
  });
}

}  // namespace

// What waits for a person, the oldest question first; or what became of others, the newest first.
void list_prompts(const CallPtr& call) {
  const session::Session* only = nullptr;
  if (wire::text(call->params(), "session")) {
    only = call->session();
    if (only == nullptr) return;
  }
  const std::string state = wire::text(call->params(), "state").value_or("open");
  if (std::find(kStates.begin(), kStates.end(), state) == kStates.end())
    return call->fail(
        {Code::invalid_param, 0,
         "state must be open, ended, all, awaiting, claimed, answered, expired, cancelled or failed"});
  if (state == "open") {
    json::array list;
    for (const Open& each : open_prompts(call->context(), only))
      list.push_back(describe(each.session->record(*each.pty, *each.question), Detail::whole));
    return call->finish(std::move(list));
  }
  using Which = store::PromptFilter::Which;
  store::PromptFilter filter{.limit = wire::integer(call->params(), "limit").value_or(kUsualPrompts)};
  if (only != nullptr) filter.session = only->id();
  if (state == "ended")
    filter.which = Which::ended;
  else if (state != "all")
    filter.state = state;
  read_store(call, [filter](store::Connection& connection) { return read_page(connection, filter); });
}

void get_prompt(const CallPtr& call) {
  const std::string id = wire::text(call->params(), "prompt_id").value_or("");
  if (const auto open = find_open(call->context(), id))
    return call->finish(describe(open->session->record(*open->pty, *open->question), Detail::whole));
  read_store(call, [id](store::Connection& connection) -> Result<json::value> {
    auto found = store::load_prompt(connection, id);
    if (!found) return base::fail(found);
    if (!*found) return not_there();
    return describe(**found, Detail::whole);
  });
}

void answer_prompt(const CallPtr& call) {
  const std::string id = wire::text(call->params(), "prompt_id").value_or("");
  call->audit().prompt_id = id;
  const auto value = value_of(*call);
  if (!value) return call->fail(value.error());
  const auto open = find_open(call->context(), id);
  if (!open) return answer_late(call, id);
  call->audit().session = open->session->id();
  call->audit().pty = open->pty->number();
  session::AnswerRequest request{.prompt = id,
                                 .nonce = wire::text(call->params(), "nonce"),
                                 .by = call->audit().agent,
                                 .channel = call->audit().channel,
                                 .rule = "",
                                 .value = {},
                                 .bytes = {},
                                 .at = {}};
  if (wire::flag(call->params(), "cancel")) return cancel(call, *open, request);
  const From from = from_of(*call);
  if (auto may = check_secret(open->question->asked.prompt, *open->session, from); !may)
    return call->fail(may.error());
  request.value = std::make_shared<const std::string>(text_of(*value));
  // The question is looked at once more before it is answered, and may be another by then.
  request.bytes = [value = *value, from, asker = call->asker(), session = open->session](
                      const detect::Prompt& prompt, const session::Pty& pty) -> Result<std::string> {
    if (auto may = check_secret(prompt, *session, from); !may) return base::fail(may);
    auto bytes = bytes_of(value, prompt, pty);
    if (!bytes || !asker) return bytes;
    if (auto good = asker->admit_whole(*session, pty, *bytes); !good) return base::fail(good);
    return bytes;
  };
  open->session->answer(*open->pty, std::move(request),
                        [call, id](const Result<session::Answered>& result) { answered(call, id, result); });
}

}  // namespace host
