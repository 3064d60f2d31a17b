// SPDX-License-Identifier: Apache-2.0
// Pictures of real programs' screens, drawn by Chromium from vt's HTML and SVG, against pictures that a
// person has looked at (tests/vt/pictures). TEND_UPDATE_PICTURES=1 writes those anew: look at them before
// committing.
#include "vt/picture.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "recording.h"
#include "support/browser.h"
#include "support/temp_dir.h"

namespace vt_test {
namespace {

// Fonts are drawn a little differently by each version of a browser. So the pictures are compared by blocks
// of about the size of a character: the mean colour of a block may differ by a tenth, and one block in a
// hundred by more. The pictures' sizes are equal.
constexpr int kBlockWidth = 8;
constexpr int kBlockHeight = 18;
constexpr int kColourTolerance = 26;  // of 255, in each channel
constexpr double kMostBadBlocks = 0.01;

// Images in the page itself are there when it has loaded, which is when Chromium prints it.
constexpr const char* kComparison = R"(<!doctype html><body>
<img src="data:image/png;base64,@ONE@"><img src="data:image/png;base64,@OTHER@">
<script>
const [BLOCK_WIDTH, BLOCK_HEIGHT, TOLERANCE] = [@SIZES@];
function pixels(image) {
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, image.naturalWidth, image.naturalHeight);
}
function mean({ data, width, height }, left, top) {
  const sum = [0, 0, 0];
  let count = 0;
  for (let y = top; y < Math.min(top + BLOCK_HEIGHT, height); y++)
    for (let x = left; x < Math.min(left + BLOCK_WIDTH, width); x++, count++)
      for (let c = 0; c < 3; c++) sum[c] += data[(y * width + x) * 4 + c];
  return sum.map((value) => value / count);
}
function compare(one, other) {
  if (one.width !== other.width || one.height !== other.height) return 'sizes differ';
  let [blocks, bad, first] = [0, 0, ''];
  for (let y = 0; y < one.height; y += BLOCK_HEIGHT)
    for (let x = 0; x < one.width; x += BLOCK_WIDTH, blocks++) {
      const left = mean(one, x, y);
      const right = mean(other, x, y);
      if (left.every((value, c) => Math.abs(value - right[c]) <= TOLERANCE)) continue;
      if (bad++ === 0) first = `, the first at ${x},${y}`;
    }
  return `compared ${blocks} blocks, ${bad} differ${first}`;
}
onload = () => {
  const images = [...document.images].map(pixels);
  document.body.textContent = `[${compare(...images)}]`;
};
</script>)";

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; k++)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (size_t k = 0; k < 4; k++) out += i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63];
  }
  return out;
}

void replace(std::string& text, std::string_view what, std::string_view with) {
  text.replace(text.find(what), what.size(), with);
}

// The share of blocks that differ; above 1 if the pictures cannot be compared, and then `said` tells why.
double compare(support::Browser& browser, std::string_view one, std::string_view other, std::string& said) {
  const support::TempDir folder;
  std::string page = kComparison;
  replace(page, "@SIZES@", fmt::format("{}, {}, {}", kBlockWidth, kBlockHeight, kColourTolerance));
  replace(page, "@ONE@", base64(one));
  replace(page, "@OTHER@", base64(other));
  support::write_file(folder.file("compare.html"), page);
  const std::string page_text = browser.run(folder.file("compare.html"));
  const size_t at = page_text.find("<body>[");
  said = at == std::string::npos ? "no result: " + browser.error()
                                 : page_text.substr(at + 7, page_text.find(']', at) - at - 7);
  unsigned blocks = 0;
  unsigned bad = 0;
  if (std::sscanf(said.c_str(), "compared %u blocks, %u differ", &blocks, &bad) != 2) return 2;
  return bad / static_cast<double>(blocks);
}

struct Picture {
  friend void PrintTo(const Picture& picture, std::ostream* out) { *out << picture.name; }
  const char* name;
  const char* recording;
  const char* mark;  // "" for the end
};

class Pictures : public testing::TestWithParam<Picture> {
 protected:
  void SetUp() override {
    const Recording recording = load_recording(GetParam().recording);
    screen_.resize({recording.cols, recording.rows});
    for (const Event& event : recording.events) {
      if (event.kind == Event::Kind::output) screen_.feed(event.bytes);
      if (event.kind == Event::Kind::resize) screen_.resize({event.cols, event.rows});
      if (event.kind == Event::Kind::mark && event.bytes == GetParam().mark) return;
    }
    ASSERT_STREQ("", GetParam().mark) << "the recording has no such mark";
  }

  // Compares what the page shows with the picture that is kept.
  void expect_picture(const std::string& kind, const std::string& page) {
    const std::string name = fmt::format("{}-{}", GetParam().name, kind);
    const support::TempDir folder;
    support::write_file(folder.file("page." + kind), page);
    support::Browser browser;
    const std::string drawn = browser.picture(folder.file("page." + kind), 900, 580);
    ASSERT_FALSE(drawn.empty()) << browser.error();
    const std::string kept = fmt::format("{}/{}.png", TEND_PICTURES, name);
    if (std::getenv("TEND_UPDATE_PICTURES") != nullptr) support::write_file(kept, drawn);
    std::filesystem::create_directories(TEND_DRAWN_PICTURES);
    const std::string seen = fmt::format("{}/{}.png", TEND_DRAWN_PICTURES, name);
    support::write_file(seen, drawn);
    ASSERT_TRUE(std::filesystem::exists(kept)) << kept;
    std::string said;
    EXPECT_LE(compare(browser, support::read_file(kept), drawn, said), kMostBadBlocks)
        << said << ": compare " << seen << " with " << kept;
  }

  vt::Screen screen_{{80, 24}};
};

TEST_P(Pictures, HtmlLooksAsItDid) {
  expect_picture("html",
                 "<!doctype html><meta charset=\"utf-8\"><body style=\"margin:0\">" + vt::html(screen_));
}

TEST_P(Pictures, SvgLooksAsItDid) { expect_picture("svg", vt::svg(screen_)); }

INSTANTIATE_TEST_SUITE_P(Screens, Pictures,
                         testing::Values(Picture{"htop", "htop", "main"},
                                         Picture{"vim", "vim-split", "split"},
                                         Picture{"agent", "claude-code", "prompt"},
                                         Picture{"colours", "colours", ""}),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(PictureComparison, SeesAChangeOfColourAndAMissingRow) {
  support::Browser browser;
  const support::TempDir folder;
  vt::Screen screen({40, 10});
  screen.feed("one\r\ntwo \033[41m  red  \033[m\r\nthree");
  support::write_file(folder.file("a.svg"), vt::svg(screen));
  screen.feed("\033[2;5H\033[42m  red  ");
  support::write_file(folder.file("b.svg"), vt::svg(screen));
  screen.feed("\033[H\033[M");
  support::write_file(folder.file("c.svg"), vt::svg(screen));
  const std::string a = browser.picture(folder.file("a.svg"), 350, 200);
  const std::string b = browser.picture(folder.file("b.svg"), 350, 200);
  const std::string c = browser.picture(folder.file("c.svg"), 350, 200);
  std::string said;
  EXPECT_EQ(0, compare(browser, a, a, said)) << said;
  EXPECT_GT(compare(browser, a, b, said), kMostBadBlocks) << said;
  EXPECT_GT(compare(browser, b, c, said), kMostBadBlocks) << said;
}

}  // namespace
}  // namespace vt_test
