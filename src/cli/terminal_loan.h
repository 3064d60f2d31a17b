// SPDX-License-Identifier: Apache-2.0
// TerminalLoan: the user's terminal, lent to the daemon while an attachment sleeps (pty/loan.h). It comes
// back before anybody else touches the terminal: the attachment when something happens, and term's handlers
// on every way out; and then what the daemon showed has been looked at for what it left on.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "cli/user_terminal.h"
#include "pty/journal.h"
#include "pty/loan.h"
#include "wire/client.h"

namespace cli {

class TerminalLoan {
 public:
  // Null where the terminal cannot be lent. It must be entered, and it and the journal stay the caller's.
  static std::unique_ptr<TerminalLoan> make(UserTerminal& terminal, const pty::Journal& journal);
  ~TerminalLoan();
  TerminalLoan(const TerminalLoan&) = delete;
  TerminalLoan& operator=(const TerminalLoan&) = delete;

  // Asks the daemon to take it; what is typed from one of `stops` on comes back and goes to no program.
  void offer(wire::Client& client, const std::vector<std::string>& stops);
  // Whether this was the answer. It may be lent if that was a yes.
  bool take_answer(const wire::Response& response);
  bool wanted() const { return wanted_; }
  // The daemon has gone, and with it what it was told. If it went over the offer (it may have no descriptors
  // left), no other daemon gets one.
  void withdraw();

  // The number of this lending. Neither read nor write the terminal until it is back.
  uint64_t lend(const pty::Standing& standing);
  bool lent() const { return lent_; }
  pty::Standing take_back();

 private:
  TerminalLoan(UserTerminal& terminal, const pty::Journal& journal, pty::Lender lender);
  static void recalled(void* loan) noexcept;

  UserTerminal& terminal_;
  const pty::Journal& journal_;
  pty::Lender lender_;
  base::Fd daemon_;    // its pidfd
  uint64_t seen_ = 0;  // how far the output was looked at
  pty::Standing standing_;
  std::optional<uint64_t> asked_;
  bool wanted_ = false;
  bool given_up_ = false;
  bool lent_ = false;
};

}  // namespace cli
