// SPDX-License-Identifier: Apache-2.0
// BorrowedTerminal: the terminal of an attached client that sleeps (pty/loan.h), as its connection has it. It
// may be used from one pty.ready, which says so, until the client is told anything: what it does about that
// comes before all else.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "event/loop.h"
#include "pty/loan.h"

namespace host {

class BorrowedTerminal {
 public:
  struct Uses {
    std::function<uint64_t()> typed;  // bytes of keys until now
    // What was typed: for the program, and from a stop on, for the client. May be the end of this object.
    std::function<void(std::string_view keys, std::string_view rest)> take;
    std::function<void()> give_back;  // the client has to see for itself what is with its terminal
  };

  BorrowedTerminal(event::Loop& loop, pty::Borrower borrower, std::vector<std::string> stops, Uses uses);

  void use(uint64_t round, uint64_t shown);
  void rest();
  bool in_use() const { return in_use_; }

  // As a viewer's.
  uint64_t show(const pty::Journal& journal, uint64_t shown, uint64_t end);
  void note_keys(uint64_t typed, uint64_t reached) { borrower_.note_keys(typed, reached); }

 private:
  void take_keys();
  bool lender_in_front();
  void watch() { watch_.want({.input = in_use_}); }

  pty::Borrower borrower_;
  std::vector<std::string> stops_;
  Uses uses_;
  base::RealClock clock_;
  bool in_use_ = false;
  uint64_t round_ = 0;
  uint64_t from_ = 0;  // where the output of this round began
  base::Moment looked_{};
  event::Watch watch_;
};

}  // namespace host
