// SPDX-License-Identifier: Apache-2.0
// Proxy: the only way out of a sandbox with `network: proxy`. It takes HTTP requests and CONNECT from a
// listener in the sandbox, and goes where the rules allow, from the host. It is a process of its own (program
// `tend-proxy`), so that looking up a name holds nobody else up and that it goes on while the daemon is away.
//
// A thread for each connection, 64 at most; more wait. Head, times and buffers have bounds.
#pragma once
#include <string>
#include <vector>

#include "base/domain_rule.h"
#include "base/fd.h"

namespace sandbox {

class Proxy {
 public:
  explicit Proxy(std::vector<base::DomainRule> rules) : rules_(std::move(rules)) {}

  // For as long as the listener is good.
  void serve(int listener) const;

 private:
  void handle(base::Fd client) const;
  const base::DomainRule* rule_for(const std::string& host, uint16_t port) const;

  std::vector<base::DomainRule> rules_;
};

}  // namespace sandbox
