// SPDX-License-Identifier: Apache-2.0
// Parser: bytes in, control functions out, by the DEC state machine that Paul Williams drew (vt100.net/emu).
// Any chunking of the same bytes gives the same calls. It keeps at most kMostString bytes of a string, 32
// parameters and two intermediates, so no sequence, however long, makes it grow; what is too long is skipped
// to its end, at the speed of a scan. C1 controls are taken as ESC and a letter only: in UTF-8 a lone 0x9B is
// no control but a broken character.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "vt/pen_change.h"
#include "vt/scan.h"

namespace vt {

// A control sequence, as far as it is known. Values are parameters and, where the bit in `colons` is set,
// sub-parameters of the value before. An absent parameter is 0, an absent sub-parameter -1.
struct Sequence {
  static constexpr size_t kMost = 32;

  char prefix = 0;  // one of < = > ? or 0
  std::array<char, 3> intermediates{};
  uint8_t intermediate_count = 0;  // 3: too many, matches nothing
  char final = 0;
  uint8_t count = 1;
  bool full = false;  // values after the last that fits are skipped
  uint32_t colons = 0;
  std::array<int32_t, kMost> values{};
  Spelling spelling;  // of a short SGR that came in one piece, else empty

  void clear();
  int32_t at(size_t index) const { return index < count ? values[index] : 0; }
  // The parameter, or `otherwise` where it is absent or 0.
  int32_t or_default(size_t index, int32_t otherwise) const {
    const int32_t value = at(index);
    return value > 0 ? value : otherwise;
  }
  bool is_sub(size_t index) const { return index < count && (colons >> index & 1) != 0; }
};

enum class Terminator : uint8_t { bell, string };

class Parser {
 public:
  static constexpr size_t kMostString = 32768;
  static constexpr int32_t kMostValue = 1'000'000'000;

  // Who is told. `print` gets UTF-8 as it came, cut anywhere, never with a C0 control or DEL in it.
  class Actions {
   public:
    virtual ~Actions() = default;
    virtual void print(const char* text, TextRun run) = 0;
    virtual void execute(unsigned char control) = 0;
    virtual void escape(const Sequence& sequence) = 0;
    // An SGR by its spelling, before it is read. Where that is not enough, control() gets it.
    virtual bool known_rendition(Spelling) { return false; }
    virtual void control(const Sequence& sequence) = 0;
    virtual void system_command(std::string_view text, Terminator terminator) = 0;
    virtual void device_control(const Sequence& sequence, std::string_view text) = 0;
  };

  // For a final class of Actions, so that what it does with text is compiled into the loop that finds the
  // text; whoever calls it includes parser_feed.h.
  template <typename Receiver>
  void feed(std::string_view bytes, Receiver& receiver);
  void reset();
  // Whether text would be text now, and not a part of a sequence.
  bool between_sequences() const { return state_ == State::ground; }

  // The start of the sequence that is not complete yet: bytes that bring a fresh parser into the same state.
  std::string pending() const;
  size_t memory() const { return string_.capacity(); }

 private:
  enum class State : uint8_t {
    ground,
    escape,
    escape_intermediate,
    control_entry,
    control_parameters,
    control_intermediate,
    control_skip,
    device_entry,
    device_parameters,
    device_intermediate,
    device_string,
    system_string,
    system_skip,     // as string_skip, but BEL ends it too
    string_skip,     // SOS, PM, APC, and DCS that is malformed or too long
    character_skip,  // the rest of a character that broke a sequence
  };

  template <typename Receiver>
  const char* ground(const char* p, const char* end, Receiver& receiver);
  template <typename Receiver>
  const char* quick_control(const char* p, const char* end, Receiver& receiver);
  const char* go_on(const char* p, const char* end, Actions& actions);
  const char* read_control(const char* p);
  const char* sequence(const char* p, const char* end, Actions& actions);
  const char* parameters(const char* p, const char* end);
  const char* string(const char* p, const char* end, Actions& actions);
  void escape_byte(unsigned char byte, Actions& actions);
  void sequence_byte(unsigned char byte, Actions& actions);
  void finish_string(Terminator terminator, Actions& actions);
  void collect(unsigned char byte);
  void keep(const char* p, size_t size);
  void drop_string();

  bool in_device() const { return state_ >= State::device_entry && state_ <= State::device_intermediate; }

  State state_ = State::ground;
  Sequence sequence_;
  std::string string_;
};

}  // namespace vt
