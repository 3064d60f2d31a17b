// SPDX-License-Identifier: Apache-2.0
// The settings of a channel beside whatever the user has written before.
#include "cli/channel_settings.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "support/temp_dir.h"

namespace cli {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kLines = {"token_file: /t", "allowed_users: [\"1\"]"};
const std::string kBlock = "  telegram:\n    token_file: /t\n    allowed_users: [\"1\"]\n";

std::string with(std::string_view yaml) {
  const auto text = with_channel(yaml, "f", "telegram", kLines);
  return text ? *text : "error: " + text.error().message();
}

TEST(ChannelSettings, StandAloneOrBehindWhatIsThere) {
  EXPECT_EQ(with(""), "channels:\n" + kBlock);
  EXPECT_EQ(with("# mine\n"), "# mine\nchannels:\n" + kBlock);
  EXPECT_EQ(with("web: {port: 1}"), "web: {port: 1}\nchannels:\n" + kBlock);
}

TEST(ChannelSettings, JoinOtherChannelsWithTheirIndentation) {
  EXPECT_EQ(with("channels:\n  # why\n  slack:\n    allowed_users: [U1]\nweb: {port: 1}\n"),
            "channels:\n  # why\n" + kBlock + "  slack:\n    allowed_users: [U1]\nweb: {port: 1}\n");
  EXPECT_EQ(with("channels:\n    request_timeout_seconds: 5\n"),
            "channels:\n    telegram:\n      token_file: /t\n      allowed_users: [\"1\"]\n    "
            "request_timeout_seconds: 5\n");
  EXPECT_EQ(with("channels:\nweb: {port: 1}\n"), "channels:\n" + kBlock + "web: {port: 1}\n");
}

TEST(ChannelSettings, AreLeftToThePersonWhereTheyCannotBeJoined) {
  EXPECT_THAT(with("channels: {slack: {allowed_users: [U1]}}\n"), HasSubstr("add this to it"));
  EXPECT_THAT(with("channels:\n  telegram:\n    token_file: /x\n"), HasSubstr("f:2 has a channel telegram"));
  EXPECT_THAT(with("- a\n"), HasSubstr("add this to it"));
  EXPECT_THAT(with("a: [\n"), HasSubstr("error: f:"));
}

TEST(ChannelSettings, AreWrittenWholeAndForTheUserAlone) {
  const support::TempDir dir;
  const std::string file = dir.file("config.yml");
  support::write_file(file, "web: {port: 9}\n");
  ASSERT_TRUE(write_channel(file, "telegram", kLines));
  EXPECT_EQ(support::read_file(file), "web: {port: 9}\nchannels:\n" + kBlock);
  struct stat about{};
  ASSERT_EQ(0, ::stat(file.c_str(), &about));
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
  EXPECT_FALSE(write_channel(file, "slack", {"nonsense: 1"}));
  EXPECT_EQ(support::read_file(file), "web: {port: 9}\nchannels:\n" + kBlock);
}

}  // namespace
}  // namespace cli
