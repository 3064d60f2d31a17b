// SPDX-License-Identifier: Apache-2.0
// Input that is made to hurt: endless and broken sequences must cost neither memory nor time.
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

#include "vt/snapshot.h"

namespace {

// Bytes alive and the most there ever were, for everything in this program.
size_t g_alive = 0;
size_t g_peak = 0;

void* counted(size_t size) {
  auto* const block = static_cast<size_t*>(std::malloc(size + 16));
  if (block == nullptr) std::abort();
  *block = size;
  g_alive += size;
  g_peak = std::max(g_peak, g_alive);
  return block + 2;
}

void uncounted(void* pointer) {
  if (pointer == nullptr) return;
  size_t* const block = static_cast<size_t*>(pointer) - 2;
  g_alive -= *block;
  std::free(block);
}

}  // namespace

void* operator new(size_t size) { return counted(size); }
void* operator new[](size_t size) { return counted(size); }
// NOLINTBEGIN(clang-analyzer-cplusplus.NewDelete): the analyzer takes these for the usual ones.
void operator delete(void* pointer) noexcept { uncounted(pointer); }
void operator delete[](void* pointer) noexcept { uncounted(pointer); }
void operator delete(void* pointer, size_t) noexcept { uncounted(pointer); }
void operator delete[](void* pointer, size_t) noexcept { uncounted(pointer); }
// NOLINTEND(clang-analyzer-cplusplus.NewDelete)

namespace vt {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
constexpr size_t kMegabytes = 4;
#else
constexpr size_t kMegabytes = 100;
#endif
constexpr size_t kExtra = 65536;

struct Cost {
  size_t memory;
  double seconds;
};

// Feeds `start`, then `piece` again and again.
Cost feed_endlessly(Screen& screen, const std::string& start, const std::string& piece, size_t megabytes) {
  std::string block;
  while (block.size() < 65536) block += piece;
  screen.feed(start);
  const size_t before = g_alive;
  g_peak = g_alive;
  const auto begin = std::chrono::steady_clock::now();
  for (size_t fed = 0; fed < megabytes << 20; fed += block.size()) screen.feed(block);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return {g_peak - before, taken.count()};
}

// Slow enough for a loaded machine, and still far from what anything that grows would take.
constexpr double kDeadline = 30;

TEST(Hostile, AnEndlessStringStaysWithin64KiB) {
  for (const std::string start :
       {"\x1b]0;", "\x1b]52;c;", "\x1b]8;;", "\x1bP", "\x1bP$q", "\x1b_", "\x1bX", "\x1b]!"}) {
    Screen screen({80, 24});
    const Cost cost = feed_endlessly(screen, start, "0123456789abcdef", kMegabytes);
    EXPECT_LE(cost.memory, kExtra) << start;
    EXPECT_LT(cost.seconds, kDeadline) << start;
    screen.feed("\x1b\\ok");
    Line line;
    screen.read(0, line);
    EXPECT_EQ("ok", line.text()) << start;
  }
}

TEST(Hostile, EndlessParametersStayWithin64KiB) {
  for (const std::string piece : {"1;", ";", "1:", "99999999999999", " ", "!", "<"}) {
    Screen screen({80, 24});
    const Cost cost = feed_endlessly(screen, "\x1b[", piece, kMegabytes / 4);
    EXPECT_LE(cost.memory, kExtra) << piece;
    EXPECT_LT(cost.seconds, kDeadline) << piece;
  }
}

TEST(Hostile, NestedEscapesAndBadUtf8StayWithin64KiB) {
  for (const std::string piece : {"\x1b", "\x1b[\x1b]", "\x1bP\x1b[\x1b", "\xff", "\xe4\xb8", "\xf0\x9f\x91",
                                  "\xc0\x80", "\x1b[1\xe4", "\x1b]0;\x18", "\xed\xa0\x80"}) {
    Options options;
    options.scrollback_rows = 10;
    Screen screen({80, 24}, options);
    screen.feed(std::string(10'000, '\n'));
    const Cost cost = feed_endlessly(screen, "", piece, kMegabytes / 10 + 1);
    EXPECT_LE(cost.memory, kExtra) << piece;
    EXPECT_LT(cost.seconds, kDeadline) << piece;
  }
}

TEST(Hostile, AClusterDoesNotGrowForEver) {
  Screen screen({80, 24});
  const Cost cost = feed_endlessly(screen, "e", "\xcc\x81", kMegabytes / 10 + 1);
  EXPECT_LE(cost.memory, kExtra);
  Line line;
  screen.read(0, line);
  EXPECT_EQ(kMostClusterLength, line.characters(line.glyphs[0]).size());
}

TEST(Hostile, EndlesslyManyStylesClustersAndLinksAreSwept) {
  Options options;
  options.scrollback_rows = 100;
  Screen screen({80, 24}, options);
  const size_t before = g_alive;
  for (int i = 0; i < 300'000; i++) {
    const std::string n = std::to_string(i);
    screen.feed("\x1b[38;2;" + std::to_string(i & 255) + ";" + std::to_string(i >> 8 & 255) + ";" +
                std::to_string(i >> 16) + "mx\x1b]8;;http://h/" + n + "\aa");
    if (i % 5 == 0)
      screen.feed("e\xcc\x81" + std::string(1, static_cast<char>(0xcc)) + static_cast<char>(0x80 + i % 48));
  }
  EXPECT_LE(g_alive - before, size_t{8} << 20);
  EXPECT_LE(screen.memory_usage(), size_t{8} << 20);
}

TEST(Hostile, RepliesToOneSequenceAreFew) {
  struct Count final : Sink {
    void reply(std::string_view) override { replies++; }
    int replies = 0;
  } count;
  Screen screen({80, 24}, {}, &count);
  std::string ask = "\x1b]4";
  for (int i = 0; i < 2000; i++) ask += ";1;?";
  screen.feed(ask + "\a");
  EXPECT_LE(count.replies, 16);
  std::string names = "\x1bP+q";
  for (int i = 0; i < 2000; i++) names += "436f;";
  screen.feed(names + "\x1b\\");
  EXPECT_LE(count.replies, 32);
}

TEST(Hostile, TenThousandRowsOfLogTextTakeLessThanTwoMegabytes) {
  Screen screen({120, 30});
  for (int i = 0; i < 10'030; i++)
    screen.feed("2026-11-15 17:48:24.123 INFO  [worker-7] request " + std::to_string(i) +
                " passed through the server in 12 ms, response 200\r\n");
  EXPECT_EQ(10'000U, screen.scrollback().size());
  EXPECT_LT(screen.memory_usage(), 2'000'000U);
}

TEST(Hostile, AnAsciiRowCostsLittleMoreThanItsBytes) {
  Scrollback scrollback(10'000);
  const Tables tables;
  Row row(80);
  const std::string text(60, 'x');
  row.write({0, 60}, text, 0, 0);
  for (int i = 0; i < 10'000; i++) scrollback.push(row, tables);
  EXPECT_LT(scrollback.memory(), 10'000U * (60 + 16) + 2 * 65536);
}

}  // namespace
}  // namespace vt
