// SPDX-License-Identifier: Apache-2.0
#include "cli/report.h"

#include <cstdio>
#include <fmt/format.h>
#include <string_view>

#include "base/strings.h"

namespace cli {

namespace {

// What a person does next, where that is the same whatever the command was.
std::string_view advice(base::Code code) {
  const bool asked = code == base::Code::prompt_not_found || code == base::Code::prompt_stale;
  return asked ? "; 'tend prompts' has what is asked now" : "";
}

}  // namespace

int report(const base::Error& error) {
  // Names of programs and folders come from outside and may hold anything.
  fmt::print(stderr, "tend: {}{}\n", base::printable(error.message(), 2000), advice(error.code));
  switch (error.code) {
    case base::Code::invalid_param:
      return kBadUsage;
    case base::Code::pty_session_not_found:
    case base::Code::prompt_not_found:
      return kNotFound;
    case base::Code::no_daemon:
      return kNoDaemon;
    case base::Code::pty_timeout:
      return kTimedOut;
    default:
      return kFailed;
  }
}

int finish(const base::Result<int>& code) { return code ? *code : report(code.error()); }

}  // namespace cli
