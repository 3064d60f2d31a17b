// SPDX-License-Identifier: Apache-2.0
#include "vt/line.h"

#include <algorithm>

#include "vt/utf8.h"

namespace vt {

void Line::clear() {
  glyphs.clear();
  clusters.clear();
  marks.clear();
  wrapped = false;
}

void Line::trim() {
  while (!glyphs.empty() && glyphs.back() == Glyph{}) glyphs.pop_back();
}

void Line::append(const Line& other, size_t from, size_t to) {
  for (; from < std::min(to, other.glyphs.size()); from++) {
    Glyph glyph = other.glyphs[from];
    if ((glyph.text & Cell::kCluster) != 0) {
      clusters.push_back(other.clusters[glyph.text & Cell::kValue]);
      glyph.text = (glyph.text & ~Cell::kValue) | static_cast<uint32_t>(clusters.size() - 1);
    }
    glyphs.push_back(glyph);
  }
}

void Line::add(std::u32string_view cluster, const Style& style) {
  const bool wide = cluster_width(cluster) == 2;
  const auto number = static_cast<uint32_t>(clusters.size());
  clusters.emplace_back(cluster);
  glyphs.push_back({number | Cell::kCluster | (wide ? Cell::kWide : 0), style});
  if (wide) glyphs.push_back({Cell::kTail, style});
}

void Line::add(char32_t code_point, const Style& style) {
  const bool wide = char_class(code_point).width() == 2;
  glyphs.push_back({static_cast<uint32_t>(code_point) | (wide ? Cell::kWide : 0), style});
  if (wide) glyphs.push_back({Cell::kTail, style});
}

std::u32string Line::characters(const Glyph& glyph) const {
  if (glyph.blank() || glyph.tail()) return {};
  const uint32_t value = glyph.text & Cell::kValue;
  if ((glyph.text & Cell::kCluster) != 0) return clusters[value];
  std::u32string only;
  only += static_cast<char32_t>(value);
  return only;
}

std::string Line::text() const {
  std::string out;
  for (const Glyph& glyph : glyphs) {
    if (glyph.tail()) continue;
    if (glyph.blank())
      out += ' ';
    else
      for (const char32_t cp : characters(glyph)) utf8::append(out, cp);
  }
  out.resize(out.find_last_not_of(' ') + 1);
  return out;
}

}  // namespace vt
