// SPDX-License-Identifier: Apache-2.0
#include "sandbox/request_head.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/domain_rule.h"
#include "base/strings.h"

namespace sandbox {
namespace {

using base::Code;
using base::fail;
using base::Result;

constexpr uint16_t kHttp = 80;

struct Address {
  std::string host;
  uint16_t port;
};

std::unexpected<base::Error> refuse(const char* why) { return fail(Code::invalid_param, 0, why); }

bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(x) == lower(y);
  });
}

// HOST or HOST:PORT, and nothing else: no user, no address in brackets.
std::optional<Address> address_of(std::string_view text, std::optional<uint16_t> usual) {
  std::optional<uint16_t> port = usual;
  if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    port = base::parse_number<uint16_t>(text.substr(colon + 1), 1, 65535);
    text = text.substr(0, colon);
  }
  auto host = base::domain_name(text);
  if (!host || !port) return {};
  return Address{std::move(*host), *port};
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c != 0x7f; });
}

struct Field {
  std::string_view name;
  std::string_view value;
};

Result<std::vector<Field>> fields_of(std::string_view text) {
  std::vector<Field> fields;
  while (!text.empty()) {
    const size_t end = text.find("\r\n");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 2);
    if (line.empty()) break;
    const size_t colon = line.find(':');
    // A line that goes on with blanks, or a name with one in it, is read in two ways in the world.
    if (colon == std::string_view::npos || colon == 0 || !is_plain(line.substr(0, colon)) ||
        line.substr(0, colon).find(' ') != std::string_view::npos ||
        line.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos)
      return refuse("a header that is none");
    fields.push_back({line.substr(0, colon), base::trim(line.substr(colon + 1))});
  }
  return fields;
}

Result<std::string> forward_of(std::string_view method, std::string_view path, std::string_view authority,
                               const Address& to, const std::vector<Field>& fields) {
  std::string text = std::string(method) + " " + std::string(path.empty() ? "/" : path) + " HTTP/1.1\r\n";
  text += "Host: " + std::string(authority) + "\r\n";
  for (const Field& each : fields) {
    if (same(each.name, "Host")) {
      const auto named = address_of(each.value, kHttp);
      if (!named || named->host != to.host || named->port != to.port)
        return refuse("a Host that is not the one of the address");
      continue;
    }
    // One request for a connection: the next one may want to go elsewhere.
    if (same(each.name, "Connection") || same(each.name, "Proxy-Connection") ||
        same(each.name, "Proxy-Authorization") || same(each.name, "Keep-Alive") || same(each.name, "Upgrade"))
      continue;
    text += std::string(each.name) + ": " + std::string(each.value) + "\r\n";
  }
  return text + "Connection: close\r\n\r\n";
}

}  // namespace

Result<RequestHead> parse_head(std::string_view text) {
  const size_t end = text.find("\r\n");
  if (end == std::string_view::npos || !text.ends_with("\r\n\r\n")) return refuse("no request");
  const auto words = base::split(text.substr(0, end), ' ');
  if (words.size() != 3 || words[0].empty() || words[1].empty() || !is_plain(text.substr(0, end)) ||
      (words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0"))
    return refuse("no request");
  auto fields = fields_of(text.substr(end + 2));
  if (!fields) return fail(fields);
  RequestHead head;
  if (words[0] == "CONNECT") {
    auto to = address_of(words[1], {});
    if (!to) return refuse("CONNECT wants NAME:PORT");
    head.tunnel = true;
    head.host = std::move(to->host);
    head.port = to->port;
    return head;
  }
  constexpr std::string_view kScheme = "http://";
  if (!words[1].starts_with(kScheme)) return refuse("a request to a proxy names the whole address");
  const std::string_view rest = words[1].substr(kScheme.size());
  const size_t slash = std::min(rest.find_first_of("/?#"), rest.size());
  auto to = address_of(rest.substr(0, slash), kHttp);
  if (!to || rest.find('#') != std::string_view::npos || (slash < rest.size() && rest[slash] == '?'))
    return refuse("an address that is no http://NAME[:PORT]/PATH");
  auto forward = forward_of(words[0], rest.substr(slash), rest.substr(0, slash), *to, *fields);
  if (!forward) return fail(forward);
  head.host = std::move(to->host);
  head.port = to->port;
  head.forward = std::move(*forward);
  return head;
}

}  // namespace sandbox
