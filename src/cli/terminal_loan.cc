// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal_loan.h"

#include <algorithm>
#include <array>
#include <span>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "base/unix_socket.h"

namespace cli {
namespace {

base::Fd open_process(const wire::Client& client) {
  const auto peer = base::peer_of(client.fd());
  return base::Fd(peer ? static_cast<int>(::syscall(SYS_pidfd_open, peer->pid, 0)) : -1);
}

}  // namespace

std::unique_ptr<TerminalLoan> TerminalLoan::make(UserTerminal& terminal, const pty::Journal& journal) {
  if (!terminal.shows()) return nullptr;
  auto lender = pty::Lender::make(terminal.input(), terminal.output());
  if (!lender) return nullptr;
  return std::unique_ptr<TerminalLoan>(new TerminalLoan(terminal, journal, std::move(*lender)));
}

TerminalLoan::TerminalLoan(UserTerminal& terminal, const pty::Journal& journal, pty::Lender lender)
    : terminal_(terminal), journal_(journal), lender_(std::move(lender)) {
  terminal_.raw()->on_recall(recalled, this);
}

TerminalLoan::~TerminalLoan() {
  take_back();
  terminal_.raw()->on_recall(nullptr, nullptr);
}

void TerminalLoan::offer(wire::Client& client, const std::vector<std::string>& stops) {
  if (given_up_) return;
  daemon_ = open_process(client);
  wire::json::array texts;
  for (const std::string& each : stops) texts.emplace_back(each);
  asked_ = client.send_with("pty.lend", {{"stops", std::move(texts)}}, lender_.descriptors());
}

bool TerminalLoan::take_answer(const wire::Response& response) {
  if (!asked_ || response.id != *asked_) return false;
  asked_.reset();
  wanted_ = response.result.has_value();
  return true;
}

void TerminalLoan::withdraw() {
  given_up_ = given_up_ || asked_;
  asked_.reset();
  wanted_ = false;
}

uint64_t TerminalLoan::lend(const pty::Standing& standing) {
  standing_ = standing;
  seen_ = standing.offset;
  lent_ = true;
  return lender_.lend(standing);
}

pty::Standing TerminalLoan::take_back() {
  // With signals blocked: the same may be about to happen in a handler.
  if (std::exchange(lent_, false)) terminal_.raw()->recall();
  return standing_;
}

void TerminalLoan::recalled(void* loan) noexcept {
  TerminalLoan& self = *static_cast<TerminalLoan*>(loan);
  self.standing_ = self.lender_.take_back(self.daemon_.get());
  std::array<char, 4096> buffer;
  while (self.seen_ < self.standing_.offset) {
    const size_t most = std::min<uint64_t>(buffer.size(), self.standing_.offset - self.seen_);
    const auto piece = self.journal_.read(self.seen_, std::span(buffer).first(most));
    if (piece.count == 0) break;
    self.terminal_.raw()->leftovers().feed({buffer.data(), piece.count});
    self.seen_ = piece.offset + piece.count;
  }
}

}  // namespace cli
