// SPDX-License-Identifier: Apache-2.0
#include "vt/parser.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace vt {
namespace {

constexpr unsigned char kBell = 0x07;
constexpr unsigned char kCancel = 0x18;
constexpr unsigned char kSubstitute = 0x1a;
constexpr size_t kKeptCapacity = 1024;

bool is_intermediate(unsigned char byte) { return byte >= 0x20 && byte <= 0x2f; }
bool is_prefix(unsigned char byte) { return byte >= 0x3c && byte <= 0x3f; }

// Which of the next kWindow bytes are no digits, one bit each.
uint32_t non_digits(const char* p) {
#ifdef __SSE2__
  const auto half = [](const char* at) {
    const __m128i zero = _mm_set1_epi8('0');
    const __m128i nine = _mm_set1_epi8(9);
    const __m128i digits = _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)), zero);
    return ~static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(digits, nine), digits))) &
           0xFFFF;
  };
  return half(p) | half(p + 16) << 16;
#else
  uint32_t mask = 0;
  for (int i = 0; i < kWindow; i++) mask |= static_cast<uint32_t>(p[i] < '0' || p[i] > '9') << i;
  return mask;
#endif
}

// A number of up to four digits, without a loop over them: their count is different every time, and a
// processor that guesses it wrong loses more time than all of this takes.
int32_t short_number(const char* p, unsigned digits) {
  if constexpr (std::endian::native == std::endian::little) {
    uint32_t bytes = 0;
    std::memcpy(&bytes, p, sizeof bytes);
    // The last digit to the highest byte, zeros before the first.
    bytes = static_cast<uint32_t>(static_cast<uint64_t>(bytes ^ 0x30303030) << (32 - 8 * digits));
    const uint32_t pairs = (bytes * 10 + (bytes >> 8)) & 0x00FF00FF;
    return static_cast<int32_t>((pairs & 0xFF) * 100 + (pairs >> 16));
  }
  int32_t value = 0;
  for (; digits > 0; digits--) value = value * 10 + (*p++ - '0');
  return value;
}

}  // namespace

void Sequence::clear() {
  prefix = 0;
  intermediate_count = 0;
  final = 0;
  count = 1;
  full = false;
  colons = 0;
  values[0] = 0;
  spelling = {};
}

void Parser::reset() {
  state_ = State::ground;
  drop_string();
}

const char* Parser::go_on(const char* p, const char* end, Actions& actions) {
  switch (state_) {
    case State::device_string:
    case State::system_string:
    case State::system_skip:
    case State::string_skip:
      return string(p, end, actions);
    case State::character_skip:
      while (p != end && (*p & 0xC0) == 0x80) ++p;
      if (p != end) state_ = State::ground;
      return p;
    default:
      return sequence(p, end, actions);
  }
}

// Reads the usual control sequence at once: a prefix or none, numbers below 10,000 between semicolons, a
// final byte, no more than fits the window. Gives the end, or nothing where the state machine has to look
// closer.
const char* Parser::read_control(const char* p) {
  sequence_.clear();
  if (is_prefix(static_cast<unsigned char>(*p))) sequence_.prefix = *p++;
  uint32_t stops = non_digits(p);
  unsigned start = 0;
  for (uint8_t count = 0; stops != 0; stops &= stops - 1) {
    const auto stop = static_cast<unsigned>(__builtin_ctz(stops));
    if (stop - start > 4) return nullptr;
    sequence_.values[count++] = short_number(p + start, stop - start);
    const auto byte = static_cast<unsigned char>(p[stop]);
    start = stop + 1;
    if (byte == ';') continue;
    if (byte < 0x40 || byte > 0x7e) return nullptr;
    sequence_.final = static_cast<char>(byte);
    sequence_.count = count;
    return p + start;
  }
  return nullptr;
}

// Everything between an ESC and the final byte.
const char* Parser::sequence(const char* p, const char* end, Actions& actions) {
  while (p != end && state_ != State::ground) {
    if (state_ == State::control_parameters || state_ == State::device_parameters) {
      p = parameters(p, end);
      if (p == end) break;
    }
    const auto byte = static_cast<unsigned char>(*p++);
    if (byte < 0x20) {
      if (byte == kEscape) {
        sequence_.clear();
        state_ = State::escape;
      } else if (byte == kCancel || byte == kSubstitute) {
        state_ = State::ground;
      } else if (!in_device()) {
        actions.execute(byte);
      }
    } else if (byte == kDelete) {
      continue;
    } else if (byte >= 0x80) {
      if (state_ != State::control_skip) state_ = State::character_skip;
    } else if (state_ == State::escape || state_ == State::escape_intermediate) {
      escape_byte(byte, actions);
    } else {
      sequence_byte(byte, actions);
    }
    if (state_ >= State::device_string) break;
  }
  return p;
}

const char* Parser::parameters(const char* p, const char* end) {
  for (; p != end && is_parameter(static_cast<unsigned char>(*p)); ++p) {
    if (sequence_.full) continue;
    int32_t& value = sequence_.values[sequence_.count - 1U];
    if (*p <= '9') {
      const int32_t digit = *p - '0';
      value = value < 0
                  ? digit
                  : std::min<int32_t>(kMostValue, value > kMostValue / 10 ? kMostValue : value * 10 + digit);
      continue;
    }
    if (sequence_.count == Sequence::kMost) {
      sequence_.full = true;
      continue;
    }
    const bool colon = *p == ':';
    sequence_.colons |= static_cast<uint32_t>(colon) << sequence_.count;
    sequence_.values[sequence_.count++] = colon ? -1 : 0;
  }
  return p;
}

void Parser::escape_byte(unsigned char byte, Actions& actions) {
  if (is_intermediate(byte)) {
    collect(byte);
    state_ = State::escape_intermediate;
    return;
  }
  if (state_ == State::escape) {
    switch (byte) {
      case '[':
        state_ = State::control_entry;
        return;
      case 'P':
        state_ = State::device_entry;
        return;
      case ']':
        state_ = State::system_string;
        return;
      case 'X':
      case '^':
      case '_':
        state_ = State::string_skip;
        return;
      default:
        break;
    }
  }
  state_ = State::ground;
  sequence_.final = static_cast<char>(byte);
  actions.escape(sequence_);
}

// A byte of CSI or DCS that is no control: parameters are read elsewhere, except the first.
void Parser::sequence_byte(unsigned char byte, Actions& actions) {
  const bool device = in_device();
  const bool entry = state_ == State::control_entry || state_ == State::device_entry;
  const bool inner = state_ == State::control_intermediate || state_ == State::device_intermediate;
  if (state_ == State::control_skip) {
    if (byte >= 0x40) state_ = State::ground;
  } else if (is_intermediate(byte)) {
    collect(byte);
    state_ = device ? State::device_intermediate : State::control_intermediate;
  } else if (byte < 0x40) {
    if (inner || (is_prefix(byte) && !entry)) {
      state_ = device ? State::string_skip : State::control_skip;
      return;
    }
    state_ = device ? State::device_parameters : State::control_parameters;
    const char first = static_cast<char>(byte);
    if (is_prefix(byte))
      sequence_.prefix = first;
    else
      parameters(&first, &first + 1);
  } else {
    sequence_.final = static_cast<char>(byte);
    state_ = device ? State::device_string : State::ground;
    if (!device) actions.control(sequence_);
  }
}

void Parser::collect(unsigned char byte) {
  if (sequence_.intermediate_count < sequence_.intermediates.size())
    sequence_.intermediates[sequence_.intermediate_count++] = static_cast<char>(byte);
}

const char* Parser::string(const char* p, const char* end, Actions& actions) {
  while (p != end) {
    const size_t size = scan_text(p, end).size;
    keep(p, size);
    p += size;
    if (p == end) break;
    const auto byte = static_cast<unsigned char>(*p++);
    const bool system = state_ == State::system_string || state_ == State::system_skip;
    if (byte == kEscape) {
      finish_string(Terminator::string, actions);
      sequence_.clear();
      state_ = State::escape;
      break;
    }
    if (byte == kBell && system) {
      finish_string(Terminator::bell, actions);
      break;
    }
    if (byte == kCancel || byte == kSubstitute) {
      reset();
      break;
    }
    // In OSC, DEL counts as text and controls as nothing; in DCS the other way round.
    if ((byte == kDelete) == system) keep(p - 1, 1);
  }
  return p;
}

void Parser::keep(const char* p, size_t size) {
  if (size == 0 || state_ == State::system_skip || state_ == State::string_skip) return;
  const bool system = state_ == State::system_string;
  const bool no_number = system && string_.empty() && (*p < '0' || *p > '9');
  if (no_number || string_.size() + size > kMostString) {
    drop_string();
    state_ = system ? State::system_skip : State::string_skip;
    return;
  }
  // Two steps, not doubling: with the old and the new buffer both alive, doubling could take three times the
  // bound.
  if (string_.size() + size > string_.capacity())
    string_.reserve(string_.size() + size > kKeptCapacity ? kMostString : kKeptCapacity);
  string_.append(p, size);
}

void Parser::finish_string(Terminator terminator, Actions& actions) {
  const State was = state_;
  state_ = State::ground;
  if (was == State::system_string) actions.system_command(string_, terminator);
  if (was == State::device_string) actions.device_control(sequence_, string_);
  drop_string();
}

void Parser::drop_string() {
  string_.clear();
  if (string_.capacity() > kKeptCapacity) std::string().swap(string_);
}

std::string Parser::pending() const {
  std::string out;
  const auto numbers = [&] {
    if (sequence_.prefix != 0) out += sequence_.prefix;
    for (size_t i = 0; i < sequence_.count; i++) {
      if (i > 0) out += sequence_.is_sub(i) ? ':' : ';';
      if (sequence_.values[i] >= 0) out += std::to_string(sequence_.values[i]);
    }
    if (sequence_.full) out += ';';
  };
  const auto between = [&] { out.append(sequence_.intermediates.data(), sequence_.intermediate_count); };
  switch (state_) {
    case State::ground:
      break;
    case State::escape:
      out = "\x1b";
      break;
    case State::escape_intermediate:
      out = "\x1b";
      between();
      break;
    case State::control_entry:
      out = "\x1b[";
      break;
    case State::device_entry:
      out = "\x1bP";
      break;
    case State::control_parameters:
    case State::device_parameters:
    case State::control_intermediate:
    case State::device_intermediate:
    case State::device_string:
      out = in_device() || state_ == State::device_string ? "\x1bP" : "\x1b[";
      numbers();
      between();
      if (state_ == State::device_string) out += sequence_.final + string_;
      break;
    case State::control_skip:
      out = "\x1b[0<";
      break;
    case State::system_string:
      out = "\x1b]" + string_;
      break;
    case State::system_skip:
      out = "\x1b]!";
      break;
    case State::string_skip:
      out = "\x1bX";
      break;
    case State::character_skip:
      out = "\x1b\xc2";
      break;
  }
  return out;
}

}  // namespace vt
