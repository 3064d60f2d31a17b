// SPDX-License-Identifier: Apache-2.0
// What a browser types: what passes the filter and the guard of pastes is the same however it is cut, stands
// in the input in that order, and has no control byte that is blocked.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "filter/input_filter.h"
#include "filter/paste.h"

namespace {

constexpr base::Moment kStart{std::chrono::hours(1)};

void check(bool holds) {
  if (!holds) std::abort();
}

struct Outcome {
  std::string bytes;
  uint32_t blocked = 0;
  uint32_t debounced = 0;
  bool operator==(const Outcome&) const = default;
};

Outcome filtered(const filter::Rules& rules, std::string_view input, size_t piece) {
  filter::InputFilter filter(rules);
  Outcome outcome;
  const auto add = [&](const filter::Filtered& more) {
    outcome.bytes += more.bytes;
    outcome.blocked += more.blocked;
    outcome.debounced += more.debounced;
  };
  for (; !input.empty(); input.remove_prefix(std::min(piece, input.size())))
    add(filter.take(input.substr(0, piece), kStart));
  add(filter.release(kStart + std::chrono::hours(1)));
  return outcome;
}

std::string guarded(std::string_view input, size_t piece) {
  filter::PasteGuard guard;
  std::string passed;
  for (; !input.empty(); input.remove_prefix(std::min(piece, input.size())))
    passed += guard.take(input.substr(0, piece));
  return passed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  filter::Rules rules;
  if ((data[0] & 1) != 0) rules.anchor = filter::Anchor::anywhere;
  if ((data[0] & 2) != 0) rules.partial_hold = base::Duration(0);
  if ((data[0] & 4) != 0) rules.sequences = {"abc", "\x1b[A", "bcd", " ex"};
  if ((data[0] & 8) != 0) rules.sequences = {" exi\r", "abcab\x1b[A", "b\r", "t\x15", "it\x17"};
  const size_t piece = 1 + data[1] % 8;
  const Outcome whole = filtered(rules, input, input.size() + 1);
  check(whole == filtered(rules, input, piece));
  check(guarded(input, input.size() + 1) == guarded(input, piece));
  if (whole.blocked + whole.debounced == 0) check(whole.bytes == input);
  check(whole.bytes.find('\x04') == std::string::npos && whole.bytes.find('\x1c') == std::string::npos);
  const std::string pasted = filter::harmless_paste(input);
  check(std::none_of(pasted.begin(), pasted.end(), [](char c) {
    return c == '\x7f' || (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r');
  }));
  return 0;
}
