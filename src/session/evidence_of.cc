// SPDX-License-Identifier: Apache-2.0
#include "session/evidence_of.h"

#include <string>

#include "base/strings.h"

namespace session {

static_assert(static_cast<int>(detect::Verdict::waits) == static_cast<int>(pty::Look::Verdict::waits));
static_assert(static_cast<int>(detect::Verdict::gone) == static_cast<int>(pty::Look::Verdict::gone));

detect::Evidence evidence_of(const pty::Look& look) {
  return {.verdict = static_cast<detect::Verdict>(look.verdict),
          .canonical = look.canonical,
          .echo = look.echo,
          .reader = look.reader,
          .command = base::printable(look.command, 64),
          .call = std::string(pty::name_of(look.call)),
          .timeout_ms = look.timeout_ms,
          .turns = look.turns,
          .cpu_ns = look.cpu_ns,
          .unread = look.unread,
          .refused = look.refused,
          .sockets = look.sockets,
          .requests = look.requests,
          .pipes = look.pipes,
          .shell = look.shell,
          .relayed = look.relayed};
}

}  // namespace session
