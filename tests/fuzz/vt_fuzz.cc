// SPDX-License-Identifier: Apache-2.0
// vt: any bytes. The first few choose the size, whether the rest is taken as it is or as the seed of random
// sequences, where to cut it and where to resize; then the laws of tests/vt/laws_test.cc must hold.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "random_sequence.h"
#include "vt/picture.h"
#include "vt/snapshot.h"
#include "vt/text_view.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

vt::Options small_scrollback() {
  vt::Options options;
  options.scrollback_rows = 12;
  return options;
}

void check_snapshot(const vt::Screen& screen) {
  vt::Screen whole(screen.size(), small_scrollback());
  whole.feed(vt::snapshot(screen, vt::Include::scrollback));
  require(screen == whole);
  vt::Screen visible(screen.size(), small_scrollback());
  visible.feed(vt::snapshot(screen, vt::Include::screen));
  require(screen.same_but_scrollback(visible));
}

// No row is too long, no half of a character stands alone, the cursor is on the screen.
void check_rows(const vt::Screen& screen) {
  const auto [columns, rows] = screen.size();
  require(screen.cursor().x >= 0 && screen.cursor().x <= columns && screen.cursor().y >= 0 &&
          screen.cursor().y < rows);
  vt::Line line;
  for (int y = -static_cast<int>(screen.scrollback().size()); y < rows; y++) {
    screen.read(y, line);
    require(line.glyphs.size() <= static_cast<size_t>(columns));
    for (size_t x = 0; x < line.glyphs.size(); x++)
      require(line.glyphs[x].wide() == (x + 1 < line.glyphs.size() && line.glyphs[x + 1].tail()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kHead = 6;
  if (size < kHead) return 0;
  const vt::Size start{1 + data[0] % 40, 1 + data[1] % 12};
  const vt::Size later{1 + data[2] % 40, 1 + data[3] % 12};
  const std::string_view bytes(reinterpret_cast<const char*>(data) + kHead, size - kHead);
  const size_t cut = bytes.empty() ? 0 : data[4] % (bytes.size() + 1);

  vt::Screen screen(start, small_scrollback());
  vt::Screen pieces(start, small_scrollback());
  screen.feed(bytes);
  pieces.feed(bytes.substr(0, cut));
  for (const char c : bytes.substr(cut)) pieces.feed({&c, 1});
  require(screen == pieces);
  check_rows(screen);
  check_snapshot(screen);

  screen.resize(later);
  check_rows(screen);
  check_snapshot(screen);
  uint64_t seed = data[5];
  for (const char c : bytes) seed = seed * 31 + static_cast<unsigned char>(c);
  screen.feed(vt_test::RandomSequence(seed, vt_test::Grammar::everything).make(20));
  check_rows(screen);
  check_snapshot(screen);

  require(!vt::json(screen, 12).empty() && !vt::html(screen).empty() && !vt::svg(screen).empty());
  require(vt::lines(screen, 12).size() <= 12 + static_cast<size_t>(later.rows));
  return 0;
}
