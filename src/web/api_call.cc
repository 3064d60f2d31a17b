// SPDX-License-Identifier: Apache-2.0
#include "web/api_call.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "daemon/asker.h"
#include "daemon/methods.h"
#include "web/door.h"
#include "wire/message.h"

namespace web {
namespace {

using base::Code;
using base::Result;
namespace json = boost::json;

class ApiCall final : public host::Asker {
 public:
  ApiCall(Gates& gates, std::string agent, std::function<void(Response)> done)
      : gates_(gates), agent_(std::move(agent)), done_(std::move(done)) {}
  ~ApiCall() override { closed_.call(); }

  const std::string& agent() const override { return agent_; }
  const std::string& channel() const override { return channel_; }
  void call_ended() override {}
  session::Listeners& closed_listeners() override { return closed_; }

  void send(std::string_view text) override {
    auto message = wire::parse_message(text);
    const auto* response = message ? std::get_if<wire::Response>(&*message) : nullptr;
    const auto done = std::exchange(done_, {});
    if (response == nullptr || !done) return;
    if (!response->result) return done(failure(response->result.error(), response->data));
    done({.body = json::serialize(*response->result), .headers = {}});
  }

  Admitted admit(session::Session& session, session::Pty& pty, std::string bytes) override {
    Gate* gate = gates_.of(session, pty.number());
    if (gate == nullptr) return {std::move(bytes)};
    filter::Filtered result = gate->take(bytes, agent_);
    gates_.note(result, agent_, {session.id(), pty.number()});
    return {std::move(result.bytes), result.blocked + result.debounced};
  }

  Result<void> admit_whole(const session::Session& session, const session::Pty& pty,
                           std::string_view bytes) override {
    if (!Gates::is_guarded(session, pty.number()) || filter::passes_whole(Gates::rules_of(session), bytes))
      return {};
    gates_.note({.bytes = {}, .blocked = 1}, agent_, {session.id(), pty.number()});
    return base::fail(Code::pty_access_denied, 0, "Blocked from web. Use local terminal to exit.");
  }

 private:
  Gates& gates_;
  std::string agent_;
  std::string channel_ = "web";
  std::function<void(Response)> done_;
  session::Listeners closed_;
};

Result<json::object> params_of(const Request& request, const Found& found, const host::Method& method) {
  json::object params = found.params;
  if (found.route->verb != Verb::post) {
    if (auto added = add_query(request.target, method.params, params); !added) return base::fail(added);
    return params;
  }
  if (!request.target.query.empty())
    return base::fail(Code::invalid_param, 0, "parameters of a POST stand in its body");
  if (request.body.empty()) return params;
  if (!request.content_type.starts_with("application/json"))
    return base::fail(Code::invalid_param, 0, "the body must be application/json");
  boost::system::error_code wrong;
  const json::value body = json::parse(request.body, wrong);
  if (wrong || !body.is_object()) return base::fail(Code::invalid_param, 0, "the body must be a JSON object");
  for (const auto& [name, value] : body.get_object()) {
    // Who asks is known by the token, and what the path says is not said again.
    if (name == "agent_id" || params.contains(name))
      return base::fail(Code::invalid_param, 0, "'" + std::string(name) + "' cannot be given here");
    params[name] = value;
  }
  return params;
}

}  // namespace

std::shared_ptr<void> start_api_call(host::Context& context, Gates& gates, const Request& request,
                                     const Visitor& visitor, std::function<void(Response)> done) {
  const Verb verb = request.method == "POST"     ? Verb::post
                    : request.method == "DELETE" ? Verb::del
                                                 : Verb::get;
  const Found found = find_route(verb, request.target);
  const host::Method* method = found.route != nullptr ? host::find_method(found.route->method) : nullptr;
  if (method == nullptr) {
    done(refusal(404, "NOT_FOUND", "there is no such route"));
    return {};
  }
  auto params = params_of(request, found, *method);
  if (!params) {
    done(failure(params.error()));
    return {};
  }
  const auto call =
      std::make_shared<ApiCall>(gates, Door::agent_of(visitor, request.address), std::move(done));
  host::start_call(context, call,
                   {.id = json::value(1), .method = std::string(method->name), .params = *params}, *method);
  return call;
}

}  // namespace web
