// SPDX-License-Identifier: Apache-2.0
#include "vt/packed_row.h"

#include <cstring>

#include "vt/utf8.h"

namespace vt {
namespace {

constexpr unsigned char kWrapped = 1;
constexpr unsigned char kUniform = 2;
constexpr unsigned char kStyled = 4;
constexpr unsigned char kHasMarks = 8;
constexpr unsigned char kHasLinks = 16;
constexpr char kClusterByte = 1;

constexpr std::string_view kDefaultStyle("\0\0", 2);
constexpr uint8_t kStyleLink = 1 << 6;
constexpr uint8_t kStyleExtra = 1 << 7;

void put_number(std::string& out, uint32_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

uint32_t get_number(const char*& p) {
  uint32_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*p++);
    value |= static_cast<uint32_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
}

int color_bytes(ColorKind kind) { return kind == ColorKind::none ? 0 : kind == ColorKind::rgb ? 3 : 1; }

void put_color(std::string& out, Color color) {
  uint32_t value = color.value();
  for (int i = color_bytes(color.kind()); i > 0; i--, value >>= 8) out += static_cast<char>(value);
}

Color get_color(const char*& p, int kind_bits) {
  const auto kind = static_cast<ColorKind>(kind_bits & 3);
  uint32_t value = 0;
  for (int i = 0; i < color_bytes(kind); i++)
    value |= static_cast<uint32_t>(static_cast<unsigned char>(*p++)) << (8 * i);
  return {kind, value};
}

void put_style(std::string& out, const Style& style) {
  const auto extra = static_cast<uint8_t>(static_cast<unsigned>(style.underline) |
                                          static_cast<unsigned>(style.attributes) >> 8 << 3);
  out += static_cast<char>(static_cast<uint8_t>(style.foreground.kind()) |
                           static_cast<uint8_t>(style.background.kind()) << 2 |
                           static_cast<uint8_t>(style.underline_color.kind()) << 4 |
                           (style.link != 0 ? kStyleLink : 0) | (extra != 0 ? kStyleExtra : 0));
  out += static_cast<char>(style.attributes);
  put_color(out, style.foreground);
  put_color(out, style.background);
  put_color(out, style.underline_color);
  if (extra != 0) out += static_cast<char>(extra);
  if (style.link != 0) put_number(out, style.link);
}

Style get_style(const char*& p) {
  const auto bits = static_cast<uint8_t>(*p++);
  Style style;
  style.attributes = static_cast<unsigned char>(*p++);
  style.foreground = get_color(p, bits);
  style.background = get_color(p, bits >> 2);
  style.underline_color = get_color(p, bits >> 4);
  if ((bits & kStyleExtra) != 0) {
    const auto extra = static_cast<uint8_t>(*p++);
    style.underline = static_cast<Underline>(extra & 7);
    style.attributes = static_cast<uint16_t>(style.attributes | extra >> 3 << 8);
  }
  if ((bits & kStyleLink) != 0) style.link = get_number(p);
  return style;
}

void put_cluster(std::string& out, std::u32string_view cluster) {
  out += kClusterByte;
  out += static_cast<char>(cluster.size());
  for (const char32_t cp : cluster) utf8::append(out, cp);
}

void put_marks(std::string& out, const std::vector<Mark>& marks) {
  put_number(out, static_cast<uint32_t>(marks.size()));
  for (const Mark& mark : marks) {
    out += static_cast<char>(static_cast<unsigned>(mark.kind) | (mark.status ? 0x80U : 0U));
    put_number(out, mark.column);
    if (mark.status) put_number(out, static_cast<uint32_t>(*mark.status));
  }
}

void get_marks(const char*& p, std::vector<Mark>& marks) {
  for (uint32_t count = get_number(p); count > 0; count--) {
    const auto kind = static_cast<unsigned char>(*p++);
    Mark mark{static_cast<MarkKind>(kind & 0x7F), get_number(p), {}};
    if ((kind & 0x80) != 0) mark.status = static_cast<int32_t>(get_number(p));
    marks.push_back(mark);
  }
}

struct Header {
  unsigned char flags;
  uint16_t columns;
  uint32_t size;
};

void put_header(char* out, Header header) {
  out[0] = static_cast<char>(header.flags);
  std::memcpy(out + 1, &header.columns, sizeof header.columns);
  std::memcpy(out + 3, &header.size, sizeof header.size);
}

Header get_header(const char*& p) {
  Header header{static_cast<unsigned char>(p[0]), 0, 0};
  std::memcpy(&header.columns, p + 1, sizeof header.columns);
  std::memcpy(&header.size, p + 3, sizeof header.size);
  p += kPlainRowHeader;
  return header;
}

}  // namespace

void pack_plain(char* out, const Row& row) {
  const std::string_view text = row.text();
  put_header(out, {static_cast<unsigned char>(kUniform | (row.wrapped ? kWrapped : 0)),
                   static_cast<uint16_t>(row.used()), static_cast<uint32_t>(text.size())});
  std::memcpy(out + kPlainRowHeader, text.data(), text.size());
}

std::string_view RowPacker::assemble(const std::vector<Mark>& marks, size_t columns) {
  std::string_view style = runs_;
  if (run_count_ == 1) {
    const char* p = runs_.data();
    get_number(p);  // the run's columns: all of them
    style.remove_prefix(static_cast<size_t>(p - runs_.data()));
    flags_ |= kUniform;
    if (style != kDefaultStyle) flags_ |= kStyled;
  }
  if (!marks.empty()) flags_ |= kHasMarks;
  out_.resize(kPlainRowHeader);
  put_header(out_.data(), {flags_, static_cast<uint16_t>(columns), static_cast<uint32_t>(text_.size())});
  if (run_count_ != 1) put_number(out_, run_count_);
  if (run_count_ != 1 || (flags_ & kStyled) != 0) out_ += style;
  if (!marks.empty()) put_marks(out_, marks);
  out_ += text_;
  return out_;
}

std::string_view RowPacker::pack(const Row& row, const Tables& tables) {
  flags_ = row.wrapped ? kWrapped : 0;
  runs_.clear();
  text_.clear();
  run_count_ = 0;
  if (!row.is_text()) return pack_cells(row, tables);
  const Style& style = tables.styles[row.text_style()];
  if (style.link != 0) flags_ |= kHasLinks;
  run_count_ = 1;
  put_number(runs_, static_cast<uint32_t>(row.used()));
  put_style(runs_, style);
  text_ = row.text();
  return assemble(row.marks.list(), static_cast<size_t>(row.used()));
}

std::string_view RowPacker::pack_cells(const Row& row, const Tables& tables) {
  const Cell* const cells = row.cells_if_any();
  const Cell* const end = cells + row.used();
  for (const Cell* cell = cells; cell != end;) {
    const uint32_t style = cell->style;
    const Cell* const first = cell;
    for (; cell != end && cell->style == style; ++cell) {
      if (cell->text < 0x80)
        text_ += static_cast<char>(cell->text);
      else if (cell->cluster())
        put_cluster(text_, tables.clusters[cell->value()]);
      else if (!cell->tail())
        utf8::append(text_, static_cast<char32_t>(cell->value()));
    }
    put_number(runs_, static_cast<uint32_t>(cell - first));
    put_style(runs_, tables.styles[style]);
    if (tables.styles[style].link != 0) flags_ |= kHasLinks;
    run_count_++;
  }
  return assemble(row.marks.list(), static_cast<size_t>(row.used()));
}

std::string_view RowPacker::pack(const Line& line) {
  flags_ = line.wrapped ? kWrapped : 0;
  runs_.clear();
  text_.clear();
  run_count_ = 0;
  for (size_t i = 0; i < line.glyphs.size();) {
    const Style style = line.glyphs[i].style;
    const size_t first = i;
    for (; i < line.glyphs.size() && line.glyphs[i].style == style; i++) {
      const Glyph& glyph = line.glyphs[i];
      if (glyph.tail()) continue;
      const std::u32string characters = line.characters(glyph);
      if (characters.size() > 1)
        put_cluster(text_, characters);
      else
        utf8::append(text_, characters.empty() ? U'\0' : characters[0]);
    }
    put_number(runs_, static_cast<uint32_t>(i - first));
    put_style(runs_, style);
    if (style.link != 0) flags_ |= kHasLinks;
    run_count_++;
  }
  return assemble(line.marks, line.glyphs.size());
}

PackedInfo packed_info(const char* packed) {
  const Header header = get_header(packed);
  return {header.columns, (header.flags & kHasMarks) != 0, (header.flags & kWrapped) != 0};
}

void unpack(const char* p, Line& line) {
  line.clear();
  const Header header = get_header(p);
  line.wrapped = (header.flags & kWrapped) != 0;
  struct Run {
    uint32_t end;
    Style style;
  };
  std::vector<Run> runs;
  if ((header.flags & kUniform) != 0) {
    runs.push_back({header.columns, (header.flags & kStyled) != 0 ? get_style(p) : Style{}});
  } else {
    uint32_t at = 0;
    for (uint32_t count = get_number(p); count > 0; count--) {
      at += get_number(p);
      runs.push_back({at, get_style(p)});
    }
  }
  if ((header.flags & kHasMarks) != 0) get_marks(p, line.marks);
  const char* const end = p + header.size;
  line.glyphs.reserve(header.columns);
  for (size_t run = 0; p != end;) {
    while (line.glyphs.size() >= runs[run].end) run++;
    const Style& style = runs[run].style;
    if (*p == 0) {
      line.glyphs.push_back({0, style});
      ++p;
    } else if (*p == kClusterByte) {
      std::u32string cluster;
      auto count = static_cast<unsigned char>(p[1]);
      for (p += 2; count > 0; count--) {
        const utf8::Decoded one = utf8::decode(p, end);
        cluster += one.code_point;
        p += one.size;
      }
      line.add(cluster, style);
    } else {
      const utf8::Decoded one = utf8::decode(p, end);
      line.add(one.code_point, style);
      p += one.size;
    }
  }
  line.trim();
}

void mark_links(const char* p, LinkTable& links) {
  const Header header = get_header(p);
  if ((header.flags & kHasLinks) == 0) return;
  if ((header.flags & kUniform) != 0) {
    links.mark(get_style(p).link);
    return;
  }
  for (uint32_t count = get_number(p); count > 0; count--) {
    get_number(p);
    links.mark(get_style(p).link);
  }
}

}  // namespace vt
