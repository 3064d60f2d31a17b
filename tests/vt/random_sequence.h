// SPDX-License-Identifier: Apache-2.0
// RandomSequence: terminal output made up from a grammar, the same for the same seed everywhere. `everything`
// also makes broken sequences, bad UTF-8 and things that terminals disagree about; `agreed` keeps to what
// @xterm/headless and vt are meant to do alike (docs/vt.md lists the differences), for comparing the two.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace vt_test {

enum class Grammar : uint8_t { everything, agreed };

class RandomSequence {
 public:
  RandomSequence(uint64_t seed, Grammar grammar) : state_(seed), grammar_(grammar) {}

  // `items` pieces of text and control functions.
  std::string make(int items);
  // Below `bound`.
  uint32_t number(uint32_t bound);

 private:
  void item(std::string& out);
  void text(std::string& out);
  void control_character(std::string& out);
  void cursor_sequence(std::string& out);
  void edit_sequence(std::string& out);
  void rendition(std::string& out);
  void mode(std::string& out);
  void escape(std::string& out);
  void system(std::string& out);
  void query(std::string& out);
  void broken(std::string& out);
  std::string color();
  std::string_view pick(std::initializer_list<std::string_view> choices);
  std::string parameter();

  uint64_t state_;
  Grammar grammar_;
};

// The bytes as a C-like string: printable ASCII as it is, the rest as \xNN.
std::string escaped(std::string_view bytes);

}  // namespace vt_test
