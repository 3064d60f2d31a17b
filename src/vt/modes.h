// SPDX-License-Identifier: Apache-2.0
// The modes a program can set, other than those that are places or colours. One table says for each how it is
// called, what it is after a reset, and who resets it: setting, DECRQM, the snapshot and the views all read
// that table.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace vt {

enum class Mode : uint8_t {
  insert,            // IRM
  send_receive,      // SRM: no local echo
  new_line,          // LNM
  cursor_keys,       // DECCKM
  reverse_video,     // DECSCNM
  origin,            // DECOM
  autowrap,          // DECAWM
  cursor_blink,      // att610
  cursor_visible,    // DECTCEM
  reverse_wrap,      //
  keypad,            // DECNKM, DECKPAM
  backarrow,         // DECBKM
  focus,             //
  alternate_scroll,  //
  meta_escape,       //
  bracketed_paste,   //
  synchronized,      //
  graphemes,         //
  color_scheme,      // reports of a change between dark and light
  in_band_resize,    //
  win32_input,       //
  count,
};

enum class ModeSpace : uint8_t { ansi, dec };  // CSI n h, CSI ? n h

struct ModeInfo {
  Mode mode;
  ModeSpace space;
  int number;
  std::string_view name;
  bool initial;
  bool soft_reset;  // DECSTR puts it back
};

std::span<const ModeInfo> all_modes();
const ModeInfo* find_mode(ModeSpace space, int number);

enum class Switch : bool { off, on };
constexpr Switch to_switch(bool on) { return on ? Switch::on : Switch::off; }

class Modes {
 public:
  Modes();
  bool operator[](Mode mode) const { return (bits_ >> static_cast<unsigned>(mode) & 1) != 0; }
  void set(Mode mode, Switch to) {
    const uint32_t bit = 1U << static_cast<unsigned>(mode);
    bits_ = to == Switch::on ? bits_ | bit : bits_ & ~bit;
  }
  void soft_reset();
  friend bool operator==(const Modes&, const Modes&) = default;

 private:
  uint32_t bits_ = 0;
};

enum class MouseProtocol : uint8_t { none, x10, normal, buttons, any };
enum class MouseEncoding : uint8_t { plain, utf8, urxvt, sgr, sgr_pixels };

int mouse_number(MouseProtocol protocol);  // 0 for none
int mouse_number(MouseEncoding encoding);  // 0 for plain
std::optional<MouseProtocol> mouse_protocol(int number);
std::optional<MouseEncoding> mouse_encoding(int number);

// The flags of the kitty keyboard protocol: a stack whose top counts. Its bottom is what CSI = u sets when
// nothing was pushed. At its bound the oldest entry goes.
class KeyboardStack {
 public:
  static constexpr size_t kMost = 16;
  static constexpr uint8_t kAllFlags = 31;

  uint8_t flags() const { return entries_.back(); }
  void set(int flags, int how);  // 1 these, 2 these too, 3 all but these
  void push(int flags);
  void pop(int count);
  const std::vector<uint8_t>& entries() const { return entries_; }
  bool pristine() const { return entries_.size() == 1 && entries_[0] == 0; }
  friend bool operator==(const KeyboardStack&, const KeyboardStack&) = default;

 private:
  std::vector<uint8_t> entries_{0};
};

}  // namespace vt
