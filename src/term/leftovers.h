// SPDX-License-Identifier: Apache-2.0
// Leftovers: what the program inside has turned on in the user's terminal and not yet off again, so that the
// way out undoes exactly that and nothing else (a CSI ?1049l that nobody asked for moves the cursor).
// One thread feeds it every byte that goes to the terminal, before the write and cut anywhere. The flags are
// lock-free: any thread and any signal handler may ask for the undo bytes meanwhile. Sequences are
// recognized in their 7-bit form, the one that programs send to UTF-8 terminals.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace term {

class Leftovers {
 public:
  // No undo or redo is longer, whatever was on.
  static constexpr size_t kMostBytes = 768;

  void feed(std::string_view output) noexcept;

  // Nothing to undo, and not in the middle of a sequence.
  bool empty() const noexcept;

  // The bytes that turn off what is on. The second form is for signal handlers: it fills a buffer of
  // kMostBytes and returns the length.
  std::string undo() const;
  size_t undo(std::span<char, kMostBytes> into) const noexcept;

  // After the undo bytes were written to step aside for a while: nothing is on any more, and redo() knows
  // what was. Safe in signal handlers.
  void park() noexcept;

  // The bytes that turn on again what park() put away and the program has not turned off since; to be fed
  // and written like the program's own output. It covers modes, cursor, keyboard and the choice of screen;
  // colours, margins and character sets come back when the program redraws.
  std::string redo();

  // Forgets everything, for a terminal that starts afresh.
  void clear() noexcept;

 private:
  enum class State : uint8_t { ground, escape, csi, osc, string };
  enum class Shifts : uint8_t { none, some };
  enum class Attributes : uint8_t { kept, none, some };

  const char* plain(const char* from, const char* end, Shifts shifts) noexcept;
  static const char* common(const char* from, const char* end, Attributes& attributes) noexcept;
  void shift(std::string_view text) noexcept;
  void begin(State state) noexcept;
  void step(char byte) noexcept;
  void escape(char byte) noexcept;
  void escape_final(char byte) noexcept;
  void csi(char byte) noexcept;
  void end_parameter() noexcept;
  void csi_final(char byte) noexcept;
  void csi_plain(char byte) noexcept;
  void csi_private(char byte) noexcept;
  void change_modes(uint64_t on, uint64_t off) noexcept;
  void keyboard() noexcept;
  void osc(char byte) noexcept;
  void end_osc_field() noexcept;
  void end_osc() noexcept;
  void turn_on(uint64_t bits) noexcept;
  void turn_off(uint64_t bits) noexcept;
  void set(uint64_t bits, bool on) noexcept { on ? turn_on(bits) : turn_off(bits); }
  void save_cursor() noexcept;
  void restore_cursor() noexcept;
  void forget() noexcept;

  // Shared with handlers. The keyboard stacks, of the main and the alternate screen, are packed into a word
  // each, so that they change at once.
  std::atomic<uint64_t> on_{0};
  std::atomic<uint64_t> parked_{0};
  std::array<std::atomic<uint64_t>, 2> keyboard_{};
  std::array<std::atomic<uint64_t>, 2> parked_keyboard_{};
  std::atomic<uint8_t> cursor_shape_{0};
  std::atomic<uint8_t> other_keys_{0};
  std::atomic<bool> open_{false};  // the output so far ends inside a sequence

  // The scanner's own. Parameters are folded into what they mean as they come, so that lists have no limit.
  State state_ = State::ground;
  char prefix_ = 0;                  // ? > < = before the parameters
  char intermediate_ = 0;            // the last one before the final byte
  bool odd_ = false;                 // a colon or something out of place: only SGR may have that
  bool nonzero_ = false;             // any parameter that is not zero
  bool begun_ = false;               // any parameter at all
  uint16_t fields_ = 0;              // parameters or OSC fields that are complete
  uint16_t value_ = 0;               // the number so far, or the first byte of an OSC field
  std::array<uint16_t, 2> first_{};  // the first two parameters, or the OSC number
  uint64_t named_ = 0;               // modes that the list names, or what the OSC sets
  uint64_t saved_ = 0;               // by CSI ? s
  uint64_t saved_cursor_ = 0;        // by DECSC
};

}  // namespace term
