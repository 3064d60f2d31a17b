// SPDX-License-Identifier: Apache-2.0
// What a program asks its terminal is answered once, however many terminals are there.
#include <gmock/gmock.h>

#include "daemon_fixture.h"

namespace host_test {
namespace {

// Two terminals at a program that asks what it is at when it is told to, and shows what it gets.
class TerminalAnswers : public DaemonTest {
 protected:
  static constexpr std::string_view kOne = "\x1b[?61;1c";
  static constexpr std::string_view kTwo = "\x1b[?61;2c";

  std::string start(Peer& peer, json::object more = {}) {
    std::string id = run(peer,
                         "stty raw -echo; printf ready; dd bs=1 count=1 >/dev/null 2>&1; printf "
                         "'asked\\033[c'; exec cat -v",
                         std::move(more));
    EXPECT_TRUE(prints(peer, id, "ready"));
    return id;
  }
  void ask(Peer& peer, const std::string& id) {
    peer.ok("pty.write", {{"session", id}, {"data", "?"}});
    EXPECT_TRUE(prints(peer, id, "asked"));
  }
  // What the program has got, once this has come.
  std::string got(Peer& peer, const std::string& id, std::string_view last) {
    std::string rest;
    EXPECT_TRUE(support::wait_until([&] {
      const std::string all = output(peer, id);
      const size_t asked = all.find("asked\x1b[c");
      rest = asked != std::string::npos ? all.substr(asked + 8) : "";
      return rest.find(last) != std::string::npos;
    }));
    return rest;
  }
};

TEST_F(TerminalAnswers, ComeFromTheOneThatTypedLast) {
  Peer one = this->peer("one");
  Peer two = this->peer("two");
  const std::string id = start(one);
  one.attach({{"session", id}, {"cols", 80}, {"rows", 24}});
  two.attach({{"session", id}, {"cols", 80}, {"rows", 24}});
  ask(one, id);
  two.type(kTwo);
  one.type(std::string(kOne) + "k");
  // That one has typed a key since changes nothing: the question was there before.
  EXPECT_EQ("^[[?61;2ck", got(one, id, "k"));
}

TEST_F(TerminalAnswers, AreDroppedWhereverTheyAreCut) {
  Peer one = this->peer("one");
  Peer two = this->peer("two");
  const std::string id = start(one);
  one.attach({{"session", id}});
  two.attach({{"session", id}});
  ask(one, id);
  one.type("a");
  for (const char each : kOne) {
    one.type({&each, 1});
  }
  one.type("b");
  EXPECT_THAT(got(one, id, "b"), "ab");
  two.type(std::string(kTwo) + "c");
  EXPECT_EQ("ab^[[?61;2cc", got(one, id, "cc"));
}

TEST_F(TerminalAnswers, OfOneThatHasGoneComeFromAnother) {
  Peer one = this->peer("one");
  Peer two = this->peer("two");
  Peer three = this->peer("three");
  const std::string id = start(one);
  for (Peer* each : {&one, &two, &three}) each->attach({{"session", id}});
  ask(one, id);
  three.ok("pty.detach");
  one.type(kOne);
  two.type(std::string(kTwo) + "k");
  EXPECT_EQ("^[[?61;2ck", got(one, id, "k"));
}

// A terminal that is painted never sees the question.
TEST_F(TerminalAnswers, ComeFromATerminalThatIsShownTheQuestion) {
  Peer small = this->peer("small");
  Peer large = this->peer("large");
  const std::string id = start(small);
  small.attach({{"session", id}, {"cols", 80}, {"rows", 24}});
  large.attach({{"session", id}, {"cols", 100}, {"rows", 30}});
  large.type(" ");
  ASSERT_TRUE(prints(small, id, "asked"));
  small.type(kOne);
  large.type(std::string(kTwo) + "k");
  EXPECT_EQ("^[[?61;1ck", got(small, id, "k"));
}

TEST_F(TerminalAnswers, ComeFromTheScreenWhereNobodyIsShownTheQuestion) {
  Peer tall = this->peer("tall");
  Peer wide = this->peer("wide");
  const std::string id = start(tall);
  tall.attach({{"session", id}, {"cols", 80}, {"rows", 40}});
  wide.attach({{"session", id}, {"cols", 100}, {"rows", 20}});
  wide.type(" ");
  EXPECT_THAT(got(tall, id, "c"), testing::MatchesRegex("\\^\\[\\[\\?[0-9;]+c"));
}

TEST_F(TerminalAnswers, KeysAndPastesOfTheOthersPassAsTheyAre) {
  Peer one = this->peer("one");
  Peer two = this->peer("two");
  const std::string id = start(one);
  one.attach({{"session", id}});
  two.attach({{"session", id}});
  ask(one, id);
  one.type("\x1b");
  EXPECT_EQ("^[", got(one, id, "^["));
  one.type("\x1b[A\x1b[200~" + std::string(kOne) + "\x1b[201~.");
  EXPECT_EQ("^[^[[A^[[200~^[[?61;1c^[[201~.", got(one, id, "."));
  // Nothing that was typed is lost when it leaves.
  one.type("\x1b");
  one.ok("pty.detach");
  EXPECT_EQ("^[^[[A^[[200~^[[?61;1c^[[201~.^[", got(one, id, ".^["));
}

TEST_F(TerminalAnswers, OfTheOnlyTerminalPass) {
  Peer one = this->peer("one");
  Peer observer = this->peer("observer");
  const std::string id = start(one);
  one.attach({{"session", id}});
  observer.attach({{"session", id}, {"role", "observer"}});
  ask(one, id);
  observer.type(kTwo);
  one.type(std::string(kOne) + "k");
  EXPECT_EQ("^[[?61;1ck", got(one, id, "k"));
}

}  // namespace
}  // namespace host_test
