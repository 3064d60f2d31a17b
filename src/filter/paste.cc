// SPDX-License-Identifier: Apache-2.0
#include "filter/paste.h"

namespace filter {
namespace {

constexpr std::string_view kBegin = "\x1b[200~";
constexpr std::string_view kEnd = "\x1b[201~";
constexpr unsigned char kLeadC2 = 0xc2;

bool is_control(unsigned char byte) {
  return (byte < 0x20 && byte != '\t' && byte != '\r' && byte != '\n') || byte == 0x7f;
}

bool continues_character(unsigned char byte) { return (byte & 0xc0) == 0x80; }

int bytes_behind(unsigned char lead) {
  if (lead >= 0xf0) return 3;
  if (lead >= 0xe0) return 2;
  return lead >= 0xc0 ? 1 : 0;
}

}  // namespace

std::string PasteGuard::take(std::string_view keys) {
  std::string passed;
  passed.reserve(keys.size());
  for (const char byte : keys) {
    if (place_ == Place::keys)
      take_key(byte, passed);
    else
      take_pasted(byte, passed);
  }
  return passed;
}

void PasteGuard::take_key(char byte, std::string& passed) {
  passed += byte;
  if (byte == kBegin[matched_])
    matched_++;
  else
    matched_ = byte == kBegin[0] ? 1 : 0;
  if (matched_ < kBegin.size()) return;
  place_ = Place::paste;
  matched_ = 0;
  expected_ = 0;
  lead_c2_ = false;
}

// The Esc of something that is not the closing bracket is left out, and the rest of it is text.
void PasteGuard::take_pasted(char byte, std::string& passed) {
  if (byte == kEnd[matched_]) {
    matched_++;
    if (matched_ < kEnd.size()) return;
    passed += kEnd;
    place_ = Place::keys;
    matched_ = 0;
    return;
  }
  for (const char each : kEnd.substr(0, matched_)) pass_text(each, passed);
  matched_ = 0;
  if (byte == kEnd[0])
    matched_ = 1;
  else
    pass_text(byte, passed);
}

void PasteGuard::pass_text(char c, std::string& passed) {
  const auto byte = static_cast<unsigned char>(c);
  if (lead_c2_) {
    lead_c2_ = false;
    if (continues_character(byte)) {
      if (byte >= 0xa0) (passed += static_cast<char>(kLeadC2)) += c;
      return;
    }
  }
  if (continues_character(byte)) {
    // Alone, it would be a control character to a program that knows no UTF-8.
    if (expected_ == 0) return;
    expected_--;
  } else {
    if (byte == kLeadC2) {
      expected_ = 0;
      lead_c2_ = true;
      return;
    }
    expected_ = bytes_behind(byte);
    if (is_control(byte)) return;
  }
  passed += c;
}

std::string harmless_paste(std::string_view text) {
  std::string harmless;
  PasteGuard guard;
  guard.take(kBegin);
  std::string unbroken;
  unbroken.reserve(text.size());
  for (const char c : text)
    if (c != '\x1b') unbroken += c;
  harmless = guard.take(unbroken);
  std::string lines;
  lines.reserve(harmless.size());
  for (size_t i = 0; i < harmless.size(); i++) {
    if (harmless[i] == '\r' && i + 1 < harmless.size() && harmless[i + 1] == '\n') continue;
    lines += harmless[i] == '\n' ? '\r' : harmless[i];
  }
  return lines;
}

}  // namespace filter
