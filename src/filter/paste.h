// SPDX-License-Identifier: Apache-2.0
// Pastes from a browser, made harmless: no control characters but tab, CR and LF, so that no paste can press
// keys, and none can end its own brackets.
#pragma once
#include <string>
#include <string_view>

namespace filter {

// Newlines become CR, which is what Enter sends.
std::string harmless_paste(std::string_view text);

// The same for what stands between the brackets of a paste (ESC[200~ … ESC[201~) in a stream of keys, however
// that is cut; everything else passes as it is.
class PasteGuard {
 public:
  std::string take(std::string_view keys);

 private:
  enum class Place { keys, paste };

  void take_key(char byte, std::string& passed);
  void take_pasted(char byte, std::string& passed);
  void pass_text(char byte, std::string& passed);

  Place place_ = Place::keys;
  size_t matched_ = 0;    // bytes of the bracket
  int expected_ = 0;      // bytes that a UTF-8 character still has
  bool lead_c2_ = false;  // waits: it may be a control character of 8 bits
};

}  // namespace filter
