// SPDX-License-Identifier: Apache-2.0
// The bytes that undo what is on, and that bring it back. Everything here but the two std::string forms runs
// in signal handlers too: no allocation, no lock.
#include <algorithm>
#include <cstring>

#include "term/leftovers.h"
#include "term/leftovers_modes.h"

namespace term {
namespace {

using namespace modes;

// Appends to a buffer that is known to be large enough; kMostBytes is tested with everything on.
class Writer {
 public:
  explicit Writer(std::span<char, Leftovers::kMostBytes> into) : into_(into) {}

  void text(std::string_view bytes) {
    const size_t n = std::min(bytes.size(), into_.size() - size_);
    std::memcpy(into_.data() + size_, bytes.data(), n);
    size_ += n;
  }
  void number(unsigned value) {
    char digits[10];
    size_t at = sizeof digits;
    do digits[--at] = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    text({digits + at, sizeof digits - at});
  }
  void sequence(std::string_view front, unsigned value, std::string_view back) {
    text(front);
    number(value);
    text(back);
  }
  size_t size() const { return size_; }

 private:
  std::span<char, Leftovers::kMostBytes> into_;
  size_t size_ = 0;
};

void mode_off(Writer& out, const Mode& mode) {
  out.sequence("\x1b[?", mode.number, (mode.bit & kInverse) != 0 ? "h" : "l");
}

void mode_on(Writer& out, const Mode& mode) {
  out.sequence("\x1b[?", mode.number, (mode.bit & kInverse) != 0 ? "l" : "h");
}

void keyboard_off(Writer& out, const Keyboard& stack) {
  if (stack.depth > 0) out.sequence("\x1b[<", stack.depth, "u");
  if (stack.base != 0) out.text("\x1b[=0;1u");
}

void keyboard_on(Writer& out, const Keyboard& stack) {
  if (stack.base != 0) out.sequence("\x1b[=", stack.base, ";1u");
  for (unsigned below = std::min(stack.depth, Keyboard::kKept); below-- > 0;)
    out.sequence("\x1b[>", stack.level(below), "u");
}

void leave_alternate(Writer& out, uint64_t on) {
  if ((on & kAlternate1049) != 0) {
    // It brings the cursor back from where it was kept, so origin mode may move it before that.
    if ((on & kOrigin) != 0) out.text("\x1b[?6l");
    out.text("\x1b[?1049l");
  } else {
    out.text((on & kAlternate1047) != 0 ? "\x1b[?1047l" : "\x1b[?47l");
  }
}

void reset_margins(Writer& out, uint64_t on) {
  if ((on & (kScrollRegion | kMargins)) != 0) {
    out.text(
        "\x1b"
        "7");  // both move the cursor to the first line
    if ((on & kMargins) != 0) out.text("\x1b[?69l");
    if ((on & kScrollRegion) != 0) out.text("\x1b[r");
    out.text(
        "\x1b"
        "8");
  }
  // Leaving origin mode moves the cursor too, and DECRC would bring the mode back with the position. The
  // last line is where a shell can go on without writing over anything.
  if ((on & kOrigin) != 0 && (on & kAlternate1049) == 0) out.text("\x1b[?6l\x1b[9999;1H");
}

void reset_rest(Writer& out, uint64_t on) {
  constexpr uint64_t kDone = kAlternate | kOrigin | kMargins | kSynchronized;
  for (const Mode& mode : kPrivate)
    if ((on & mode.bit & ~kDone & ~kKeypad) != 0) mode_off(out, mode);
  for (const Mode& mode : kAnsi)
    if ((on & mode.bit) != 0) out.sequence("\x1b[", mode.number, "l");
  if ((on & kKeypad) != 0) out.text("\x1b>");
  if ((on & kCursorShape) != 0) out.text("\x1b[0 q");
  if ((on & kOtherKeys) != 0) out.text("\x1b[>4m");
  if ((on & kAttributes) != 0) out.text("\x1b[m");
  if ((on & kCharset) != 0) out.text("\x1b(B");
  if ((on & kShift) != 0) out.text("\x0f");
  if ((on & kHyperlink) != 0) out.text("\x1b]8;;\x1b\\");
  if ((on & kPalette) != 0) out.text("\x1b]104\x1b\\");
  for (unsigned osc = 10; osc <= 19; osc++)
    if ((on & colour(osc)) != 0) out.sequence("\x1b]", osc + 100, "\x1b\\");
}

}  // namespace

size_t Leftovers::undo(std::span<char, kMostBytes> into) const noexcept {
  Writer out(into);
  const uint64_t on = on_.load(std::memory_order_relaxed);
  // Out of a sequence that the program began and did not finish: CAN drops it, ST ends a string for those
  // terminals that do not let CAN do it.
  if (open_.load(std::memory_order_relaxed)) out.text("\x18\x1b\\");
  if ((on & kSynchronized) != 0) out.text("\x1b[?2026l");
  if ((on & kAlternate) != 0) {
    keyboard_off(out, Keyboard(keyboard_[1].load(std::memory_order_relaxed)));
    leave_alternate(out, on);
  }
  keyboard_off(out, Keyboard(keyboard_[0].load(std::memory_order_relaxed)));
  reset_margins(out, on);
  reset_rest(out, on);
  return out.size();
}

std::string Leftovers::undo() const {
  std::array<char, kMostBytes> bytes;
  return {bytes.data(), undo(bytes)};
}

bool Leftovers::empty() const noexcept {
  std::array<char, kMostBytes> bytes;
  return undo(bytes) == 0;
}

void Leftovers::park() noexcept {
  const uint64_t on = on_.exchange(0, std::memory_order_relaxed);
  parked_.fetch_or(on, std::memory_order_relaxed);
  // The alternate screen's stack can be undone only while that screen is shown, so only then it was.
  const size_t stacks = (on & kAlternate) != 0 ? 2 : 1;
  for (size_t i = 0; i < stacks; i++) {
    const uint64_t stack = keyboard_[i].exchange(0, std::memory_order_relaxed);
    if (stack != 0) parked_keyboard_[i].store(stack, std::memory_order_relaxed);
  }
}

std::string Leftovers::redo() {
  constexpr uint64_t kNotAgain = kAlternate | kOrigin | kMargins | kSynchronized | kKeypad;
  std::array<char, kMostBytes> bytes;
  Writer out(bytes);
  const uint64_t on = parked_.exchange(0, std::memory_order_relaxed) & ~on_.load(std::memory_order_relaxed);
  keyboard_on(out, Keyboard(parked_keyboard_[0].exchange(0, std::memory_order_relaxed)));
  for (const Mode& mode : kPrivate)
    if ((on & mode.bit & kAlternate) != 0) mode_on(out, mode);
  keyboard_on(out, Keyboard(parked_keyboard_[1].exchange(0, std::memory_order_relaxed)));
  for (const Mode& mode : kPrivate)
    if ((on & mode.bit & ~kNotAgain) != 0) mode_on(out, mode);
  if ((on & kKeypad) != 0) out.text("\x1b=");
  if ((on & kInsert) != 0) out.text("\x1b[4h");
  if ((on & kCursorShape) != 0) out.sequence("\x1b[", cursor_shape_.load(std::memory_order_relaxed), " q");
  if ((on & kOtherKeys) != 0) out.sequence("\x1b[>4;", other_keys_.load(std::memory_order_relaxed), "m");
  return {bytes.data(), out.size()};
}

}  // namespace term
