// SPDX-License-Identifier: Apache-2.0
#include "loop/record.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "base/ids.h"
#include "loop/text.h"
#include "support/temp_dir.h"
#include "wire/params.h"

namespace {

using loop::Plan;
using loop::Record;
using std::chrono::hours;
using std::chrono::seconds;

class RecordTest : public testing::Test {
 protected:
  RecordTest() {
    plan_.id = base::new_id();
    plan_.cwd = "/srv/project";
    plan_.mode = loop::Mode::observe;
    plan_.settings = "cli:\n  backend: codex\n";
    plan_.extra = {"--model", "a b"};
    loops_ = loop::loops_folder(dir_.path().string());
    folder_ = loop::create_folder(loops_, plan_).value();
  }

  Record open() { return Record::open(folder_).value(); }
  mode_t mode_of(const std::string& name) const {
    struct stat about{};
    ::stat((folder_ + "/" + name).c_str(), &about);
    return about.st_mode & 0777;
  }
  void age(const std::string& name, int days) const {
    const timeval then{::time(nullptr) - static_cast<time_t>(days) * 86400, 0};
    const timeval both[2] = {then, then};
    ::utimes((folder_ + "/" + name).c_str(), both);
  }

  support::TempDir dir_;
  Plan plan_;
  std::string loops_;
  std::string folder_;
};

TEST_F(RecordTest, ThePlanComesBackAsItWas) {
  const Plan read = loop::read_plan(folder_).value();
  EXPECT_EQ(read.id, plan_.id);
  EXPECT_EQ(read.cwd, plan_.cwd);
  EXPECT_EQ(read.mode, plan_.mode);
  EXPECT_EQ(read.settings, plan_.settings);
  EXPECT_EQ(read.extra, plan_.extra);
  EXPECT_EQ(mode_of("plan.json"), 0600U);
  EXPECT_EQ(mode_of(""), 0700U);
}

TEST_F(RecordTest, APlanThatIsNoneIsAnError) {
  support::write_file(folder_ + "/plan.json", "[]");
  EXPECT_FALSE(loop::read_plan(folder_));
  EXPECT_FALSE(loop::read_plan(folder_ + "-not-there"));
}

TEST_F(RecordTest, EventsHaveATimeAndAKindAndALineEach) {
  Record record = open();
  ASSERT_TRUE(record.add("event", {{"iteration", 1}, {"topic", "a"}, {"payload", "two\nlines \"x\""}}));
  ASSERT_TRUE(record.add("promise", {{"iteration", 2}}));
  const auto events = loop::read_events(folder_).value();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(wire::text(events[0], "kind"), "event");
  EXPECT_EQ(wire::text(events[0], "payload"), "two\nlines \"x\"");
  EXPECT_TRUE(loop::parse_iso_time(wire::text(events[0], "at").value()));
  EXPECT_EQ(mode_of("events.jsonl"), 0600U);
  const auto newest = loop::read_events(folder_, 1).value();
  ASSERT_EQ(newest.size(), 1U);
  EXPECT_EQ(wire::integer(newest[0], "iteration"), 2);
}

TEST_F(RecordTest, ALineThatWasCutIsPassedOverAndTheNextOneIsWhole) {
  {
    Record record = open();
    ASSERT_TRUE(record.add("promise", {{"iteration", 1}}));
  }
  const std::string path = folder_ + "/events.jsonl";
  support::write_file(path, support::read_file(path) + "{\"at\":\"20");
  EXPECT_EQ(loop::read_events(folder_).value().size(), 1U);
  Record again = open();
  ASSERT_TRUE(again.add("promise", {{"iteration", 2}}));
  EXPECT_EQ(loop::read_events(folder_).value().size(), 2U);
}

TEST_F(RecordTest, TwoRunnersCannotHaveTheSameFolder) {
  const Record record = open();
  const auto second = Record::open(folder_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, base::Code::pty_busy);
}

TEST_F(RecordTest, LinesOfAnIterationAreAppendedToAFileOfItsOwn) {
  Record record = open();
  ASSERT_TRUE(record.note_line(1, "one"));
  ASSERT_TRUE(record.note_line(2, "t\x1b[31mwo \xff"));
  ASSERT_TRUE(record.note_line(1, "three"));
  EXPECT_EQ(support::read_file(folder_ + "/iteration-0001.txt"), "one\nthree\n");
  EXPECT_EQ(support::read_file(folder_ + "/iteration-0002.txt"), "t[31mwo \xef\xbf\xbd\n");
  EXPECT_EQ(mode_of("iteration-0001.txt"), 0600U);
}

TEST_F(RecordTest, TheTextOfAnIterationHasABound) {
  Record record = open();
  const std::string line(1 << 20, 'x');
  for (int i = 0; i < 20; i++) ASSERT_TRUE(record.note_line(1, line));
  const std::string text = support::read_file(folder_ + "/iteration-0001.txt");
  EXPECT_LT(text.size(), 17U << 20);
  EXPECT_TRUE(text.ends_with("[what followed is not kept]\n"));
}

TEST_F(RecordTest, HowALoopStandsIsInItsLines) {
  EXPECT_EQ(loop::read_standing(folder_).value().phase, "");
  Record record = open();
  ASSERT_TRUE(
      record.add("started", {{"session", "s1"}, {"name", "web"}, {"mode", "pty"}, {"backend", "codex"}}));
  ASSERT_TRUE(record.add("iteration.started", {{"iteration", 3}}));
  auto standing = loop::read_standing(folder_).value();
  EXPECT_EQ(standing.id, plan_.id);
  EXPECT_EQ(standing.session, "s1");
  EXPECT_EQ(standing.name, "web");
  EXPECT_EQ(standing.mode, loop::Mode::interactive);
  EXPECT_EQ(standing.iteration, 3);
  EXPECT_EQ(standing.phase, "running");
  EXPECT_FALSE(standing.exit_code);
  ASSERT_TRUE(record.add("promise", {{"iteration", 3}, {"verify", true}}));
  EXPECT_EQ(loop::read_standing(folder_).value().phase, "verifying");
  ASSERT_TRUE(record.add("iteration.ended", {{"iteration", 3}, {"how", "limit"}}));
  EXPECT_EQ(loop::read_standing(folder_).value().phase, "waiting");
  ASSERT_TRUE(record.add("ended", {{"why", "stopped"}, {"exit_code", 1}}));
  standing = loop::read_standing(folder_).value();
  EXPECT_EQ(standing.exit_code, 1);
  EXPECT_EQ(standing.why, "stopped");
  EXPECT_TRUE(standing.ended_at);
  EXPECT_GT(standing.started_at, 0);
}

TEST_F(RecordTest, LoopsAreListedNewestFirstAndWhatIsNoneIsLeftOut) {
  Plan other = plan_;
  other.id = base::new_id();
  const std::string folder = loop::create_folder(loops_, other).value();
  Record first = open();
  ASSERT_TRUE(first.add("started", {{"session", "s1"}}));
  Record second = Record::open(folder).value();
  ASSERT_TRUE(second.add("started", {{"session", "s2"}}));
  ::mkdir((loops_ + "/something-else").c_str(), 0700);
  const auto all = loop::all_standings(loops_);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].session, "s2");
  EXPECT_EQ(all[1].session, "s1");
  EXPECT_TRUE(loop::all_standings(loops_ + "-not-there").empty());
}

TEST_F(RecordTest, OldOnesAreRemovedButNotUnderARunner) {
  const base::WallTime before = base::RealClock().wall() - hours(24);
  loop::remove_old(loops_, before);
  EXPECT_TRUE(loop::read_plan(folder_)) << "it is new";
  {
    const Record record = open();
    age("plan.json", 3);
    age("events.jsonl", 3);
    loop::remove_old(loops_, before);
    EXPECT_TRUE(loop::read_plan(folder_)) << "it has a runner";
  }
  loop::remove_old(loops_, before);
  EXPECT_FALSE(loop::read_plan(folder_));
}

TEST(Text, TimesAreWrittenAndReadBack) {
  const base::WallTime at{std::chrono::microseconds(1'772'366'400'123'456)};
  EXPECT_EQ(loop::iso_time(at), "2026-03-01T12:00:00.123456Z");
  EXPECT_EQ(loop::parse_iso_time(loop::iso_time(at)), 1'772'366'400'123'456);
  EXPECT_FALSE(loop::parse_iso_time("2026-03-01"));
}

TEST(Text, LengthsAreInWords) {
  EXPECT_EQ(loop::in_words(seconds(4)), "4 s");
  EXPECT_EQ(loop::in_words(seconds(200)), "3 min 20 s");
  EXPECT_EQ(loop::in_words(seconds(7500)), "2 h 5 min");
}

TEST(Text, TheLastCharactersAreWhole) {
  EXPECT_EQ(loop::last_characters("añb", 2), "ñb");
  EXPECT_EQ(loop::last_characters("ab", 5), "ab");
  EXPECT_EQ(loop::readable("a\x1b[1mb\n\xc3"), "a[1mb\n\xef\xbf\xbd");
}

}  // namespace
