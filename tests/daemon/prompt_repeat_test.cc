// SPDX-License-Identifier: Apache-2.0
// Programs that ask the very same several times: what came of each answer is told as far as it can be known,
// and never as rejected where it was taken.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <memory>

#include "daemon_fixture.h"

namespace host_test {
namespace {

class PromptRepeat : public DaemonTest {
 protected:
  void SetUp() override {
    DaemonTest::SetUp();
    peer_.emplace(peer());
  }
  void python(const std::string& script) {
    id_ = std::string(peer_->ok("session.create", {{"command", {"python3", "-c", script}}, {"rows", 12}})
                          .at("id")
                          .as_string());
  }
  // Answers the next question that is not the last one.
  std::string answer(const std::string& value) {
    json::value found;
    EXPECT_TRUE(support::wait_until([&] {
      const json::value list = peer_->ok("prompt.list", {{"session", id_}});
      if (list.as_array().size() == 1 && list.as_array()[0].at("id").as_string() != last_)
        found = list.as_array()[0];
      return found.is_object();
    })) << output(*peer_, id_);
    if (!found.is_object()) return "";
    last_ = found.at("id").as_string();
    const json::value result =
        peer_->ok("prompt.answer", {{"prompt_id", last_}, {"nonce", found.at("nonce")}, {"answer", value}});
    return std::string(result.at("outcome").as_string());
  }
  bool prints(std::string_view text) { return DaemonTest::prints(*peer_, id_, text); }

  std::optional<Peer> peer_;
  std::string id_;
  std::string last_;
};

TEST_F(PromptRepeat, AQuestionThatScrollsIsAcceptedEachTime) {
  python(R"(
import time
got = [input('Delete this one? (y/n) ') for i in range(3)]
print('got', '|'.join(got)); time.sleep(60))");
  EXPECT_EQ("accepted", answer("y"));
  EXPECT_EQ("accepted", answer("n"));
  EXPECT_EQ("accepted", answer("y"));
  EXPECT_TRUE(prints("got y|n|y"));
}

TEST_F(PromptRepeat, AQuestionAtTheBottomOfTheScreenIsAcceptedEachTime) {
  python(R"(
import time
print('\n' * 30)
got = []
for i in range(3):
    got.append(input('Name: '))
    print('noted\n' * 3, end='')
print('got', '|'.join(got)); time.sleep(60))");
  EXPECT_EQ("accepted", answer("Ada"));
  EXPECT_EQ("accepted", answer("Ada"));
  EXPECT_EQ("accepted", answer("Eve"));
  EXPECT_TRUE(prints("got Ada|Ada|Eve"));
}

TEST_F(PromptRepeat, AQuestionThatIsWrittenAnewInItsPlaceIsAcceptedEachTime) {
  python(R"(
import sys, time
got = []
sys.stdout.write('\n\n')
for i in range(3):
    sys.stdout.write('\r\033[KDelete this one? (y/n) '); sys.stdout.flush()
    got.append(sys.stdin.readline().strip())
    sys.stdout.write('\033[A')
print('\ngot', '|'.join(got)); time.sleep(60))");
  EXPECT_EQ("accepted", answer("y"));
  EXPECT_EQ("accepted", answer("n"));
  EXPECT_EQ("accepted", answer("y"));
  EXPECT_TRUE(prints("got y|n|y"));
}

// Single keys leave no trace, and the picture is the same: nobody can say more.
TEST_F(PromptRepeat, TheSamePictureOfSingleKeysIsNeverRejected) {
  python(R"(
import os, sys, termios, time
mode = termios.tcgetattr(0)
mode[3] &= ~termios.ICANON
termios.tcsetattr(0, termios.TCSANOW, mode)
got = []
for i in range(3):
    sys.stdout.write('\r\033[KDelete this one? (y/n) '); sys.stdout.flush()
    got.append(os.read(0, 1).decode())
print('\r\ngot', '|'.join(got)); time.sleep(60))");
  EXPECT_THAT(answer("y"), testing::AnyOf("accepted", "unknown"));
  EXPECT_THAT(answer("n"), testing::AnyOf("accepted", "unknown"));
  EXPECT_EQ("accepted", answer("y"));
  EXPECT_TRUE(prints("got y|n|y"));
}

TEST_F(PromptRepeat, SingleKeysThatScrollAreAccepted) {
  python(R"(
import os, sys, termios, time
mode = termios.tcgetattr(0)
mode[3] &= ~termios.ICANON
termios.tcsetattr(0, termios.TCSANOW, mode)
got = []
for i in range(3):
    sys.stdout.write('Delete this one? (y/n) '); sys.stdout.flush()
    got.append(os.read(0, 1).decode()); print()
print('got', '|'.join(got)); time.sleep(60))");
  EXPECT_EQ("accepted", answer("y"));
  EXPECT_EQ("accepted", answer("n"));
  EXPECT_EQ("accepted", answer("y"));
  EXPECT_TRUE(prints("got y|n|y"));
}

TEST_F(PromptRepeat, WhatIsNotOfferedOrIsSaidToBeWrongIsRejected) {
  python(R"(
import time
while True:
    a = input('Continue? (y/n) ')
    if a == 'y': break
while True:
    a = input('Which one [1/2]? ')
    if a == '2': break
    print('Invalid choice, try again.')
print('over'); time.sleep(60))");
  EXPECT_EQ("rejected", answer("maybe"));
  EXPECT_EQ("accepted", answer("y"));
  EXPECT_EQ("rejected", answer("1"));
  EXPECT_EQ("accepted", answer("2"));
  EXPECT_TRUE(prints("over"));
}

// The result of a free text may be any word.
TEST_F(PromptRepeat, AFreeTextWhoseResultSoundsLikeANoIsNotRejected) {
  python(R"(
import time
for i in range(2):
    input('Word to explain: ')
    print('wrong, adjective: invalid, incorrect')
print('over'); time.sleep(60))");
  EXPECT_EQ("unknown", answer("wrong"));
  EXPECT_EQ("accepted", answer("invalid"));
  EXPECT_TRUE(prints("over"));
}

TEST_F(PromptRepeat, APasswordThatIsAskedForAgainIsRejectedOnlyIfThatIsSaid) {
  python(R"(
import getpass, time
getpass.getpass('Password: ')
getpass.getpass('Password: '); print('Sorry, try again.')
getpass.getpass('Password: ')
print('over'); time.sleep(60))");
  EXPECT_EQ("unknown", answer("one"));
  EXPECT_EQ("rejected", answer("two"));
  EXPECT_EQ("accepted", answer("three"));
  EXPECT_TRUE(prints("over"));
}

// The store cannot be written when the question is found; its answer waits for that, and finds its row.
TEST_F(PromptRepeat, AQuestionThatIsNotInTheStoreYetCanBeAnswered) {
  python(
      "import os, time\n"
      "while not os.path.exists('" +
      home_.file("go") +
      "'): time.sleep(0.02)\n"
      "print('got', input('Name: ')); time.sleep(60)");
  const std::string lock = "import os, sqlite3, sys; db = sqlite3.connect('" + home_.file("state/store.db") +
                           "', isolation_level=None); db.execute('BEGIN IMMEDIATE'); open('" +
                           home_.file("locked") +
                           "', 'w').close(); sys.stdin.readline(); db.execute('ROLLBACK')";
  const std::unique_ptr<FILE, int (*)(FILE*)> locker(::popen(("python3 -c \"" + lock + "\"").c_str(), "w"),
                                                     &::pclose);
  ASSERT_TRUE(support::wait_until([&] { return std::filesystem::exists(home_.file("locked")); }));
  std::ofstream(home_.file("go")).close();
  json::value prompt;
  ASSERT_TRUE(support::wait_until([&] {
    const json::value list = peer_->ok("prompt.list");
    if (!list.as_array().empty()) prompt = list.as_array()[0];
    return prompt.is_object();
  }));
  const uint64_t sent = peer_->client().send(
      "prompt.answer", {{"prompt_id", prompt.at("id")}, {"nonce", prompt.at("nonce")}, {"answer", "Ada"}});
  ASSERT_TRUE(peer_->client().flush());
  std::fputs("\n", locker.get());
  std::fflush(locker.get());
  const auto result = peer_->answer(sent);
  ASSERT_TRUE(result);
  ASSERT_TRUE(result->result) << result->result.error().message();
  EXPECT_EQ("accepted", result->result->at("outcome").as_string());
  EXPECT_TRUE(prints("got Ada"));
}

}  // namespace
}  // namespace host_test
