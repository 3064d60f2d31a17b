// SPDX-License-Identifier: Apache-2.0
// KeyDecoder: bytes as a terminal sends them, as symbols. A key that is written as an escape sequence
// (kitty's CSI 100;5u, xterm's CSI 27;5;100~, the keypad's Enter) becomes the byte that the key sends
// otherwise; every other sequence becomes its bytes, marked as no part of what is typed. A sequence that is
// not complete waits in here, and its bytes can be let through meanwhile: they still count.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace filter {

struct Symbol {
  enum class Kind { typed, escape };
  unsigned char value = 0;
  Kind kind = Kind::typed;
  std::string raw = {};  // its bytes, as far as they were not let through before
};

class KeyDecoder {
 public:
  // Appends what is complete with this byte.
  void take(unsigned char byte, std::vector<Symbol>& symbols);
  // The bytes that wait for the rest of a sequence, and were not let through.
  std::string_view waiting() const { return std::string_view(pending_).substr(passed_); }
  void let_through() { passed_ = pending_.size(); }
  // They are no sequence, whatever comes.
  void give_up_waiting(std::vector<Symbol>& symbols) { give_bytes(symbols); }
  // Nothing is begun: a byte that is not ESC is a symbol by itself.
  bool at_ground() const { return state_ == State::ground; }

 private:
  enum class State { ground, escape, csi, ss3, text, text_escape, mouse };

  void on_ground(unsigned char byte, std::vector<Symbol>& symbols);
  void on_escape(unsigned char byte, std::vector<Symbol>& symbols);
  void on_csi(unsigned char byte, std::vector<Symbol>& symbols);
  void on_text(unsigned char byte, std::vector<Symbol>& symbols);
  void give_key(unsigned char value, std::vector<Symbol>& symbols);
  void give_bytes(std::vector<Symbol>& symbols);
  void give_up(unsigned char byte, std::vector<Symbol>& symbols);

  State state_ = State::ground;
  std::string pending_;
  size_t passed_ = 0;  // of pending_
  size_t left_ = 0;    // bytes of a mouse report, or that a text may still have
};

// The key that a whole CSI sequence stands for, `body` being what is between "ESC [" and its last byte.
std::optional<unsigned char> key_of(std::string_view body, char last);

}  // namespace filter
