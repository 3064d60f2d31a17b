// SPDX-License-Identifier: Apache-2.0
// What channels remember: replaced by its key, gone with its prompt, bounded.
#include "store/channel_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "opened_store.h"
#include "store/prompts.h"
#include "store/schema.h"

namespace store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ChannelMemory : public testing::Test {
 protected:
  void keep(const std::string& channel, const std::string& key, const std::string& value,
            const std::string& prompt = "", int64_t most = kMostEntries) {
    EXPECT_TRUE(remember(connection_, {channel, key, value, prompt}, most));
  }

  support::TempDir dir_;
  Connection connection_ = open_store_file(dir_.file("store.db")).value().connection;
};

TEST_F(ChannelMemory, IsOfEachChannelAndReplacedByItsKey) {
  keep("telegram", "offset", "1");
  keep("slack", "offset", "7");
  keep("telegram", "offset", "2");
  EXPECT_THAT(recall(connection_, "telegram").value(),
              ElementsAre(ChannelEntry{"telegram", "offset", "2", ""}));
  EXPECT_THAT(recall(connection_, "webhook").value(), IsEmpty());
}

TEST_F(ChannelMemory, GoesWithThePromptItIsAbout) {
  PromptRecord prompt{
      .id = "p1", .nonce = "n", .session = "s", .type = "YES_NO", .created_at = 1, .expires_at = 2};
  ASSERT_TRUE(add_prompt(connection_, prompt));
  keep("telegram", "message p1 7", "12", "p1");
  keep("telegram", "offset", "1");
  ASSERT_TRUE(end_prompt(connection_, "p1", {.state = "expired", .outcome = {}}, 10));
  EXPECT_EQ(2U, recall(connection_, "telegram").value().size());
  ASSERT_EQ(1, prune_prompts(connection_, 100).value());
  EXPECT_THAT(recall(connection_, "telegram").value(),
              ElementsAre(ChannelEntry{"telegram", "offset", "1", ""}));
}

TEST_F(ChannelMemory, TheOldestGoBeyondTheBound) {
  for (int i = 0; i < 10; i++) keep("telegram", std::to_string(i), "x", "", 3);
  keep("slack", "a", "x", "", 3);
  const auto left = recall(connection_, "telegram").value();
  ASSERT_EQ(3U, left.size());
  EXPECT_EQ("7", left[0].key);
}

}  // namespace
}  // namespace store
