// SPDX-License-Identifier: Apache-2.0
#include "pty/journal.h"

#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/temp_dir.h"

namespace pty {
namespace {

constexpr size_t kSmall = Journal::kLeastCapacity;

// The byte at an offset of the stream that these tests write: a reader can check any piece by itself.
char byte_at(uint64_t offset) { return static_cast<char>((offset * 2654435761U) >> 13); }

std::string stream(uint64_t begin, size_t count) {
  std::string bytes(count, '\0');
  for (size_t i = 0; i < count; i++) bytes[i] = byte_at(begin + i);
  return bytes;
}

class JournalFile : public testing::Test {
 protected:
  JournalFile() : folder_(::open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

  Journal make(size_t capacity) {
    file_ = Journal::create(folder_.get(), "journal", capacity).value();
    return Journal::map(file_.get(), Journal::Access::write).value();
  }
  void put(Journal& journal, const std::string& bytes) {
    for (size_t at = 0; at < bytes.size(); at += 4096) {
      const std::string piece = bytes.substr(at, 4096);
      ASSERT_TRUE(base::write_all(pipe_.write_end.get(), piece));
      ASSERT_EQ(piece.size(), journal.take(pipe_.read_end.get(), piece.size()).value());
    }
  }
  void overwrite(off_t at, const std::string& bytes) {
    ASSERT_EQ(static_cast<ssize_t>(bytes.size()), ::pwrite(file_.get(), bytes.data(), bytes.size(), at));
  }

  support::TempDir dir_;
  base::Fd folder_;
  base::Fd file_;
  base::Pipe pipe_ = base::make_pipe().value();
};

TEST_F(JournalFile, IsPrivateAndTakesItsBlocksAtOnce) {
  make(kSmall);
  struct stat file{};
  ASSERT_EQ(0, ::fstat(file_.get(), &file));
  EXPECT_EQ(0600U, file.st_mode & 07777);
  EXPECT_GE(file.st_blocks * 512, static_cast<off_t>(kSmall));
}

TEST_F(JournalFile, IsNeverMadeOverAnotherNorThroughALink) {
  make(kSmall);
  EXPECT_FALSE(Journal::create(folder_.get(), "journal", kSmall));
  ASSERT_EQ(0, ::symlink("elsewhere", dir_.file("link").c_str()));
  EXPECT_FALSE(Journal::create(folder_.get(), "link", kSmall));
  EXPECT_NE(0, ::access(dir_.file("elsewhere").c_str(), F_OK));
}

TEST_F(JournalFile, MayBeMadeWithoutANameWhichItGetsLater) {
  const base::Fd unnamed = Journal::create_unnamed(folder_.get(), kSmall).value();
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
  ASSERT_TRUE(Journal::give_name(unnamed.get(), folder_.get(), "journal"));
  struct stat file{};
  ASSERT_EQ(0, ::stat(dir_.file("journal").c_str(), &file));
  EXPECT_EQ(0600U, file.st_mode & 07777);
  EXPECT_GE(file.st_blocks * 512, static_cast<off_t>(kSmall));
  EXPECT_EQ(kSmall, Journal::map(unnamed.get(), Journal::Access::write)->capacity());
  const base::Fd other = Journal::create_unnamed(folder_.get(), kSmall).value();
  EXPECT_FALSE(Journal::give_name(other.get(), folder_.get(), "journal")) << "not over another";
}

TEST_F(JournalFile, HasACapacityWithinReason) {
  for (const size_t bad : {size_t{0}, kSmall - 1, kSmall + 1, 3 * kSmall, size_t{1} << 40})
    EXPECT_FALSE(Journal::create(folder_.get(), "bad", bad));
  EXPECT_NE(0, ::access(dir_.file("bad").c_str(), F_OK)) << "nothing is left of a refusal";
}

TEST_F(JournalFile, GivesBackWhatWasPutInByOffset) {
  Journal journal = make(kSmall);
  put(journal, stream(0, 50'000));
  EXPECT_EQ(0U, journal.window().begin);
  EXPECT_EQ(50'000U, journal.window().end);
  std::string piece(1000, '\0');
  const auto read = journal.read(12'345, piece);
  EXPECT_EQ(12'345U, read.offset);
  EXPECT_EQ(1000U, read.count);
  EXPECT_EQ(stream(12'345, 1000), piece);
  EXPECT_EQ(stream(49'000, 1000), journal.view(49'000, 50'000));
}

TEST_F(JournalFile, KeepsTheNewestWhenItGoesRound) {
  Journal journal = make(kSmall);
  const uint64_t total = 5 * kSmall + 777;
  put(journal, stream(0, total));
  EXPECT_EQ(total, journal.window().end);
  EXPECT_EQ(total - kSmall, journal.window().begin);
  std::string all(2 * kSmall, '\0');
  const auto read = journal.read(0, all);
  EXPECT_EQ(total - kSmall, read.offset) << "the reader is told where the bytes really start";
  EXPECT_EQ(kSmall, read.count);
  EXPECT_EQ(stream(total - kSmall, kSmall), all.substr(0, kSmall));
}

TEST_F(JournalFile, HasNothingBehindItsEnd) {
  Journal journal = make(kSmall);
  put(journal, "abc");
  std::string piece(10, '\0');
  EXPECT_EQ(0U, journal.read(3, piece).count);
  EXPECT_EQ(0U, journal.read(1'000'000, piece).count);
  EXPECT_EQ(3U, journal.read(1'000'000, piece).offset);
}

TEST_F(JournalFile, CountsWhatNobodyHasProcessed) {
  Journal journal = make(kSmall);
  put(journal, stream(0, 10'000));
  EXPECT_EQ(10'000U, journal.unprocessed());
  journal.set_processed(9'000);
  EXPECT_EQ(1'000U, journal.unprocessed());
  journal.add_lost(5);
  EXPECT_EQ(5U, journal.lost());
}

// Another process reads the file while this one writes as fast as it can, and laps the reader again and
// again.
TEST_F(JournalFile, CanBeReadByAnotherProcessWhileItIsWritten) {
  Journal journal = make(kSmall);
  const uint64_t total = 200 << 20;
  const pid_t reader = ::fork();
  if (reader == 0) {
    const Journal view = Journal::map(file_.get(), Journal::Access::read).value();
    std::string piece(10'000, '\0');
    uint64_t at = 0;
    while (at < total) {
      const auto read = view.read(at, piece);
      if (read.offset < at) ::_exit(2);
      for (size_t i = 0; i < read.count; i++) {
        if (piece[i] != byte_at(read.offset + i)) ::_exit(1);
      }
      at = read.offset + read.count;
    }
    ::_exit(0);
  }
  std::string piece(4096, '\0');
  for (uint64_t at = 0; at < total; at += piece.size()) {
    for (size_t i = 0; i < piece.size(); i++) piece[i] = byte_at(at + i);
    ASSERT_TRUE(base::write_all(pipe_.write_end.get(), piece));
    ASSERT_TRUE(journal.take(pipe_.read_end.get(), piece.size()));
  }
  int status = -1;
  ASSERT_EQ(reader, ::waitpid(reader, &status, 0));
  EXPECT_EQ(0, status);
}

TEST_F(JournalFile, ThatIsDamagedIsRefusedOrHarmless) {
  Journal journal = make(kSmall);
  put(journal, stream(0, 1000));
  std::string whole(4096, '\0');
  ASSERT_EQ(4096, ::pread(file_.get(), whole.data(), whole.size(), 0));
  std::mt19937 random(3);
  for (int round = 0; round < 20'000; round++) {
    std::string damaged = whole;
    for (unsigned i = 0; i <= random() % 8; i++) damaged[random() % 192] = static_cast<char>(random());
    overwrite(0, damaged);
    const auto mapped = Journal::map(file_.get(), Journal::Access::read);
    if (!mapped) continue;
    std::string piece(3 * kSmall, '\0');
    const auto read = mapped->read(random(), piece);
    EXPECT_LE(read.count, kSmall);
  }
}

TEST_F(JournalFile, ThatIsCutOrEmptyIsRefused) {
  make(kSmall);
  ASSERT_EQ(0, ::ftruncate(file_.get(), 5000));
  EXPECT_FALSE(Journal::map(file_.get(), Journal::Access::read));
  ASSERT_EQ(0, ::ftruncate(file_.get(), 0));
  EXPECT_FALSE(Journal::map(file_.get(), Journal::Access::read));
  EXPECT_FALSE(Journal::map(pipe_.read_end.get(), Journal::Access::read));
}

}  // namespace
}  // namespace pty
