// SPDX-License-Identifier: Apache-2.0
// The scanner: recognizes, in output cut anywhere, the sequences that leave something on.
#include "term/leftovers.h"

#include <algorithm>
#include <bit>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "term/leftovers_modes.h"

namespace term {
namespace {

using namespace modes;

constexpr char kEscape = '\x1b';
constexpr char kCancel = '\x18';
constexpr char kSubstitute = '\x1a';
constexpr char kBell = '\x07';
constexpr char kShiftOut = '\x0e';
constexpr char kShiftIn = '\x0f';

template <size_t N>
uint64_t bit_of(const std::array<Mode, N>& table, unsigned number) {
  for (const Mode& mode : table)
    if (mode.number == number) return mode.bit;
  return 0;
}

bool is_between(char byte, char first, char last) { return byte >= first && byte <= last; }
bool is_intermediate(char byte) { return is_between(byte, ' ', '/'); }
bool is_final(char byte) { return is_between(byte, '@', '~'); }

uint16_t with_digit(uint16_t value, char digit) {
  return static_cast<uint16_t>(std::min(value * 10U + static_cast<unsigned>(digit - '0'), 65535U));
}

// One step that no handler can come between.
template <typename Change>
void change_keyboard(std::atomic<uint64_t>& word, const Change& change) {
  uint64_t before = word.load(std::memory_order_relaxed);
  Keyboard after(before);
  do {
    after = Keyboard(before);
    change(after);
  } while (!word.compare_exchange_weak(before, after.word(), std::memory_order_relaxed));
}

#ifdef __SSE2__
// 64 bytes of output, and which of them are what, a bit each.
class Block {
 public:
  static constexpr ptrdiff_t kSize = 64;

  explicit Block(const char* from) {
    for (size_t i = 0; i < kParts; i++)
      parts_[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from) + i);
  }
  uint64_t equal(char byte) const {
    const __m128i wanted = _mm_set1_epi8(byte);
    return where([&](__m128i part) { return _mm_cmpeq_epi8(part, wanted); });
  }
  uint64_t between(char first, char last) const {
    const __m128i from = _mm_set1_epi8(first);
    const __m128i most = _mm_set1_epi8(static_cast<char>(last - first));
    return where([&](__m128i part) {
      const __m128i above = _mm_sub_epi8(part, from);
      return _mm_cmpeq_epi8(_mm_min_epu8(above, most), above);
    });
  }

 private:
  static constexpr size_t kParts = kSize / 16;

  template <typename Test>
  uint64_t where(const Test& test) const {
    uint64_t bits = 0;
    for (size_t i = 0; i < kParts; i++)
      bits |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(test(parts_[i])))) << (16 * i);
    return bits;
  }

  __m128i parts_[kParts];
};

struct Skipped {
  const char* at;
  std::string_view last_sgr = {};  // its parameters
  bool any_sgr = false;
};

// Over text and the sequences that common() knows, many at a time: their lengths are different every time,
// and a processor that guesses them wrong loses more time than all of this takes. Stops at whatever is
// something else, is cut by the end, or is near it.
Skipped skip_common(const char* at, const char* const end) {
  Skipped skipped{at};
  for (; end - skipped.at >= Block::kSize;) {
    const Block block(skipped.at);
    uint64_t escapes = block.equal(kEscape);
    if (escapes == 0) {
      skipped.at += Block::kSize;
      continue;
    }
    const uint64_t parameters = block.between('0', '9') | block.equal(';');
    // What is added to the first parameter is carried to the byte behind the last one.
    uint64_t begins = escapes << 2;
    uint64_t finals = (parameters + begins) & ~parameters;
    ptrdiff_t size = Block::kSize;
    const int last = 63 - std::countl_zero(escapes);
    if ((finals >> last) == 0) {
      // The last one goes on in the next block, which begins with it.
      if (last == 0) break;
      size = last;
      escapes &= bit(static_cast<unsigned>(last)) - 1;
      begins = escapes << 2;
      finals = (parameters + begins) & ~parameters;
    }
    const uint64_t colours = block.equal('m') & finals;
    if (((escapes << 1) & ~block.equal('[')) != 0 || (finals & ~colours & ~block.between('A', 'Z')) != 0)
      break;
    if (colours != 0) {
      const int behind = 63 - std::countl_zero(colours);
      const int from = 63 - std::countl_zero(begins & (bit(static_cast<unsigned>(behind)) * 2 - 1));
      skipped.last_sgr = {skipped.at + from, static_cast<size_t>(behind - from)};
      skipped.any_sgr = true;
    }
    skipped.at += size;
  }
  return skipped;
}
#endif

}  // namespace

void Keyboard::push(unsigned flags) {
  levels = (levels << 5 | (flags & 31)) & (bit(5 * kKept) - 1);
  depth = std::min(depth + 1, kMostDepth);
}

void Keyboard::pop(unsigned count) {
  if (count > depth) base = 0;  // a pop that empties the stack resets the flags
  levels = count < kKept ? levels >> (5 * count) : 0;
  depth -= std::min(count, depth);
  if (depth == 0) levels = 0;
}

void Keyboard::change(unsigned flags, unsigned how) {
  const unsigned now = depth > 0 ? level(0) : base;
  unsigned next = flags & 31;
  if (how == 2) next |= now;
  if (how == 3) next = now & ~next;
  if (depth > 0)
    levels = (levels & ~uint64_t{31}) | next;
  else
    base = next;
}

void Leftovers::feed(std::string_view output) noexcept {
  const char* at = output.data();
  const char* const end = at + output.size();
  // Where nothing shifts, which is nearly always, no text need be searched for it.
  const bool any = output.find(kShiftOut) != output.npos || output.find(kShiftIn) != output.npos;
  const Shifts shifts = any ? Shifts::some : Shifts::none;
  while (at != end) {
    if (state_ == State::ground)
      at = plain(at, end, shifts);
    else
      step(*at++);
  }
  open_.store(state_ != State::ground, std::memory_order_relaxed);
}

// Text up to the next escape that matters, which is nearly everything: the speed of the scanner is the speed
// of this. Of all attributes that are set on the way, only the last ones count.
const char* Leftovers::plain(const char* from, const char* end, Shifts shifts) noexcept {
  Attributes attributes = Attributes::kept;
  const char* at = from;
  for (;;) {
#ifdef __SSE2__
    if (shifts == Shifts::none) {
      const Skipped skipped = skip_common(at, end);
      at = skipped.at;
      if (skipped.any_sgr)
        attributes = skipped.last_sgr.find_first_not_of("0;") != std::string_view::npos ? Attributes::some
                                                                                        : Attributes::none;
    }
#endif
    const auto* found = static_cast<const char*>(std::memchr(at, kEscape, static_cast<size_t>(end - at)));
    if (shifts == Shifts::some) shift({at, static_cast<size_t>((found == nullptr ? end : found) - at)});
    if (found == nullptr) {
      at = end;
      break;
    }
    at = common(found, end, attributes);
    if (at != found) continue;
    begin(State::escape);
    at++;
    break;
  }
  if (attributes != Attributes::kept) set(kAttributes, attributes == Attributes::some);
  return at;
}

// Colours, and what moves and erases: nine in ten sequences, and all that they may leave on is attributes.
// Returns what is behind the sequence, if it is one of these and all of it is here; else where it begins.
const char* Leftovers::common(const char* from, const char* end, Attributes& attributes) noexcept {
  if (end - from < 2 || from[1] != '[') return from;
  const char* at = from + 2;
  bool nonzero = false;
  for (; at != end && is_between(*at, '0', ';') && *at != ':'; at++)
    nonzero = nonzero || (*at != '0' && *at != ';');
  if (at == end) return from;
  if (*at == 'm') {
    attributes = nonzero ? Attributes::some : Attributes::none;
    return at + 1;
  }
  return is_between(*at, 'A', 'Z') || *at == 'd' || *at == 'f' ? at + 1 : from;
}

// Of all shifts out and in, only the last one counts.
void Leftovers::shift(std::string_view text) noexcept {
  const auto last = [text](char byte) -> ptrdiff_t {
    const auto* found = static_cast<const char*>(::memrchr(text.data(), byte, text.size()));
    return found == nullptr ? -1 : found - text.data();
  };
  const ptrdiff_t out = last(kShiftOut);
  if (out < 0 && (on_.load(std::memory_order_relaxed) & kShift) == 0) return;
  const ptrdiff_t in = last(kShiftIn);
  if (out != in) set(kShift, out > in);
}

void Leftovers::begin(State state) noexcept {
  state_ = state;
  prefix_ = intermediate_ = 0;
  odd_ = nonzero_ = begun_ = false;
  fields_ = value_ = 0;
  first_ = {};
  named_ = 0;
}

void Leftovers::step(char byte) noexcept {
  if (state_ == State::csi && is_between(byte, '0', '~')) return csi(byte);  // most of all that comes here
  if (byte == kEscape) {
    if (state_ == State::osc) end_osc();
    return begin(State::escape);
  }
  if (byte == kCancel || byte == kSubstitute) return begin(State::ground);
  if (state_ == State::osc) return osc(byte);
  if (state_ == State::string || byte == '\x7f') return;
  if (byte == kShiftOut || byte == kShiftIn) return set(kShift, byte == kShiftOut);
  if (is_between(byte, '\0', '\x1f')) return;  // carried out in the middle of a sequence, which goes on
  if (static_cast<unsigned char>(byte) >= 0x80) return begin(State::ground);
  if (state_ == State::escape)
    escape(byte);
  else
    csi(byte);
}

void Leftovers::escape(char byte) noexcept {
  if (is_intermediate(byte)) {
    odd_ = intermediate_ != 0;
    intermediate_ = byte;
    return;
  }
  if (intermediate_ == 0) {
    if (byte == '[') return begin(State::csi);
    if (byte == ']') return begin(State::osc);
    if (byte == 'P' || byte == 'X' || byte == '^' || byte == '_') return begin(State::string);
    escape_final(byte);
  } else if (intermediate_ == '(' && !odd_) {
    set(kCharset, byte != 'B');
  }
  state_ = State::ground;
}

void Leftovers::escape_final(char byte) noexcept {
  switch (byte) {
    case '=':
    case '>':
      return set(kKeypad, byte == '=');
    case 'n':
    case 'o':
      return turn_on(kShift);
    case '7':
      return save_cursor();
    case '8':
      return restore_cursor();
    case 'c':
      return forget();
    default:
      return;
  }
}

void Leftovers::csi(char byte) noexcept {
  if (is_final(byte)) {
    state_ = State::ground;
    end_parameter();
    csi_final(byte);
  } else if (is_intermediate(byte)) {
    odd_ = odd_ || intermediate_ != 0;
    intermediate_ = byte;
  } else if (is_between(byte, '<', '?')) {
    odd_ = odd_ || begun_ || prefix_ != 0 || fields_ > 0 || intermediate_ != 0;
    prefix_ = byte;
  } else {
    odd_ = odd_ || byte == ':' || intermediate_ != 0;
    begun_ = true;
    if (is_between(byte, '0', '9'))
      value_ = with_digit(value_, byte);
    else
      end_parameter();
  }
}

void Leftovers::end_parameter() noexcept {
  if (fields_ < first_.size()) first_[fields_] = value_;
  if (fields_ < UINT16_MAX) fields_++;
  nonzero_ = nonzero_ || value_ != 0;
  named_ |= prefix_ == '?' ? bit_of(kPrivate, value_) : bit_of(kAnsi, value_);
  value_ = 0;
}

void Leftovers::csi_final(char byte) noexcept {
  if (prefix_ == 0 && intermediate_ == 0 && byte == 'm') return set(kAttributes, nonzero_ || odd_);
  if (odd_) return;
  if (intermediate_ == ' ' && prefix_ == 0 && byte == 'q') {
    cursor_shape_.store(static_cast<uint8_t>(std::min<unsigned>(first_[0], 255)), std::memory_order_relaxed);
    set(kCursorShape, first_[0] != 0);
  } else if (intermediate_ == '!' && prefix_ == 0 && byte == 'p') {
    turn_off(kSoftReset);
  } else if (intermediate_ != 0) {
    return;
  } else if (prefix_ == 0) {
    csi_plain(byte);
  } else if (prefix_ == '?') {
    csi_private(byte);
  } else if (byte == 'u') {
    keyboard();
  } else if (byte == 'm' && prefix_ == '>' && (first_[0] == 4 || first_[0] == 0)) {
    other_keys_.store(static_cast<uint8_t>(std::min<unsigned>(first_[1], 255)), std::memory_order_relaxed);
    set(kOtherKeys, first_[0] == 4 && first_[1] != 0);
  }
}

void Leftovers::csi_plain(char byte) noexcept {
  switch (byte) {
    case 'h':
      return turn_on(named_);
    case 'l':
      return turn_off(named_);
    case 'r':
      return set(kScrollRegion, first_[0] > 1 || first_[1] != 0);
    case 's':  // with left and right margins allowed it sets them
      if (!begun_ && (on_.load(std::memory_order_relaxed) & kMargins) == 0) save_cursor();
      return;
    case 'u':
      if (!begun_) restore_cursor();
      return;
    default:
      return;
  }
}

void Leftovers::csi_private(char byte) noexcept {
  const uint64_t now = on_.load(std::memory_order_relaxed);
  switch (byte) {
    case 'h':
      if ((named_ & kAlternate1049) != 0) save_cursor();
      return change_modes(named_ & ~kInverse, named_ & kInverse);
    case 'l':
      change_modes(named_ & kInverse, named_ & ~kInverse);
      if ((named_ & kAlternate1049) != 0) restore_cursor();
      return;
    case 's':
      saved_ = (saved_ & ~named_) | (now & named_);
      return;
    case 'r':
      return change_modes(named_ & saved_, named_ & ~saved_);
    default:
      return;
  }
}

// Whichever mode showed the alternate screen, each of the three leaves it.
void Leftovers::change_modes(uint64_t on, uint64_t off) noexcept {
  if ((off & kAlternate) != 0) off |= kAlternate;
  turn_off(off);
  turn_on(on);
}

void Leftovers::keyboard() noexcept {
  const bool alternate = (on_.load(std::memory_order_relaxed) & kAlternate) != 0;
  change_keyboard(keyboard_[alternate ? 1 : 0], [this](Keyboard& stack) {
    if (prefix_ == '>') stack.push(first_[0]);
    if (prefix_ == '<') stack.pop(std::max<unsigned>(first_[0], 1));
    if (prefix_ == '=') stack.change(first_[0], first_[1]);
  });
}

void Leftovers::osc(char byte) noexcept {
  if (byte == kBell) {
    end_osc();
    state_ = State::ground;
  } else if (byte == ';') {
    end_osc_field();
  } else if (fields_ == 0) {
    odd_ = odd_ || !is_between(byte, '0', '9');
    value_ = with_digit(value_, byte);
  } else if (value_ == 0) {
    value_ = static_cast<unsigned char>(byte);  // the field's first byte tells a query from a colour
  }
}

void Leftovers::end_osc_field() noexcept {
  const unsigned number = fields_ == 0 ? value_ : first_[0];
  if (fields_ == 0) {
    first_[0] = value_;
  } else if (value_ != 0 && value_ != '?') {
    if (number == 4 && fields_ % 2 == 0) named_ |= kPalette;
    if (number == 8 && fields_ >= 2) named_ |= kHyperlink;
    // Further fields are the colours that follow: OSC 10 ; text ; background ; cursor.
    if (number >= 10 && number + fields_ - 1U <= 19) named_ |= colour(number + fields_ - 1U);
  }
  fields_ =
      static_cast<uint16_t>(fields_ < UINT16_MAX ? fields_ + 1 : fields_ - 1);  // odd and even stay true
  value_ = 0;
}

void Leftovers::end_osc() noexcept {
  end_osc_field();
  if (odd_) return;
  const unsigned number = first_[0];
  if (number == 8)
    set(kHyperlink, named_ != 0);
  else if (number == 104 && fields_ == 1)
    turn_off(kPalette);
  else if (number >= 110 && number <= 119)
    turn_off(colour(number - 100));
  else
    turn_on(named_);
}

void Leftovers::turn_on(uint64_t bits) noexcept {
  if (bits != 0) on_.fetch_or(bits, std::memory_order_relaxed);
}

void Leftovers::turn_off(uint64_t bits) noexcept {
  if (bits == 0) return;
  on_.fetch_and(~bits, std::memory_order_relaxed);
  parked_.fetch_and(~bits, std::memory_order_relaxed);
}

void Leftovers::save_cursor() noexcept { saved_cursor_ = on_.load(std::memory_order_relaxed) & kCursorState; }

void Leftovers::restore_cursor() noexcept {
  turn_off(kCursorState & ~saved_cursor_);
  turn_on(saved_cursor_);
}

void Leftovers::forget() noexcept {
  on_.store(0, std::memory_order_relaxed);
  parked_.store(0, std::memory_order_relaxed);
  for (auto* stacks : {&keyboard_, &parked_keyboard_})
    for (auto& stack : *stacks) stack.store(0, std::memory_order_relaxed);
  saved_ = saved_cursor_ = 0;
}

void Leftovers::clear() noexcept {
  forget();
  begin(State::ground);
  open_.store(false, std::memory_order_relaxed);
}

}  // namespace term
