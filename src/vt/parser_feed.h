// SPDX-License-Identifier: Apache-2.0
// The hot half of Parser: text, and the control sequences that stand between words of it. Templates over who
// is told, and `flatten` takes in all of it that the caller's file shows: a call for every word and every
// colour would cost a twentieth of the time.
#pragma once
#include "vt/parser.h"

namespace vt {

template <typename Receiver>
void Parser::feed(std::string_view bytes, Receiver& receiver) {
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  while (p != end) p = state_ == State::ground ? ground(p, end, receiver) : go_on(p, end, receiver);
}

// The usual control sequence, all of it here and without the state machine: an SGR that was seen before by
// its spelling, others by their parameters. Gives the end, or nothing if it is none of these.
template <typename Receiver>
const char* Parser::quick_control(const char* p, const char* const end, Receiver& receiver) {
  if (end - p < kWindow + 2 || *p != '[') return nullptr;
  ++p;
  const size_t size = parameter_bytes(p);
  Spelling spelling;
  if (size <= Spelling::kMost && p[size] == 'm') {
    spelling = Spelling(p, size);
    if (receiver.known_rendition(spelling)) return p + size + 1;
  }
  const char* const behind = read_control(p);
  if (behind == nullptr) return nullptr;
  sequence_.spelling = spelling;
  receiver.control(sequence_);
  return behind;
}

template <typename Receiver>
[[gnu::flatten]] const char* Parser::ground(const char* p, const char* end, Receiver& receiver) {
  while (p != end) {
    const TextRun run = scan_text(p, end);
    if (run.size != 0) {
      receiver.print(p, run);
      p += run.size;
      if (p == end) break;
    }
    const auto byte = static_cast<unsigned char>(*p++);
    if (byte == kEscape) {
      if (const char* const behind = quick_control(p, end, receiver)) {
        p = behind;
        continue;
      }
      sequence_.clear();
      state_ = State::escape;
      break;
    }
    if (byte != kDelete) receiver.execute(byte);
  }
  return p;
}

}  // namespace vt
