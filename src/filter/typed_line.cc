// SPDX-License-Identifier: Apache-2.0
#include "filter/typed_line.h"

#include <algorithm>

#include "filter/scan.h"

namespace filter {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

void TypedLine::apply(unsigned char key) {
  switch (key) {
    case '\r':
    case '\n':
    case 0x03:
    case 0x15:
      return clear();
    case 0x08:
    case 0x7f:
      return erase_character();
    case 0x17:
      return erase_word();
    default:
      if (key < 0x20 && key != '\t') return;
      const char c = static_cast<char>(key);
      append({&c, 1});
  }
}

void TypedLine::append(std::string_view text) {
  const std::string_view kept = text.substr(0, kMost - std::min(kMost, text_.size()));
  text_ += kept;
  while (start_ < text_.size() && is_blank(text_[start_])) start_++;
  text.remove_prefix(kept.size());
  if (!text.empty()) beyond_ += count_characters(text);
}

std::string_view TypedLine::trimmed() const {
  std::string_view line = behind_blanks();
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

void TypedLine::clear() {
  text_.clear();
  start_ = beyond_ = 0;
  unknown_ = false;
}

void TypedLine::erase_character() {
  if (beyond_ > 0) {
    beyond_--;
    return;
  }
  while (!text_.empty() && continues_character(text_.back())) text_.pop_back();
  if (!text_.empty()) text_.pop_back();
  start_ = std::min(start_, text_.size());
}

void TypedLine::erase_word() {
  if (beyond_ > 0) {
    unknown_ = true;
    return;
  }
  while (!text_.empty() && is_blank(text_.back())) text_.pop_back();
  while (!text_.empty() && !is_blank(text_.back())) text_.pop_back();
  start_ = std::min(start_, text_.size());
}

}  // namespace filter
