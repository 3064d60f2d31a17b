// SPDX-License-Identifier: Apache-2.0
// Comparing screens. Numbers of styles, clusters and links are each screen's own, so what they stand for is
// compared.
#include "vt/screen.h"

namespace vt {
namespace {

bool same_style(const Screen& a, Style left, const Screen& b, Style right) {
  const bool same_link =
      (left.link == 0) == (right.link == 0) && (left.link == 0 || a.link(left.link) == b.link(right.link));
  left.link = 0;
  right.link = 0;
  return same_link && left == right;
}

enum class Wrapped : bool { compare, ignore };

bool same_line(const Screen& a, const Line& left, const Screen& b, const Line& right, Wrapped wrapped) {
  if (left.glyphs.size() != right.glyphs.size() || left.marks != right.marks) return false;
  if (wrapped == Wrapped::compare && left.wrapped != right.wrapped) return false;
  for (size_t i = 0; i < left.glyphs.size(); i++) {
    const Glyph& one = left.glyphs[i];
    const Glyph& other = right.glyphs[i];
    if (((one.text ^ other.text) & ~Cell::kValue) != 0) return false;
    if (left.characters(one) != right.characters(other) || !same_style(a, one.style, b, other.style))
      return false;
  }
  return true;
}

bool same_rows(const Screen& a, const Screen& b, Which which) {
  Line left;
  Line right;
  for (int y = 0; y < a.size().rows; y++) {
    a.read(which, y, left);
    b.read(which, y, right);
    if (!same_line(a, left, b, right, y == 0 ? Wrapped::ignore : Wrapped::compare)) return false;
  }
  return true;
}

// The saved pen holds no link.
bool same_buffer(const Screen& a, const Screen& b, Which which) {
  const Buffer& left = a.buffer(which);
  const Buffer& right = b.buffer(which);
  // The cursor of the screen that does not show is overwritten before anyone can see it.
  if (which == a.showing() && left.cursor != right.cursor) return false;
  return left.region == right.region && left.saved == right.saved && left.tabs == right.tabs &&
         left.keyboard == right.keyboard && same_rows(a, b, which);
}

}  // namespace

bool Screen::same_but_scrollback(const Screen& other) const {
  return size_ == other.size_ && which_ == other.which_ && modes_ == other.modes_ &&
         mouse_protocol_ == other.mouse_protocol_ && mouse_encoding_ == other.mouse_encoding_ &&
         modify_other_keys_ == other.modify_other_keys_ && cursor_shape_ == other.cursor_shape_ &&
         same_style(*this, pen_, other, other.pen_) && charsets_ == other.charsets_ &&
         titles_ == other.titles_ && directory_ == other.directory_ &&
         palette_.changed() == other.palette_.changed() && pending() == other.pending() &&
         behind_text() == other.behind_text() && same_buffer(*this, other, Which::main) &&
         same_buffer(*this, other, Which::alternate);
}

bool operator==(const Screen& a, const Screen& b) {
  if (!a.same_but_scrollback(b) || a.scrollback_.size() != b.scrollback_.size()) return false;
  if (a.main_.page.row(0).wrapped != b.main_.page.row(0).wrapped) return false;
  Line left;
  Line right;
  for (size_t i = 0; i < a.scrollback_.size(); i++) {
    a.scrollback_.read(i, left);
    b.scrollback_.read(i, right);
    if (!same_line(a, left, b, right, i == 0 ? Wrapped::ignore : Wrapped::compare)) return false;
  }
  return true;
}

}  // namespace vt
