// SPDX-License-Identifier: Apache-2.0
// TypedLine: what stands on the line that is being typed, as far as the keys tell: Enter, Ctrl+C and Ctrl+U
// begin a new one, Backspace and Ctrl+W take away. Its first kilobyte is known; of what is behind that, only
// how much there is.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace filter {

class TypedLine {
 public:
  static constexpr size_t kMost = 1024;

  void apply(unsigned char key);
  // Printable characters.
  void append(std::string_view text);

  // The line without the blanks around it; empty too where nobody knows what is on it.
  std::string_view trimmed() const;
  // The whole line, or nothing where it is too long to be known.
  std::string_view text() const { return unknown_ || beyond_ > 0 ? std::string_view() : text_; }
  // Nothing but blanks.
  bool blank() const { return known() && start_ == text_.size(); }
  // What stands behind the blanks at the beginning.
  std::string_view behind_blanks() const {
    return unknown_ || beyond_ > 0 ? std::string_view() : std::string_view(text_).substr(start_);
  }
  bool known() const { return !unknown_ && beyond_ == 0; }

 private:
  void clear();
  void erase_character();
  void erase_word();

  std::string text_;
  size_t start_ = 0;      // of what is not blank
  size_t beyond_ = 0;     // characters behind the first kilobyte
  bool unknown_ = false;  // a word was erased there
};

}  // namespace filter
