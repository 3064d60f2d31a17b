// SPDX-License-Identifier: Apache-2.0
// tend-proxy RULE…: started outside a sandbox for those within, with a listener in there as descriptor 3.
#include <cstdio>
#include <utility>
#include <vector>

#include "sandbox/proxy.h"

int main(int argc, char** argv) {
  std::vector<base::DomainRule> rules;
  for (int i = 1; i < argc; i++) {
    auto rule = base::DomainRule::parse(argv[i]);
    if (!rule) {
      std::fprintf(stderr, "tend-proxy: '%s' is no rule\n", argv[i]);
      return 2;
    }
    rules.push_back(std::move(*rule));
  }
  constexpr int kListener = 3;
  sandbox::Proxy(std::move(rules)).serve(kListener);
  return 1;
}
