// SPDX-License-Identifier: Apache-2.0
#include "web/door.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <utility>

#include "base/strings.h"
#include "web/api_call.h"
#include "web/assets.h"
#include "web/limits.h"
#include "web/origin.h"

namespace web {
namespace {

namespace json = boost::json;

std::optional<Verb> verb_of(const Request& request) {
  if (request.method == "GET" || request.method == "HEAD") return Verb::get;
  if (request.method == "POST") return Verb::post;
  if (request.method == "DELETE") return Verb::del;
  return {};
}

bool is_path(const Request& request, std::string_view path) { return request.target.path == path; }

// With a token in the URL, and nothing else, somebody opens the page. A browser says so; a program need not.
bool opens_page(const Request& request) {
  return is_path(request, "/") && request.target.value("token") &&
         (request.fetch_dest.empty() || request.fetch_dest == "document");
}

Verdict respond(Response response) { return {Verdict::What::respond, std::move(response), {}}; }

}  // namespace

Door::Door(host::Context& context, TokenBook& book, std::function<void(Saved)> save,
           std::function<size_t()> counts)
    : context_(context), book_(book), save_(std::move(save)), counts_(std::move(counts)), gates_(context) {}

std::string Door::agent_of(const Visitor& visitor, const std::string& address) {
  return fmt::format("web:{} {}", visitor.token, address);
}

std::string Door::cookie_name() const { return fmt::format("tend_{}", options_.port); }

std::optional<Response> Door::refuse_foreign(const Request& request) const {
  if (!is_own_host(request.host, request.local_address, options_.names))
    return refusal(421, "MISDIRECTED", "this name does not lead here; tend serve --name allows one more");
  if (!request.origin.empty() && !is_own_origin(request.origin, scheme(), request.host))
    return refusal(403, "FORBIDDEN", "requests of other sites are not answered");
  if (request.fetch_site == "cross-site" && !(is_path(request, "/") && request.method == "GET"))
    return refusal(403, "FORBIDDEN", "requests of other sites are not answered");
  return {};
}

std::optional<Visitor> Door::visitor_of(const Request& request, bool& shown) const {
  if (const auto token = bearer_token(request.authorization)) {
    shown = true;
    return book_.by_token(*token);
  }
  if (const auto cookie = cookie_value(request.cookie, cookie_name())) {
    shown = true;
    return book_.by_cookie(*cookie);
  }
  return {};
}

Response Door::too_many_attempts(const Request&) const {
  Response response = refusal(429, "TOO_MANY_ATTEMPTS", "too many wrong tokens; wait a minute");
  response.headers.emplace_back("Retry-After", std::to_string(kFailureTime.count()));
  return response;
}

Response Door::unauthorized(const Request& request, bool shown) {
  if (shown) {
    if (failures_.too_many(request.address, clock_.now())) return too_many_attempts(request);
    failures_.add(request.address, clock_.now());
    audit_login(request, "PTY_ACCESS_DENIED", "");
  }
  Response response = refusal(401, "UNAUTHORIZED", "show a token; tend serve prints one");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

Verdict Door::judge(const Request& request) {
  if (auto foreign = refuse_foreign(request)) return respond(std::move(*foreign));
  const auto verb = verb_of(request);
  if (!verb) return respond(refusal(405, "METHOD_NOT_ALLOWED", "there is GET, HEAD, POST and DELETE"));
  if (is_path(request, "/healthz")) return respond({.body = "{\"ok\":true}", .headers = {}});
  const bool login = is_path(request, "/api/login");
  if (login || (is_path(request, "/") && request.target.value("token"))) {
    if (login && *verb != Verb::post) return respond(refusal(405, "METHOD_NOT_ALLOWED", "POST it"));
    if (!login && (*verb != Verb::get || !opens_page(request)))
      return respond(refusal(403, "FORBIDDEN", "a token in a URL is for opening the page"));
    if (failures_.too_many(request.address, clock_.now())) return respond(too_many_attempts(request));
    return {Verdict::What::read_body, {}, {}};
  }
  if (*verb == Verb::get && find_asset(request.target.path) != nullptr) return respond(asset(request));
  const bool terminal = is_path(request, "/ws");
  const bool api = terminal || is_path(request, "/metrics") || request.target.path.starts_with("/api/");
  if (!api) return respond(refusal(404, "NOT_FOUND", "there is nothing here"));

  bool shown = false;
  auto visitor = visitor_of(request, shown);
  if (!visitor) return respond(unauthorized(request, shown));
  // A cookie comes by itself, whoever made the browser ask: so the browser must say who did.
  if (visitor->by == Visitor::By::cookie && (terminal || *verb != Verb::get) && request.origin.empty())
    return respond(refusal(403, "FORBIDDEN", "a cookie needs an Origin"));
  if (terminal) {
    if (!request.upgrade) return respond(refusal(400, "BAD_REQUEST", "this is a WebSocket"));
    return {Verdict::What::terminal, {}, std::move(visitor)};
  }
  if (*verb == Verb::get && is_path(request, "/api/events"))
    return {Verdict::What::events, {}, std::move(visitor)};
  for (const std::string_view own : {"/api/me", "/api/openapi.json", "/metrics"}) {
    if (is_path(request, own) && *verb == Verb::get)
      return {Verdict::What::read_body, {}, std::move(visitor)};
  }
  if (is_path(request, "/api/logout") && *verb == Verb::post)
    return {Verdict::What::read_body, {}, std::move(visitor)};
  const Found found = find_route(*verb, request.target);
  if (found.route == nullptr)
    return respond(found.path_exists ? refusal(405, "METHOD_NOT_ALLOWED", "not with this method")
                                     : refusal(404, "NOT_FOUND", "there is no such route"));
  if (found.route->access == Access::full && visitor->access != Access::full)
    return respond(refusal(403, "FORBIDDEN", "this token is for looking only"));
  return {Verdict::What::read_body, {}, std::move(visitor)};
}

Door::Pending Door::answer(const Request& request, const std::optional<Visitor>& visitor,
                           std::function<void(Response)> done) {
  if (is_path(request, "/")) {
    log_in(request, request.target.value("token").value_or(""), 303, done);
    return {};
  }
  if (is_path(request, "/api/login")) {
    boost::system::error_code wrong;
    const json::value body = json::parse(request.body, wrong);
    const json::value* token = wrong || !body.is_object() ? nullptr : body.get_object().if_contains("token");
    if (token == nullptr || !token->is_string() || !request.content_type.starts_with("application/json"))
      done(refusal(400, "BAD_REQUEST", R"(the body is {"token": "..."}, as application/json)"));
    else
      log_in(request, std::string(token->get_string()), 200, done);
    return {};
  }
  if (!visitor) {
    done(refusal(401, "UNAUTHORIZED", "show a token"));
    return {};
  }
  if (is_path(request, "/api/logout"))
    log_out(request, done);
  else if (is_path(request, "/api/me"))
    done(about_me(*visitor));
  else if (is_path(request, "/api/openapi.json"))
    done({.body = json::serialize(openapi()), .headers = {}});
  else if (is_path(request, "/metrics"))
    done(metrics());
  else
    return start_api_call(context_, gates_, request, *visitor, std::move(done));
  return {};
}

Response Door::about_me(const Visitor& visitor) const {
  return {.body = json::serialize(json::object{
              {"token", visitor.token}, {"access", access_name(visitor.access)}, {"version", TEND_VERSION}}),
          .headers = {}};
}

void Door::log_in(const Request& request, const std::string& token, unsigned status,
                  const std::function<void(Response)>& done) {
  const auto visitor = book_.by_token(token);
  if (!visitor) return done(unauthorized(request, true));
  audit_login(request, "ok", visitor->token);
  const auto cookie = book_.make_cookie(visitor->token);
  Response response = about_me(*visitor);
  response.status = status;
  if (status == 303) {
    response.body.clear();
    response.type.clear();
    response.headers.emplace_back("Location", "/");
  }
  response.headers.emplace_back(
      "Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000{}", cookie_name(),
                                cookie.value_or(""), options_.secure ? "; Secure" : ""));
  save_([done, response = std::move(response)](const base::Result<void>& saved) {
    done(saved ? response : failure(saved.error()));
  });
}

void Door::log_out(const Request& request, const std::function<void(Response)>& done) {
  if (const auto cookie = cookie_value(request.cookie, cookie_name())) book_.drop_cookie(*cookie);
  save_([done, name = cookie_name()](const base::Result<void>& saved) {
    if (!saved) return done(failure(saved.error()));
    done({.body = "{}",
          .headers = {{"Set-Cookie", name + "=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"}}});
  });
}

Response Door::asset(const Request& request) const {
  const Asset& found = *find_asset(request.target.path);
  Response response{
      .type = std::string(found.type),
      .headers = {
          {"ETag", std::string(found.tag)}, {"Cache-Control", "no-cache"}, {"Vary", "Accept-Encoding"}}};
  if (request.if_none_match.find(found.tag) != std::string::npos) {
    response.status = 304;
    response.type.clear();
  } else if (request.accept_encoding.find("gzip") != std::string::npos) {
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = found.gzip;
  } else {
    response.body = inflated(found);
  }
  return response;
}

void Door::audit_login(const Request& request, std::string_view result, std::string_view token) {
  store::AuditEntry entry =
      host::audit_entry("login", fmt::format("web:{} {}", token, request.address), "web");
  entry.result = result;
  context_.audit.add(std::move(entry));
}

Response Door::metrics() const {
  const auto up = std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - context_.started);
  std::string text;
  const auto add = [&](std::string_view name, std::string_view kind, std::string_view about, uint64_t value) {
    text += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n{0} {3}\n", name, kind, about, value);
  };
  size_t waiting = 0;
  for (const session::Session* each : context_.sessions.all())
    for (const auto& [number, pty] : each->ptys())
      if (pty->activity() == detect::State::waiting) waiting++;
  add("tend_uptime_seconds", "gauge", "Since the daemon began.", static_cast<uint64_t>(up.count()));
  add("tend_sessions", "gauge", "Sessions that live.", context_.sessions.living());
  add("tend_ptys_waiting", "gauge", "Terminals whose program waits for a person.", waiting);
  add("tend_clients", "gauge", "Clients on the socket.", context_.clients());
  add("tend_degraded", "gauge", "Parts that do not work as they should.", context_.degraded().size());
  add("tend_web_connections", "gauge", "Connections of browsers and programs.", counts_());
  add("tend_input_filter_blocked_total", "counter", "Sequences that the input filter took out.",
      gates_.blocked());
  text +=
      "# HELP tend_web_answers_total Answers, by the first digit of their status.\n"
      "# TYPE tend_web_answers_total counter\n";
  for (size_t i = 1; i < answers_.size(); i++)
    text += fmt::format("tend_web_answers_total{{status=\"{}xx\"}} {}\n", i, answers_[i]);
  return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = std::move(text), .headers = {}};
}

}  // namespace web
