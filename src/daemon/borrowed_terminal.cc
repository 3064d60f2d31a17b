// SPDX-License-Identifier: Apache-2.0
#include "daemon/borrowed_terminal.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/wipe.h"

namespace host {
namespace {

// A look at the client costs some microseconds: a flood is not looked at more often than that.
constexpr std::chrono::milliseconds kLook{1};

constexpr uint64_t kMuch = 2 << 10;

size_t find_first(std::string_view text, const std::vector<std::string>& wanted) {
  size_t first = std::string_view::npos;
  for (const std::string& each : wanted) first = std::min(first, text.find(each));
  return first;
}

}  // namespace

BorrowedTerminal::BorrowedTerminal(event::Loop& loop, pty::Borrower borrower, std::vector<std::string> stops,
                                   Uses uses)
    : borrower_(std::move(borrower)),
      stops_(std::move(stops)),
      uses_(std::move(uses)),
      watch_(loop, borrower_.terminal(), [this](event::Ready) { take_keys(); }) {}

void BorrowedTerminal::use(uint64_t round, uint64_t shown) {
  in_use_ = true;
  round_ = round;
  from_ = shown;
  looked_ = {};
  watch();
}

void BorrowedTerminal::rest() {
  if (std::exchange(in_use_, false)) watch();
}

bool BorrowedTerminal::lender_in_front() {
  looked_ = clock_.now();
  return borrower_.lender_in_front();
}

uint64_t BorrowedTerminal::show(const pty::Journal& journal, uint64_t shown, uint64_t end) {
  // Of much, each does a part, the daemon and the client: together they are faster.
  if (!in_use_ || end - shown >= kMuch) return shown;
  // The client looks through what was shown for what it left on, and must find it in the journal.
  if (end - from_ > journal.capacity() / 4) return shown;
  if (clock_.now() - looked_ > kLook && !lender_in_front()) return shown;
  pty::Borrower::Turn turn(borrower_, round_);
  return turn ? turn.show(journal, end) : shown;
}

void BorrowedTerminal::take_keys() {
  if (!in_use_) return watch();
  std::array<char, 16 << 10> buffer;
  size_t count = 0;
  if (lender_in_front()) {
    pty::Borrower::Turn turn(borrower_, round_);
    // Taken back: the client is awake, and says when it is lent again.
    if (!turn) return rest();
    count = turn.read(buffer, uses_.typed());
  }
  // Nothing to read though there is something: the terminal has gone, or is not the client's now.
  if (count == 0) return uses_.give_back();
  const std::string_view keys(buffer.data(), count);
  const size_t stop = std::min(find_first(keys, stops_), count);
  uses_.take(keys.substr(0, stop), keys.substr(stop));
  base::wipe(buffer.data(), count);
}

}  // namespace host
