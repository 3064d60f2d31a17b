// SPDX-License-Identifier: Apache-2.0
#include "cli/input.h"

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/human.h"

namespace cli {

using base::Code;
using base::fail;
using base::Result;

Result<std::string> read_input(size_t most) {
  std::string text;
  std::array<char, 64 << 10> buffer;
  for (;;) {
    const ssize_t n = ::read(0, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(Code::internal, errno, "cannot read the input");
    if (n == 0) return text;
    text.append(buffer.data(), static_cast<size_t>(n));
    if (text.size() > most)
      return fail(Code::invalid_param, 0,
                  fmt::format("the input has more than {}; send it in parts", amount_of_bytes(most)));
  }
}

}  // namespace cli
