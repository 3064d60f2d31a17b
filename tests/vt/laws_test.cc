// SPDX-License-Identifier: Apache-2.0
// What must hold for every input: the snapshot law, chunking, resizing. VT_LAW_SEQUENCES says how many random
// sequences are tried.
#include <cstdlib>
#include <gtest/gtest.h>

#include "random_sequence.h"
#include "vt/snapshot.h"

namespace vt {
namespace {

using vt_test::escaped;
using vt_test::Grammar;
using vt_test::RandomSequence;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
constexpr int kSequences = 4000;
#else
constexpr int kSequences = 100'000;
#endif

int sequences() {
  const char* const wanted = std::getenv("VT_LAW_SEQUENCES");
  return wanted != nullptr ? std::atoi(wanted) : kSequences;
}

Options small_scrollback() {
  Options options;
  options.scrollback_rows = 12;
  return options;
}

Size random_size(RandomSequence& random) {
  return {1 + static_cast<int>(random.number(24)), 1 + static_cast<int>(random.number(8))};
}

// Text that is one line whatever the width, for comparing before and after a resize.
testing::AssertionResult obeys_snapshot_law(const Screen& a) {
  for (const Include include : {Include::screen, Include::scrollback}) {
    Screen b(a.size(), small_scrollback());
    const std::string bytes = snapshot(a, include);
    b.feed(bytes);
    if (include == Include::scrollback ? a == b : a.same_but_scrollback(b)) continue;
    return testing::AssertionFailure()
           << (include == Include::screen ? "screen" : "scrollback") << " snapshot \"" << escaped(bytes)
           << "\" gives \"" << escaped(snapshot(b, include)) << '"';
  }
  return testing::AssertionSuccess();
}

TEST(Laws, ASnapshotGivesTheSameScreen) {
  for (int seed = 0; seed < sequences(); seed++) {
    RandomSequence random(static_cast<uint64_t>(seed), Grammar::everything);
    Screen screen(random_size(random), small_scrollback());
    const std::string bytes = random.make(5 + static_cast<int>(random.number(60)));
    screen.feed(bytes);
    if (seed % 4 == 0) {
      screen.resize(random_size(random));
      screen.feed(random.make(10));
    }
    ASSERT_TRUE(obeys_snapshot_law(screen)) << "seed " << seed << " " << screen.size().columns << "x"
                                            << screen.size().rows << " \"" << escaped(bytes) << '"';
  }
}

TEST(Laws, AnyChunkingGivesTheSameScreen) {
  for (int seed = 0; seed < sequences() / 4; seed++) {
    RandomSequence random(static_cast<uint64_t>(seed) + 1'000'000, Grammar::everything);
    const Size size = random_size(random);
    const std::string bytes = random.make(5 + static_cast<int>(random.number(60)));
    Screen whole(size, small_scrollback());
    whole.feed(bytes);
    Screen single(size, small_scrollback());
    for (const char c : bytes) single.feed({&c, 1});
    Screen pieces(size, small_scrollback());
    for (size_t at = 0; at < bytes.size();) {
      const size_t n = 1 + random.number(20);
      pieces.feed(std::string_view(bytes).substr(at, n));
      at += n;
    }
    ASSERT_TRUE(whole == single) << "seed " << seed << " \"" << escaped(bytes) << '"';
    ASSERT_TRUE(whole == pieces) << "seed " << seed << " \"" << escaped(bytes) << '"';
  }
}

TEST(Laws, AScreenGoesOnFromASnapshotAsIfNothingHadHappened) {
  for (int seed = 0; seed < sequences() / 4; seed++) {
    RandomSequence random(static_cast<uint64_t>(seed) + 2'000'000, Grammar::everything);
    Screen a(random_size(random), small_scrollback());
    a.feed(random.make(30));
    Screen b(a.size(), small_scrollback());
    b.feed(snapshot(a, Include::scrollback));
    const std::string more = random.make(20);
    a.feed(more);
    b.feed(more);
    ASSERT_TRUE(a == b) << "seed " << seed << " \"" << escaped(more) << '"';
  }
}

}  // namespace
}  // namespace vt
