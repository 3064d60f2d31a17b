// SPDX-License-Identifier: Apache-2.0
// A loan: the user's terminal in the daemon's hands, for as long as its client has nothing to do with it. The
// client (Lender) sleeps; the daemon (Borrower) reads what is typed and shows what the program writes, and no
// third process has to be woken in between. The client can have its terminal back at any time, from a signal
// handler too, and knows then how far it has come.
//
// The two share a page and a pipe:
//   holder          lender; free: lent, and nobody is at it; busy: the borrower is at it, for a moment
//   round           counts lendings, so that a borrower never takes a later one for the one it was told of
//   shown           the terminal shows the output before this offset
//   typed, reached  bytes of keys that were taken from it, and that have reached the program's terminal
//
// A kill -9 of the borrower loses no output and shows none twice. What goes to the terminal is put into the
// pipe, and from there the kernel moves it (splice):
//   1. intent = shown + n, stage = filling     nothing of it has been shown
//   2. n bytes into the pipe, stage = moving   shown is intent - FIONREAD(pipe), whatever happens
//   3. the kernel moves what the terminal takes
//   4. shown = intent - what is left, stage = none
// Keys cannot be handled like that, because they are looked at on their way: `typed` is written before they
// are taken, so that those of which nobody knows whether they arrived are at least counted.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "pty/journal.h"
#include "pty/probe_proc.h"

namespace pty {

struct LoanPage;

// The page, mapped.
class LoanMapping {
 public:
  LoanMapping() = default;
  explicit LoanMapping(LoanPage* page) : page_(page) {}
  LoanMapping(LoanMapping&& other) noexcept : page_(std::exchange(other.page_, nullptr)) {}
  LoanMapping& operator=(LoanMapping&& other) noexcept;
  LoanMapping(const LoanMapping&) = delete;
  LoanMapping& operator=(const LoanMapping&) = delete;
  ~LoanMapping();
  LoanPage* operator->() const { return page_; }

 private:
  LoanPage* page_ = nullptr;
};

// How far a terminal has come.
struct Standing {
  uint64_t offset = 0;
  uint64_t typed = 0;
  uint64_t reached = 0;
};

class Lender {
 public:
  static constexpr size_t kDescriptors = 4;

  // Of the terminal that is open as `input` and as `output`. An error if these are two, or where it cannot be
  // opened anew: the descriptors that are there are shared with others, and would have to be nonblocking for
  // them too.
  static base::Result<Lender> make(int input, int output);

  // What the borrower needs.
  std::array<int, kDescriptors> descriptors() const;

  // The number of this lending.
  uint64_t lend(const Standing& standing);
  // Nobody but this process is at the terminal afterwards. The borrower is waited for if it is at it just
  // now, but not one that has ended (`borrower` is a pidfd, or -1), and no longer than a second. Safe in
  // signal handlers; may be called again.
  Standing take_back(int borrower) const noexcept;

 private:
  Lender() = default;
  void settle() const noexcept;

  LoanMapping page_;
  base::Fd file_;
  base::Pipe pipe_;
  base::Fd terminal_;
};

class Borrower {
 public:
  // What a lender sent; `lender` is its process. All of it is looked at: a stranger's file could end the
  // borrower.
  static base::Result<Borrower> take(std::vector<base::Fd> descriptors, pid_t lender);

  int terminal() const { return terminal_.get(); }

  // Whether the lender could itself use its terminal now. One that is stopped, or has been put into the
  // background, has no handler for that: its shell has the terminal.
  bool lender_in_front();

  // A moment at the terminal, if it is lent, in that round.
  class Turn {
   public:
    Turn(const Borrower& borrower, uint64_t round);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    explicit operator bool() const { return held_; }

    // Shows output up to `end`, as much as the terminal takes now. Gives the offset up to which it shows.
    uint64_t show(const Journal& journal, uint64_t end);
    // What was typed, where `typed` bytes were before it; 0: nothing, or the terminal has gone.
    size_t read(std::span<char> buffer, uint64_t typed);

   private:
    void give_back();

    const Borrower& borrower_;
    bool held_ = false;
  };

  void note_keys(uint64_t typed, uint64_t reached) const;

 private:
  Borrower() = default;
  size_t move_out(size_t count) const;

  LoanMapping page_;
  base::Pipe pipe_;
  base::Fd terminal_;
  dev_t device_ = 0;
  std::optional<probe::StateFile> lender_;
  std::optional<probe::Turns> turns_;
  uint64_t asleep_since_ = 0;  // the turn after which it was seen asleep, with its terminal; 0: none
};

}  // namespace pty
