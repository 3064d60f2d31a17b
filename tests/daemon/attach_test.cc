// SPDX-License-Identifier: Apache-2.0
// Several clients at one PTY: the same output for all, keys in the order they come, one size.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon_fixture.h"
#include "vt/screen.h"
#include "vt/text_view.h"

namespace host_test {
namespace {

using testing::HasSubstr;

class Attach : public DaemonTest {
 protected:
  std::pair<int, int> size(Peer& peer, const std::string& id) {
    const json::value now = session(peer, id);
    return {now.at("cols").to_number<int>(), now.at("rows").to_number<int>()};
  }
  static json::object with_resize(const std::string& policy) {
    return {{"settings", "session: {resize: " + policy + "}"}};
  }
};

TEST_F(Attach, AllSeeTheSameAndTheirKeysAreMergedInOrder) {
  Peer one = this->peer("one");
  Peer two = this->peer("two");
  const std::string id = run(one, "while read line; do echo \"<$line>\"; done");
  one.attach({{"session", id}});
  two.attach({{"session", id}});
  for (int i = 0; i < 20; i++) {
    Peer& typist = i % 2 == 0 ? one : two;
    typist.type("line" + std::to_string(i) + "\r");
    const std::string echo = "<line" + std::to_string(i) + ">";
    ASSERT_TRUE(one.shows(echo));
    ASSERT_TRUE(two.shows(echo));
  }
  ASSERT_EQ(one.offset(), two.offset());
  EXPECT_EQ(one.shown(), two.shown());
}

TEST_F(Attach, ALateComerGetsTheScreenAndThenEveryByteOnce) {
  Peer early = this->peer();
  const std::string id = run(early, "stty -echo; i=0; while read n; do i=$((i+1)); echo line $i; done");
  early.attach({{"session", id}});
  for (int i = 0; i < 50; i++) early.type("\r");
  ASSERT_TRUE(early.shows("line 50"));
  Peer late = this->peer();
  late.attach({{"session", id}});
  EXPECT_THAT(late.shown(), HasSubstr("line 50"));
  for (int i = 0; i < 50; i++) late.type("\r");
  ASSERT_TRUE(late.shows("line 100\r\n"));
  ASSERT_TRUE(early.shows("line 100\r\n"));
  for (int i = 51; i <= 100; i++)
    EXPECT_EQ(1U, count_of(late.shown(), "line " + std::to_string(i) + "\r")) << i;
  EXPECT_THAT(early.shown(), testing::EndsWith(late.shown().substr(late.shown().find("line 51"))));
}

TEST_F(Attach, AReattachGoesOnWhereItWasIfTheJournalHasIt) {
  Peer peer = this->peer();
  const std::string id = run(peer, "printf 0123456789; cat");
  ASSERT_TRUE(prints(peer, id, "0123456789"));
  const json::object attached = peer.attach({{"session", id}, {"from", 4}});
  EXPECT_TRUE(attached.at("snapshot_bytes").is_null());
  EXPECT_EQ(4, attached.at("offset").to_number<int>());
  EXPECT_TRUE(peer.shows("456789"));
  EXPECT_EQ("456789", peer.shown());
  const json::object far = peer.attach({{"session", id}, {"from", 4'000'000'000}});
  EXPECT_FALSE(far.at("snapshot_bytes").is_null()) << "what is not there comes as a snapshot";
  EXPECT_THAT(peer.shown(), HasSubstr("0123456789"));
}

TEST_F(Attach, ResyncGivesTheScreenAsItIsNow) {
  Peer peer = this->peer();
  const std::string id = run(peer, "echo first; read a; echo second; cat");
  peer.attach({{"session", id}});
  ASSERT_TRUE(prints(peer, id, "first"));
  peer.type("\r");
  ASSERT_TRUE(prints(peer, id, "second"));
  const json::value again = peer.ok("pty.resync");
  EXPECT_THAT(peer.bytes(again.at("snapshot_bytes").to_number<size_t>()), HasSubstr("second"));
  EXPECT_EQ(120, again.at("cols").to_number<int>());
}

TEST_F(Attach, ScrollbackComesBeforeTheScreenOnRequest) {
  Peer peer = this->peer();
  const std::string id = run(peer,
                             "i=0; while [ $i -lt 100 ]; do i=$((i+1)); printf '\\033[3%dmrow %d.\\033[m\\n' "
                             "$((i % 7)) $i; done; cat");
  ASSERT_TRUE(prints(peer, id, "row 100."));
  peer.attach({{"session", id}});
  EXPECT_THAT(peer.shown(), testing::Not(HasSubstr("row 1.")));
  for (const int rows : {40, 1'000'000}) {
    peer.attach({{"session", id}, {"scrollback", rows}, {"cols", 120}, {"rows", 30}});
    vt::Screen shown({120, 30});
    shown.feed(peer.shown());
    const auto lines = vt::rows(shown, 1'000'000);
    // The last row of the screen is empty: the cursor stands there.
    const size_t first = rows == 40 ? 32 : 1;
    ASSERT_EQ(102 - first, lines.size());
    for (size_t i = first; i <= 100; i++) EXPECT_EQ("row " + std::to_string(i) + ".", lines[i - first]);
    EXPECT_EQ(rows == 40 ? 40U : 71U, shown.scrollback().size());
    vt::Line line;
    shown.read(vt::Which::main, -1, line);
    EXPECT_NE(vt::Style{}, line.glyphs.at(0).style) << "the colours come too";
  }
  peer.type("live\r");
  EXPECT_TRUE(peer.shows("live"));
}

TEST_F(Attach, ScrollbackIsFittedToAWindowOfAnotherSize) {
  Peer peer = this->peer();
  const std::string id = run(peer, "seq -f '%030.0f' 1 100; cat", with_resize("fixed"));
  ASSERT_TRUE(prints(peer, id, "0100"));
  peer.attach({{"session", id}, {"scrollback", 1000}, {"cols", 20}, {"rows", 10}, {"role", "observer"}});
  vt::Screen shown({20, 10});
  shown.feed(peer.shown());
  // Two rows for each, and the empty one with the cursor.
  EXPECT_EQ(200U + 1 - 10, shown.scrollback().size());
  EXPECT_EQ("0000000001", vt::rows(shown, 1000).at(1));
}

TEST_F(Attach, ScrollbackIsBoundedAndComesInPieces) {
  Peer peer = this->peer();
  const std::string id = run(peer, "seq -f '%0100.0f' 1 150000; echo end; cat",
                             {{"settings", "session: {scrollback_rows: 200000}"}});
  peer.ok("pty.wait", {{"session", id}, {"until", "text"}, {"pattern", "^end$"}});
  const json::object attached = peer.attach({{"session", id}, {"scrollback", 1'000'000}});
  const auto bytes = attached.at("snapshot_bytes").to_number<size_t>();
  EXPECT_LE(bytes, size_t{8} << 20);
  EXPECT_GE(bytes, size_t{3} << 20);
  EXPECT_EQ(bytes, peer.shown().size());
  EXPECT_THAT(peer.shown(), HasSubstr("0150000"));
  peer.type("live\r");
  EXPECT_TRUE(peer.shows("live"));
}

TEST_F(Attach, ATypistHearsHowMuchHasReachedTheTerminal) {
  Peer peer = this->peer();
  const auto says = [](int count) {
    return [count](const json::object& params) {
      return params.contains("typed") && params.at("typed").to_number<int>() == count;
    };
  };
  const std::string echoing = run(peer, "stty raw -echo; printf ready; exec cat");
  ASSERT_TRUE(prints(peer, echoing, "ready"));
  peer.attach({{"session", echoing}});
  peer.type("abc");
  EXPECT_TRUE(peer.heard("pty.output", says(3))) << "with what it brings about";
  const std::string silent = run(peer, "stty raw -echo; printf ready; exec sleep 1000");
  ASSERT_TRUE(prints(peer, silent, "ready"));
  peer.attach({{"session", silent}});
  peer.type("abcde");
  const auto told = peer.heard("pty.input", says(5));
  ASSERT_TRUE(told) << "by itself, where that is nothing";
  EXPECT_TRUE(told->at("open").as_bool());
  // What a program does not take has not reached it.
  for (int i = 0; i < 10; i++) peer.type(std::string(10'000, 'x'));
  const auto less = peer.heard("pty.input", [](const json::object& params) {
    return params.contains("typed") && params.at("typed").to_number<int>() > 5;
  });
  ASSERT_TRUE(less);
  EXPECT_LT(less->at("typed").to_number<int>(), 100'000);
}

TEST_F(Attach, AnObserversKeysGoNowhereAndItsSizeCountsNowhere) {
  Peer writer = this->peer();
  Peer observer = this->peer();
  const std::string id = run(writer, "while read line; do echo \"<$line>\"; done");
  writer.attach({{"session", id}, {"cols", 100}, {"rows", 40}});
  observer.attach({{"session", id}, {"role", "observer"}, {"cols", 20}, {"rows", 10}});
  observer.type("evil\r");
  observer.client().notify("pty.window", {{"cols", 21}, {"rows", 11}});
  observer.client().notify("pty.eof", {});
  observer.ok("daemon.status");
  EXPECT_EQ(std::pair(100, 40), size(writer, id));
  writer.type("good\r");
  ASSERT_TRUE(observer.shows("<good>"));
  EXPECT_THAT(output(writer, id), testing::Not(HasSubstr("evil")));
  // Nobody who writes is left: the size stays.
  writer.ok("pty.detach");
  EXPECT_EQ(std::pair(100, 40), size(writer, id));
}

TEST_F(Attach, ATakeoverDetachesTheOtherWritersOnly) {
  Peer writer = this->peer();
  Peer observer = this->peer();
  Peer taker = this->peer();
  const std::string id = run(writer, "cat");
  writer.attach({{"session", id}});
  observer.attach({{"session", id}, {"role", "observer"}});
  taker.attach({{"session", id}, {"takeover", true}});
  const auto detached = writer.heard("pty.detached");
  ASSERT_TRUE(detached);
  EXPECT_EQ("taken over by another terminal", std::string(detached->at("reason").as_string()));
  writer.type("lost");
  writer.ok("daemon.status");
  taker.type("mine");
  ASSERT_TRUE(observer.shows("mine"));
  EXPECT_THAT(observer.shown(), testing::Not(HasSubstr("lost")));
  EXPECT_EQ(2, session(taker, id).at_pointer("/ptys/0/clients").to_number<int>());
}

TEST_F(Attach, AViewerThatFallsBehindIsToldSoAndAgainWhenTheFloodIsOver) {
  Peer slow = this->peer();
  Peer other = this->peer();
  const std::string id = run(slow,
                             "stty -echo; read go; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo over; "
                             "read end");
  slow.attach({{"session", id}});
  other.ok("pty.write", {{"session", id}, {"enter", true}});
  const auto pace = [&](bool behind) {
    return slow.heard("pty.pace", [&](const json::object& to) { return to.at("behind").as_bool() == behind; })
        .has_value();
  };
  ASSERT_TRUE(pace(true));
  // Nobody waits for it.
  other.ok("pty.wait", {{"session", id}, {"until", "text"}, {"pattern", "^over$"}});
  const json::value screen = slow.ok("pty.resync", {{"cols", 80}, {"rows", 24}});
  EXPECT_GE(screen.at("offset").to_number<int>(), 3'000'000);
  EXPECT_TRUE(pace(false));
}

// It has not come to the end when the flood is over: so what follows does not wait for it either.
TEST_F(Attach, AViewerThatStaysBehindHoldsNothingUpAfterTheFlood) {
  Peer stopped = this->peer();
  Peer other = this->peer();
  const std::string id = run(stopped,
                             "stty -echo; read go; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo over; "
                             "while read go; do echo \"<$go>\"; done");
  stopped.attach({{"session", id}});
  other.ok("pty.write", {{"session", id}, {"enter", true}});
  other.ok("pty.wait", {{"session", id}, {"until", "text"}, {"pattern", "^over$"}});
  other.ok("pty.wait", {{"session", id}, {"until", "quiet"}, {"quiet_ms", 1500}});
  other.ok("pty.write", {{"session", id}, {"data", "more\n"}});
  other.ok("pty.wait", {{"session", id}, {"until", "text"}, {"pattern", "^<more>$"}});
  stopped.take_all();
  EXPECT_EQ(1U, stopped.count("pty.pace")) << "behind, and never waited for again";
}

TEST_F(Attach, SmallestIsTheSmallestOfTheWriters) {
  Peer one = this->peer();
  Peer two = this->peer();
  const std::string id = run(one, "cat");
  one.attach({{"session", id}, {"cols", 100}, {"rows", 20}});
  two.attach({{"session", id}, {"cols", 80}, {"rows", 50}});
  EXPECT_EQ(std::pair(80, 20), size(one, id));
  const auto told =
      one.heard("pty.resized", [](const json::object& to) { return to.at("cols").to_number<int>() == 80; });
  ASSERT_TRUE(told);
  two.client().notify("pty.window", {{"cols", 200}, {"rows", 60}});
  two.ok("daemon.status");
  EXPECT_EQ(std::pair(100, 20), size(one, id));
  one.ok("pty.detach");
  EXPECT_EQ(std::pair(200, 60), size(two, id));
  two.client().notify("pty.window", {{"cols", 0}, {"rows", 5000}});
  two.ok("daemon.status");
  EXPECT_EQ(std::pair(1, 1000), size(two, id)) << "clamped";
}

TEST_F(Attach, LatestIsTheOneThatTypedLast) {
  Peer one = this->peer();
  Peer two = this->peer();
  const std::string id = run(one, "cat", with_resize("latest"));
  one.attach({{"session", id}, {"cols", 100}, {"rows", 20}});
  two.attach({{"session", id}, {"cols", 80}, {"rows", 50}});
  EXPECT_EQ(std::pair(80, 50), size(one, id));
  one.type("x");
  one.ok("daemon.status");
  EXPECT_EQ(std::pair(100, 20), size(one, id));
}

TEST_F(Attach, LeaderIsTheOneThatCameFirst) {
  Peer one = this->peer();
  Peer two = this->peer();
  const std::string id = run(one, "cat", with_resize("leader"));
  one.attach({{"session", id}, {"cols", 100}, {"rows", 20}});
  two.attach({{"session", id}, {"cols", 80}, {"rows", 50}});
  two.type("x");
  two.ok("daemon.status");
  EXPECT_EQ(std::pair(100, 20), size(one, id));
  one.ok("pty.detach");
  EXPECT_EQ(std::pair(80, 50), size(one, id));
}

TEST_F(Attach, FixedStaysUntilItIsResizedOnRequest) {
  Peer one = this->peer();
  const std::string id = run(one, "cat", with_resize("fixed"));
  one.attach({{"session", id}, {"cols", 100}, {"rows", 20}});
  EXPECT_EQ(std::pair(120, 30), size(one, id));
  one.ok("pty.resize", {{"session", id}, {"cols", 66}, {"rows", 22}});
  EXPECT_EQ(std::pair(66, 22), size(one, id));
}

TEST_F(Attach, ANewSessionCanBeAttachedToInTheSameBreath) {
  Peer peer = this->peer();
  const json::value made =
      peer.ok("session.create", {{"command", json::array{"/bin/sh", "-c", "echo hello; cat"}},
                                 {"attach", true},
                                 {"cols", 50},
                                 {"rows", 10}});
  peer.use(made.at("attached").as_object());
  EXPECT_TRUE(peer.shows("hello"));
  EXPECT_THAT(peer.shown(), testing::StartsWith("hello")) << "from the first byte, without a snapshot";
}

TEST_F(Attach, TheStopKeyOfAProgramWithoutAShellStopsTheClient) {
  Peer peer = this->peer();
  const json::value made = peer.ok(
      "session.create", {{"command", json::array{"/bin/cat"}}, {"attach", true}, {"cols", 50}, {"rows", 10}});
  peer.use(made.at("attached").as_object());
  peer.type(
      "before\x1a"
      "after");
  EXPECT_TRUE(peer.heard("pty.suspend"));
  EXPECT_TRUE(peer.shows("beforeafter"));
  // However often.
  peer.type(std::string(1 << 20, '\x1a'));
  EXPECT_TRUE(peer.heard("pty.suspend"));
  peer.ok("daemon.status");
}

TEST_F(Attach, InputThatTheProgramDoesNotTakeHoldsItsSenderUpAndNobodyElse) {
  Peer typist = this->peer();
  Peer other = this->peer();
  const std::string id = run(typist, "stty raw -echo; echo ready; read go; echo going; exec cat > all");
  typist.attach({{"session", id}});
  ASSERT_TRUE(typist.shows("ready"));
  std::string flood(3 << 20, 'x');
  for (size_t i = 0; i < flood.size(); i += 64) flood[i] = '\n';
  typist.type(flood.substr(0, 1 << 20));
  typist.type(flood.substr(1 << 20));
  const uint64_t status = typist.client().send("daemon.status", {});
  EXPECT_EQ(1, other.ok("daemon.status").at("sessions").to_number<int>());
  ASSERT_TRUE(typist.answer(status)) << "in its turn";
  EXPECT_TRUE(support::wait_until([&] {
    std::error_code none;
    return std::filesystem::file_size(home_.file("all"), none) >= flood.size() - 100;
  }));
}

TEST_F(Attach, AClientThatWaitsForAProgramToTakeItsInputGoesOnAfterARestart) {
  Peer typist = this->peer();
  Peer other = this->peer();
  const std::string id = run(typist, "stty raw -echo; echo ready; exec sleep 1000");
  typist.attach({{"session", id}});
  ASSERT_TRUE(typist.shows("ready"));
  typist.type(std::string(200'000, 'x'));
  const uint64_t status = typist.client().send("daemon.status", {});
  ASSERT_TRUE(typist.client().flush());
  other.ok("session.restart", {{"session", id}});
  ASSERT_TRUE(typist.answer(status));
  typist.type(std::string(200'000, 'x'));
  const uint64_t again = typist.client().send("daemon.status", {});
  ASSERT_TRUE(typist.client().flush());
  other.ok("session.kill", {{"session", id}, {"force", true}});
  EXPECT_TRUE(typist.answer(again)) << "and after its end";
}

TEST_F(Attach, ALosslessViewerThatAlsoTypesMuchNeverStandsStill) {
  Peer peer = this->peer();
  const std::string id = run(peer,
                             "stty -echo; echo ready; while read n; do [ $n = end ] && break; head -c 300000 "
                             "/dev/zero | tr '\\0' x; done; echo THE END; cat");
  peer.attach({{"session", id}, {"lossless", true}});
  ASSERT_TRUE(peer.shows("ready"));
  // More lines than the daemon holds for a program, each of which makes the program write much.
  std::string lines;
  for (int i = 0; i < 10; i++) lines += std::string(900, 'a') + "\n";
  lines += "end\n";
  lines += std::string(300'000, '\n');
  peer.type(lines);
  EXPECT_TRUE(peer.shows("THE END"));
}

TEST_F(Attach, AClientThatIsKilledIsDetached) {
  Peer peer = this->peer();
  const std::string id = run(peer, "while :; do echo flood; done");
  const pid_t child = ::fork();
  if (child == 0) {
    Peer doomed = this->peer();
    doomed.attach({{"session", id}, {"cols", 33}, {"rows", 11}});
    doomed.shows("flood");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(support::wait_until(
      [&] { return session(peer, id).at_pointer("/ptys/0/clients").to_number<int>() == 0; }));
}

TEST_F(Attach, AClientThatNeverReadsCostsNobodyAnything) {
  Peer peer = this->peer();
  const std::string id = run(peer,
                             "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo line $i of a flood that "
                             "nobody reads; done; echo DONE; cat");
  std::vector<Peer> deaf;
  for (int i = 0; i < 5; i++) {
    deaf.push_back(this->peer());
    deaf.back().attach({{"session", id}, {"role", "observer"}});
    // Says that it is ready again and again, and never reads what comes.
    for (int j = 0; j < 1000; j++) deaf.back().client().notify("pty.ready", {{"offset", 0}});
    (void)deaf.back().client().flush();
  }
  EXPECT_EQ("text", std::string(peer.ok("pty.wait", {{"session", id}, {"until", "text"}, {"pattern", "DONE"}})
                                    .at("reason")
                                    .as_string()));
}

}  // namespace
}  // namespace host_test
