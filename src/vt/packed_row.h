// SPDX-License-Identifier: Apache-2.0
// A row as the scrollback keeps it: bytes that need no table but the links'.
//
//   flags     1 byte: wrapped, uniform (one style), styled, marks, links
//   columns   2 bytes      columns in use
//   size      4 bytes      bytes of text
//   style     if uniform and styled
//   runs      if not uniform: count, then (columns, style) each
//   marks     if there are any: count, then (kind, column, status) each
//   text      UTF-8; 0 is a blank; 1 and a count n come before the n code points of a cluster
//
// Numbers are as long as they need to be (7 bits a byte). Whether a character takes two columns follows from
// its code points. A row of plain ASCII costs 7 bytes more than its text.
#pragma once
#include <string>
#include <string_view>

#include "vt/line.h"
#include "vt/row.h"
#include "vt/tables.h"

namespace vt {

class RowPacker {
 public:
  // The result is good until the next call.
  std::string_view pack(const Row& row, const Tables& tables);
  std::string_view pack(const Line& line);

 private:
  std::string_view pack_cells(const Row& row, const Tables& tables);
  std::string_view assemble(const std::vector<Mark>& marks, size_t columns);

  std::string runs_;
  std::string text_;
  std::string out_;
  uint32_t run_count_ = 0;
  unsigned char flags_ = 0;
};

constexpr size_t kPlainRowHeader = 7;
// The usual row, without a detour: `out` has room for kPlainRowHeader and the text.
void pack_plain(char* out, const Row& row);

struct PackedInfo {
  int columns;
  bool marks;
  bool wrapped;
};
PackedInfo packed_info(const char* packed);
void unpack(const char* packed, Line& line);
// Marks the links that the row refers to.
void mark_links(const char* packed, LinkTable& links);

}  // namespace vt
