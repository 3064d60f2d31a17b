// SPDX-License-Identifier: Apache-2.0
// What a sandboxed program asks the proxy for: whatever passes names one host that is a name, and what is
// forwarded is one head, with that host in it once, which says the same when it is read again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <string>

#include "base/domain_rule.h"
#include "base/strings.h"
#include "sandbox/request_head.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

bool is_host_line(std::string_view line) {
  std::string name(line.substr(0, line.find(':')));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return name == "host";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // As the proxy does it: up to and with the first empty line.
  std::string text(reinterpret_cast<const char*>(data), size);
  const size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos) return 0;
  text.resize(end + 4);
  const auto head = sandbox::parse_head(text);
  if (!head) return 0;
  check(head->port != 0 && base::domain_name(head->host) == head->host);
  check(head->tunnel == head->forward.empty());
  if (head->tunnel) return 0;
  check(head->forward.find("\r\n\r\n") == head->forward.size() - 4);
  check(head->forward.find('\0') == std::string::npos);
  int hosts = 0;
  for (const std::string_view line : base::split(head->forward, '\n')) hosts += is_host_line(line) ? 1 : 0;
  check(hosts == 1);
  // To a proxy behind it, it would be the same request.
  const size_t blank = head->forward.find(' ');
  std::string again = head->forward;
  again.insert(blank + 1, fmt::format("http://{}:{}", head->host, head->port));
  const auto same = sandbox::parse_head(again);
  check(same && same->host == head->host && same->port == head->port);
  return 0;
}
