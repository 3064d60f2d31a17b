// SPDX-License-Identifier: Apache-2.0
// What must hold of Lines for every input.
#include <algorithm>
#include <gtest/gtest.h>

#include "loop/lines.h"
#include "random_sequence.h"
#include "recording.h"
#include "vt/text_view.h"

namespace {

using loop::Lines;
using vt_test::Event;
using vt_test::Grammar;
using vt_test::RandomSequence;
using Texts = std::vector<std::string>;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
constexpr int kSequences = 1000;
#else
constexpr int kSequences = 20'000;
#endif

template <typename Cut>
Texts lines_of(std::string_view bytes, vt::Size size, Cut cut) {
  Texts seen;
  Lines lines(size, [&](std::string_view line) { seen.emplace_back(line); });
  while (!bytes.empty()) {
    const size_t n = std::min<size_t>(bytes.size(), cut());
    lines.feed(bytes.substr(0, n));
    bytes.remove_prefix(n);
  }
  lines.pause();
  return seen;
}

TEST(LinesLaws, AnyChunkingGivesTheSameLines) {
  for (int seed = 0; seed < kSequences; seed++) {
    RandomSequence random(static_cast<uint64_t>(seed), Grammar::everything);
    const vt::Size size{1 + static_cast<int>(random.number(24)), 1 + static_cast<int>(random.number(8))};
    const std::string bytes = random.make(5 + static_cast<int>(random.number(60)));
    const Texts whole = lines_of(bytes, size, [] { return SIZE_MAX; });
    ASSERT_EQ(whole, lines_of(bytes, size, [] { return 1; })) << seed << vt_test::escaped(bytes);
    ASSERT_EQ(whole, lines_of(bytes, size, [&] { return 1 + random.number(20); }))
        << seed << vt_test::escaped(bytes);
  }
}

// What programs draw with: words, and functions that move, erase and scroll whole rows.
std::string drawing(RandomSequence& random, vt::Size size) {
  std::string out;
  const auto number = [&](int most) {
    return std::to_string(1 + random.number(static_cast<uint32_t>(most)));
  };
  for (uint32_t i = 3 + random.number(40); i > 0; i--) {
    switch (random.number(14)) {
      case 0:
        out += "\x1b[" + number(size.rows) + ";" + number(size.columns) + "H";
        break;
      case 1:
        out += "\r\n";
        break;
      case 2:
        out += "\x1b[" + std::to_string(random.number(3)) + (random.number(2) == 0 ? "K" : "J");
        break;
      case 3:
        out += "\x1bM";
        break;
      case 4:
        out += "\x1b[" + number(3) + (random.number(2) == 0 ? "L" : "M");
        break;
      case 5:
        out += "\x1b[" + number(3) + (random.number(2) == 0 ? "S" : "T");
        break;
      case 6:
        out += "\x1b[" + number(2) + ";" + number(size.rows) + "r";
        break;
      case 7:
        out += random.number(2) == 0 ? "\x1b[?1049h" : "\x1b[?1049l";
        break;
      case 8:
        out += "\r";
        break;
      case 9:
        out += "\x1b[A";
        break;
      default:
        out += "word" + number(99) + (random.number(3) == 0 ? "日本 " : " ");
        break;
    }
  }
  return out;
}

// Rows, because a row that is drawn again where a longer line was is read without the rest of that.
TEST(LinesLaws, EveryRowThatIsThereAtTheEndWasRead) {
  for (int seed = 0; seed < kSequences; seed++) {
    RandomSequence random(static_cast<uint64_t>(seed) + 7'000'000, Grammar::agreed);
    const vt::Size size{10 + static_cast<int>(random.number(24)), 2 + static_cast<int>(random.number(8))};
    const std::string bytes = drawing(random, size);
    vt::Screen screen(size);
    screen.feed(bytes);
    std::string all;
    for (const auto& line : lines_of(bytes, size, [] { return SIZE_MAX; })) all += line + "\n";
    for (const std::string& row : vt::rows(screen))
      ASSERT_NE(all.find(row), std::string::npos) << seed << ' ' << vt_test::escaped(bytes) << '\n' << row;
  }
}

class OfRecordings : public testing::TestWithParam<std::string> {};

TEST_P(OfRecordings, AreTheSameHoweverTheyCome) {
  const vt_test::Recording recording = vt_test::load_recording(GetParam());
  RandomSequence random(1, Grammar::agreed);
  Texts seen[2];
  for (Texts& into : seen) {
    const bool in_pieces = &into == &seen[1];
    Lines lines({recording.cols, recording.rows}, [&](std::string_view line) { into.emplace_back(line); });
    for (const Event& event : recording.events) {
      if (event.kind == Event::Kind::resize) lines.resize({event.cols, event.rows});
      if (event.kind != Event::Kind::output) continue;
      for (std::string_view rest = event.bytes; !rest.empty();) {
        const size_t n = in_pieces ? std::min<size_t>(rest.size(), 1 + random.number(30)) : rest.size();
        lines.feed(rest.substr(0, n));
        rest.remove_prefix(n);
      }
    }
    lines.pause();
  }
  EXPECT_EQ(seen[0], seen[1]);
}

// Every row that stands on the screen at the end was read, whole.
TEST_P(OfRecordings, HoldEveryRowThatIsThereAtTheEnd) {
  const vt_test::Recording recording = vt_test::load_recording(GetParam());
  vt::Screen screen({recording.cols, recording.rows});
  std::string all = "\n";
  Lines lines({recording.cols, recording.rows}, [&](std::string_view line) { (all += line) += '\n'; });
  for (const Event& event : recording.events) {
    if (event.kind == Event::Kind::resize) {
      lines.resize({event.cols, event.rows});
      screen.resize({event.cols, event.rows});
    }
    if (event.kind == Event::Kind::output) {
      lines.feed(event.bytes);
      screen.feed(event.bytes);
    }
  }
  lines.pause();
  for (const std::string& line : vt::lines(screen)) EXPECT_NE(all.find(line), std::string::npos) << line;
}

INSTANTIATE_TEST_SUITE_P(Lines, OfRecordings, testing::ValuesIn(vt_test::recording_names()),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::ranges::replace_if(
                               name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; },
                               '_');
                           return name;
                         });

}  // namespace
