// SPDX-License-Identifier: Apache-2.0
// `tend channel add`, as a person or a script would use it.
#include <cstdlib>
#include <sys/wait.h>

#include "channel_fixture.h"

namespace channel_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class ChannelAdd : public ChannelTest {
 protected:
  void SetUp() override {
    ASSERT_EQ("ok", home_.start());
    peer_.emplace(peer());
  }
  std::string settings() const { return support::read_file(home_.file("config/config.yml")); }
  // With this on standard input; the output, both kinds, and the status behind it.
  std::string add(const std::string& input, const std::string& arguments) const {
    support::write_file(home_.file("input"), input);
    const std::string line = fmt::format("{} channel add {} --api-url {} < {} > {} 2>&1", TEND, arguments,
                                         server_.url(), home_.file("input"), home_.file("said"));
    const int status = std::system(line.c_str());
    return fmt::format("{}[{}]", support::read_file(home_.file("said")), WEXITSTATUS(status));
  }
};

TEST_F(ChannelAdd, ATokenFromStandardInputIsCheckedKeptAndUsed) {
  EXPECT_THAT(add(kToken + "\n", "telegram --user 1001 --user 1002"),
              testing::AllOf(HasSubstr("@tend_test_bot is set up"), HasSubstr("tend channel test telegram"),
                             HasSubstr("[0]"), Not(HasSubstr(kToken))));
  EXPECT_THAT(settings(), HasSubstr("allowed_users: [\"1001\", \"1002\"]"));
  EXPECT_THAT(settings(), Not(HasSubstr(kToken)));
  struct stat about{};
  ASSERT_EQ(0, ::stat(home_.file("config/telegram.token").c_str(), &about));
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
  EXPECT_TRUE(becomes_state("good"));
  const auto tested = home_.tend({"channel", "test"});
  EXPECT_EQ(tested.status, 0);
  EXPECT_THAT(tested.output, HasSubstr("telegram: a message went to 2 users"));
  EXPECT_TRUE(server_.message(kAnn, "This is a test"));
  EXPECT_THAT(home_.tend({"channel", "ls", "--json"}).output, HasSubstr(R"("state":"good")"));
  EXPECT_THAT(add(kToken + "\n", "telegram --user 1001"), HasSubstr("has a channel telegram already"));
}

TEST_F(ChannelAdd, WhoeverWritesToTheBotFirstMayAnswer) {
  server_.say(kBob, "hello");
  EXPECT_THAT(add(kToken + "\n", "telegram"), HasSubstr("@user1002 (1002) may answer"));
  EXPECT_THAT(settings(), HasSubstr("allowed_users: [\"1002\"]"));
}

TEST_F(ChannelAdd, ATokenThatIsNotGoodLeavesNothingBehind) {
  EXPECT_THAT(add("1234:wrong\n", "telegram --user 1001"), HasSubstr("Telegram does not know this token"));
  EXPECT_THAT(add("", "telegram --user 1001"), HasSubstr("there is no secret on standard input"));
  support::write_file(home_.file("open"), kToken);
  ASSERT_EQ(0, ::chmod(home_.file("open").c_str(), 0644));
  EXPECT_THAT(add("", "telegram --user 1001 --token-file " + home_.file("open")),
              HasSubstr("may be read by others"));
  EXPECT_THAT(add("", "pigeon"), HasSubstr("'pigeon' is no kind of channel"));
  EXPECT_FALSE(std::filesystem::exists(home_.file("config/config.yml")));
  EXPECT_FALSE(std::filesystem::exists(home_.file("config/telegram.token")));
}

}  // namespace
}  // namespace channel_test
