// SPDX-License-Identifier: Apache-2.0
// A display that is recovered from its files and the journal shows what the one before it showed.
#include "session/display.h"

#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <random_sequence.h>

#include "base/fd.h"
#include "session/notices.h"
#include "support/temp_dir.h"

namespace session {
namespace {

using vt_test::Grammar;
using vt_test::RandomSequence;

constexpr size_t kRing = pty::Journal::kLeastCapacity;

class DisplayTest : public testing::Test {
 protected:
  void SetUp() override { make(); }

  void make() {
    const base::Fd folder(::open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    Display::remove(base());
    const base::Fd file = pty::Journal::create(folder.get(), "pty.journal", kRing).value();
    journal_.emplace(pty::Journal::map(file.get(), pty::Journal::Access::write).value());
    display_.emplace(options(), vt::Size{80, 24}, nullptr);
    display_->start();
  }
  std::string base() const { return dir_.file("pty"); }
  Display::Options options() const { return {.base = base(), .scrollback_rows = 200}; }

  void print(std::string_view bytes) {
    for (size_t at = 0; at < bytes.size(); at += 4096) {
      const std::string_view piece = bytes.substr(at, 4096);
      ASSERT_TRUE(base::write_all(pipe_.write_end.get(), piece));
      ASSERT_EQ(piece.size(), journal_->take(pipe_.read_end.get(), piece.size()).value());
      display_->follow(*journal_);
    }
  }
  // What a successor would show; the one that is there stays.
  const vt::Screen& recovered() {
    successor_.emplace(options(), vt::Size{80, 24}, nullptr);
    successor_->recover(*journal_);
    return successor_->screen();
  }
  void succeed() {
    display_.reset();
    display_.emplace(options(), vt::Size{80, 24}, nullptr);
    display_->recover(*journal_);
  }

  support::TempDir dir_;
  base::Pipe pipe_ = base::make_pipe().value();
  std::optional<pty::Journal> journal_;
  std::optional<Display> display_;
  std::optional<Display> successor_;
};

TEST_F(DisplayTest, IsRecoveredWithItsScrollbackWhileTheRingHasAll) {
  RandomSequence random(7, Grammar::agreed);
  print(random.make(500));
  display_->show(exit_notice(3));
  display_->resize({50, 10});
  print("behind it");
  EXPECT_TRUE(recovered() == display_->screen());
  EXPECT_EQ(display_->offset(), successor_->offset());
}

TEST_F(DisplayTest, IsRecoveredAtAnyMomentOfRandomOutputSizesAndNotices) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    make();
    RandomSequence random(seed, Grammar::everything);
    for (int step = 0; step < 120; step++) {
      print(random.make(200));
      if (random.number(8) == 0)
        display_->resize({1 + static_cast<int>(random.number(150)), 1 + static_cast<int>(random.number(60))});
      if (random.number(12) == 0) display_->show(exit_notice(static_cast<int>(random.number(256))));
      if (random.number(15) == 0) display_->checkpoint(*journal_);
      if (step % 10 == 9) {
        ASSERT_TRUE(recovered().same_but_scrollback(display_->screen()))
            << "seed " << seed << " step " << step;
      }
      if (random.number(20) == 0) succeed();
    }
    EXPECT_GT(display_->offset(), kRing) << "the ring went round";
  }
}

TEST_F(DisplayTest, WithoutItsPastItHasTheScreenAndNoScrollback) {
  print("\x1b]0;first\x07");
  for (int i = 0; i < 3; i++) print(std::string(kRing / 40, '\n') + "\x1b]0;last\x07\x1b[?2004hthe end");
  display_->show(exit_notice(3));
  for (const bool saved : {false, true}) {
    if (saved) display_->checkpoint(*journal_);
    Display last(options(), {80, 24}, nullptr);
    last.recover(*journal_, Display::Past::none);
    EXPECT_TRUE(last.screen().same_but_scrollback(display_->screen())) << saved;
    EXPECT_EQ("last", last.screen().titles().title);
    EXPECT_TRUE(last.ends_with_text());
    EXPECT_EQ(saved, last.screen().scrollback().size() == 0);
  }
  EXPECT_GT(recovered().scrollback().size(), 0U);
}

TEST_F(DisplayTest, SaysNothingWhileItIsRecovered) {
  struct Counter final : vt::Sink {
    void reply(std::string_view) override { replies++; }
    int replies = 0;
  } counter;
  print("\x1b[c\x1b[6n\x1b[5n");
  Display again(options(), {80, 24}, &counter);
  again.recover(*journal_);
  EXPECT_EQ(0, counter.replies);
  print("\x1b[c");
  again.follow(*journal_);
  EXPECT_EQ(1, counter.replies);
}

TEST_F(DisplayTest, KnowsWhetherANoticeIsTheLastThing) {
  print("text");
  EXPECT_FALSE(display_->ends_with_text());
  display_->show(exit_notice(1));
  EXPECT_TRUE(display_->ends_with_text());
  recovered();
  EXPECT_TRUE(successor_->ends_with_text());
  print("more");
  recovered();
  EXPECT_FALSE(successor_->ends_with_text());
}

// A note that a kill or a full disk cut short did not happen, and what is noted after it is found again.
TEST_F(DisplayTest, AMarginThatIsCutAnywhereLosesItsTailAndNothingElse) {
  print("one\r\n");
  display_->show("[first]");
  const auto whole = std::filesystem::file_size(base() + ".margin");
  display_->show("[second]");
  const auto all = std::filesystem::file_size(base() + ".margin");
  const std::string bytes = support::read_file(base() + ".margin");
  for (auto size = whole; size < all; size++) {
    support::write_file(base() + ".margin", bytes.substr(0, size));
    Display next(options(), {80, 24}, nullptr);
    next.recover(*journal_);
    next.show("[third]");
    next.resize({60, 20});
    ASSERT_TRUE(recovered() == next.screen()) << size;
    EXPECT_EQ(60, successor_->screen().size().columns) << size;
  }
}

TEST_F(DisplayTest, GarbageInItsFilesIsNotTheEnd) {
  RandomSequence random(3, Grammar::everything);
  for (int round = 0; round < 60; round++) {
    make();
    print(random.make(2500));
    for (const char* name : {".margin", ".screen0", ".screen1", ".screen2"}) {
      if (random.number(2) == 0 || !std::filesystem::exists(base() + name)) continue;
      std::string bytes = support::read_file(base() + name);
      if (random.number(3) == 0) bytes.resize(random.number(static_cast<uint32_t>(bytes.size()) + 1));
      for (int i = 0; i < 8 && !bytes.empty(); i++)
        bytes[random.number(static_cast<uint32_t>(std::min<size_t>(bytes.size(), 64)))] =
            static_cast<char>(random.number(256));
      support::write_file(base() + name, bytes);
    }
    const vt::Screen& screen = recovered();
    EXPECT_GE(screen.size().columns, 1);
    EXPECT_LE(screen.size().columns, vt::Screen::kMostColumns);
    EXPECT_EQ(journal_->window().end, successor_->offset());
  }
}

// In a checkpoint the number of the next note stands behind magic and offset; in a note, its own behind the
// offset.
TEST_F(DisplayTest, ADamagedNumberDoesNotHideWhatIsNotedLater) {
  for (const auto& [name, at] : {std::pair(".screen0", 16), std::pair(".margin", 8)}) {
    for (const uint64_t number : {uint64_t{0}, UINT64_MAX, UINT64_MAX - 1, uint64_t{1} << 63,
                                  (uint64_t{1} << 40) + 1, uint64_t{1} << 40}) {
      make();
      display_->resize({20, 5});
      print("some output \33[99;99Hx");
      display_->checkpoint(*journal_);
      std::string bytes = support::read_file(base() + name);
      std::memcpy(bytes.data() + at, &number, sizeof number);
      support::write_file(base() + ".margin", "");
      support::write_file(base() + name, bytes);
      succeed();
      display_->resize({61, 17});
      display_->show("a note");
      EXPECT_TRUE(recovered().same_but_scrollback(display_->screen())) << name << " " << number;
      EXPECT_EQ(61, successor_->screen().size().columns) << name << " " << number;
    }
  }
}

TEST_F(DisplayTest, ACheckpointThatCannotBeReadLeavesTheOthers) {
  RandomSequence random(11, Grammar::agreed);
  while (display_->offset() < 3 * kRing) print(random.make(100));
  // The newest two of the three reach into the ring; one of them is enough.
  for (const char* name : {".screen0", ".screen1", ".screen2"}) {
    const std::string bytes = support::read_file(base() + name);
    support::write_file(base() + name, bytes.substr(0, bytes.size() / 2));
    EXPECT_TRUE(recovered().same_but_scrollback(display_->screen())) << name;
    support::write_file(base() + name, bytes);
  }
}

TEST_F(DisplayTest, ItsMarginStaysSmall) {
  for (int i = 0; i < 60'000; i++) {
    display_->resize({20 + i % 100, 10 + i % 30});
    display_->follow(*journal_);
    ASSERT_TRUE(i % 1000 != 0 || std::filesystem::file_size(base() + ".margin") < 2U << 20);
  }
  EXPECT_LT(std::filesystem::file_size(base() + ".margin"), 3U << 19);
  EXPECT_TRUE(recovered().same_but_scrollback(display_->screen()));
}

TEST_F(DisplayTest, RemovesItsFiles) {
  print(std::string(kRing, 'x'));
  display_->show("note");
  Display::remove(base());
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
}

}  // namespace
}  // namespace session
