// SPDX-License-Identifier: Apache-2.0
// Runs during the build: writes the tables of char_class.h as C++ to the file it is given. Widths and break
// classes are utf8proc's; what it calls unassigned gets the width that Unicode gives its block by default.
#include <fstream>
#include <map>
#include <utf8proc.h>
#include <vector>

#include "vt/char_class.h"

namespace {

using vt::Break;
using vt::CharClass;
using Kind = CharClass::Kind;

Break rule_of(const utf8proc_property_t* property, char32_t cp) {
  switch (property->boundclass) {
    case UTF8PROC_BOUNDCLASS_EXTEND:
      return Break::extend;
    case UTF8PROC_BOUNDCLASS_ZWJ:
      return Break::zwj;
    case UTF8PROC_BOUNDCLASS_SPACINGMARK:
      return Break::spacing;
    case UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR:
      return Break::regional;
    case UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC:
      return Break::pictographic;
    case UTF8PROC_BOUNDCLASS_L:
      return Break::l;
    case UTF8PROC_BOUNDCLASS_V:
      return Break::v;
    case UTF8PROC_BOUNDCLASS_T:
      return Break::t;
    case UTF8PROC_BOUNDCLASS_LV:
      return Break::lv;
    case UTF8PROC_BOUNDCLASS_LVT:
      return Break::lvt;
    case UTF8PROC_BOUNDCLASS_CONTROL:
    case UTF8PROC_BOUNDCLASS_CR:
    case UTF8PROC_BOUNDCLASS_LF:
      // utf8proc also counts unassigned code points here, which are shown as any other.
      return property->category == UTF8PROC_CATEGORY_CN && cp < 0xE0000 ? Break::other : Break::control;
    default:
      return Break::other;
  }
}

// Unicode 15, EastAsianWidth.txt: blocks whose unassigned code points are wide.
bool unassigned_is_wide(char32_t cp) {
  return (cp >= 0x3400 && cp <= 0x4DBF) || (cp >= 0x4E00 && cp <= 0x9FFF) || (cp >= 0xF900 && cp <= 0xFAFF) ||
         (cp >= 0x20000 && cp <= 0x2FFFD) || (cp >= 0x30000 && cp <= 0x3FFFD);
}

CharClass class_of(char32_t cp) {
  const utf8proc_property_t* const property = utf8proc_get_property(static_cast<utf8proc_int32_t>(cp));
  const Break rule = rule_of(property, cp);
  int width = utf8proc_charwidth(static_cast<utf8proc_int32_t>(cp));
  if (property->category == UTF8PROC_CATEGORY_CN) width = unassigned_is_wide(cp) ? 2 : 1;
  switch (rule) {
    case Break::control:
      return {0, Kind::complex, rule};
    case Break::other:
      // What has no width and joins nothing by the rules (format characters) still must not take a column.
      if (width == 0) return {0, Kind::complex, Break::extend};
      return {width, Kind::plain, rule};
    case Break::pictographic:
    case Break::lv:
    case Break::lvt:
      return {width, Kind::joinable, rule};
    default:
      return {width, Kind::complex, rule};
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  std::ofstream out(arguments[1]);
  constexpr unsigned kBlock = 1U << vt::kClassBlockBits;
  std::map<std::vector<uint8_t>, size_t> known;
  std::vector<std::vector<uint8_t>> blocks;
  out << "// Written by make_tables.cc from utf8proc " << utf8proc_version() << ", Unicode "
      << utf8proc_unicode_version()
      << ".\n#include \"vt/char_class.h\"\nnamespace vt {\nconst uint8_t kClassBlockOf[] = {\n";
  for (char32_t first = 0; first < 0x110000; first += kBlock) {
    std::vector<uint8_t> block(kBlock);
    for (unsigned i = 0; i < kBlock; i++) block[i] = class_of(first + i).bits();
    const auto [found, fresh] = known.emplace(block, blocks.size());
    if (fresh) blocks.push_back(block);
    out << found->second << (first / kBlock % 32 == 31 ? ",\n" : ",");
  }
  if (blocks.size() > 256) return 3;
  out << "};\nconst uint8_t kClassBlocks[] = {\n";
  for (const auto& block : blocks) {
    for (const uint8_t bits : block) out << static_cast<unsigned>(bits) << ',';
    out << '\n';
  }
  out << "};\n}  // namespace vt\n";
  return out.flush() ? 0 : 1;
}
