// SPDX-License-Identifier: Apache-2.0
// TokenBook: who may come in. Of tokens and cookies only digests are kept, so that whoever reads the file
// cannot use it. A cookie belongs to the token it was made with, and dies with it.
#pragma once
#include <boost/json/array.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "web/secrets.h"

namespace web {

enum class Access { full, read_only };

std::string_view access_name(Access access);

// Somebody who has shown a token or a cookie.
struct Visitor {
  std::string token;  // its id
  Access access = Access::read_only;
  enum class By { token, cookie } by = By::token;
};

class TokenBook {
 public:
  struct Issued {
    std::string id;
    std::string secret;
  };
  // The oldest goes when there are too many.
  Issued issue(Access access, int64_t now);
  bool revoke(std::string_view id);
  void clear() { tokens_.clear(); }

  std::optional<Visitor> by_token(std::string_view secret) const;
  std::optional<Visitor> by_cookie(std::string_view value) const;
  bool knows(std::string_view id) const;

  // A new one; the oldest of this token's goes when there are too many.
  std::optional<std::string> make_cookie(std::string_view token);
  void drop_cookie(std::string_view value);

  boost::json::array describe() const;  // for people: no digests
  boost::json::array save() const;
  base::Result<void> load(const boost::json::value& saved);

 private:
  struct Token {
    std::string id;
    Digest digest{};
    Access access = Access::read_only;
    int64_t created_at = 0;  // microseconds
    std::vector<Digest> cookies = {};
  };

  std::vector<Token> tokens_;  // oldest first
};

}  // namespace web
