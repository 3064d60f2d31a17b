// SPDX-License-Identifier: Apache-2.0
// tend serve: opens the daemon's door for browsers, and prints the link.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/global_options.h"

namespace cli {

struct ServeOptions {
  std::optional<std::string> host;
  std::optional<uint16_t> port;
  std::optional<std::string> tls_cert;
  std::optional<std::string> tls_key;
  std::vector<std::string> names;
  std::optional<std::string> revoke;
  bool insecure = false;
  bool read_only = false;
  bool stop = false;
  bool tokens = false;
  bool json = false;
};
int serve(const ServeOptions& options, const GlobalOptions& global);

}  // namespace cli
