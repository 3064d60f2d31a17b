// SPDX-License-Identifier: Apache-2.0
#include "web/tokens.h"

#include <algorithm>

#include "base/ids.h"
#include "daemon/describe.h"
#include "web/limits.h"
#include "wire/params.h"

namespace web {
namespace {

using base::Code;
namespace json = boost::json;

}  // namespace

std::string_view access_name(Access access) { return access == Access::full ? "full" : "read-only"; }

TokenBook::Issued TokenBook::issue(Access access, int64_t now) {
  Issued issued{base::new_id(), new_secret()};
  if (tokens_.size() >= kMostTokens) tokens_.erase(tokens_.begin());
  tokens_.push_back(
      {.id = issued.id, .digest = digest_of(issued.secret), .access = access, .created_at = now});
  return issued;
}

bool TokenBook::revoke(std::string_view id) {
  return std::erase_if(tokens_, [&](const Token& each) { return each.id == id; }) > 0;
}

// Every one is looked at, whichever fits: how long it takes tells nothing.
std::optional<Visitor> TokenBook::by_token(std::string_view secret) const {
  const Digest shown = digest_of(secret);
  std::optional<Visitor> visitor;
  for (const Token& each : tokens_) {
    if (same(each.digest, shown)) visitor = {each.id, each.access, Visitor::By::token};
  }
  return visitor;
}

std::optional<Visitor> TokenBook::by_cookie(std::string_view value) const {
  const Digest shown = digest_of(value);
  std::optional<Visitor> visitor;
  for (const Token& each : tokens_) {
    for (const Digest& cookie : each.cookies)
      if (same(cookie, shown)) visitor = {each.id, each.access, Visitor::By::cookie};
  }
  return visitor;
}

bool TokenBook::knows(std::string_view id) const {
  return std::any_of(tokens_.begin(), tokens_.end(), [&](const Token& each) { return each.id == id; });
}

std::optional<std::string> TokenBook::make_cookie(std::string_view token) {
  for (Token& each : tokens_) {
    if (each.id != token) continue;
    std::string value = new_secret();
    if (each.cookies.size() >= kMostCookies) each.cookies.erase(each.cookies.begin());
    each.cookies.push_back(digest_of(value));
    return value;
  }
  return {};
}

void TokenBook::drop_cookie(std::string_view value) {
  const Digest shown = digest_of(value);
  for (Token& each : tokens_)
    std::erase_if(each.cookies, [&](const Digest& one) { return same(one, shown); });
}

json::array TokenBook::describe() const {
  json::array list;
  for (const Token& each : tokens_)
    list.push_back(json::object{{"id", each.id},
                                {"access", access_name(each.access)},
                                {"created_at", host::to_time(each.created_at)},
                                {"browsers", each.cookies.size()}});
  return list;
}

json::array TokenBook::save() const {
  json::array list;
  for (const Token& each : tokens_) {
    json::array cookies;
    for (const Digest& cookie : each.cookies) cookies.emplace_back(to_hex(cookie));
    list.push_back(json::object{{"id", each.id},
                                {"sha256", to_hex(each.digest)},
                                {"access", access_name(each.access)},
                                {"created_at", each.created_at},
                                {"cookies", std::move(cookies)}});
  }
  return list;
}

base::Result<void> TokenBook::load(const json::value& saved) {
  const auto broken = [] { return base::fail(Code::internal, 0, "the tokens cannot be read"); };
  if (!saved.is_array()) return broken();
  std::vector<Token> tokens;
  for (const json::value& each : saved.get_array()) {
    if (!each.is_object()) return broken();
    const json::object& about = each.get_object();
    const auto digest = digest_from_hex(wire::text(about, "sha256").value_or(""));
    if (!digest) return broken();
    Token token{.id = wire::text(about, "id").value_or(""),
                .digest = *digest,
                .access = wire::text(about, "access") == "full" ? Access::full : Access::read_only,
                .created_at = wire::integer(about, "created_at").value_or(0)};
    for (const std::string& text : wire::texts(about, "cookies")) {
      const auto cookie = digest_from_hex(text);
      if (!cookie) return broken();
      token.cookies.push_back(*cookie);
    }
    tokens.push_back(std::move(token));
  }
  tokens_ = std::move(tokens);
  return {};
}

}  // namespace web
