// SPDX-License-Identifier: Apache-2.0
#include "support/json.h"

#include <gtest/gtest.h>

namespace support {
namespace {

TEST(Json, ReadsEveryKindOfValue) {
  const Json json = Json::parse(R"( {"a": [1, -2.5, 1e3, true, false, null], "b": {"c": ""}, "d": []} )");
  EXPECT_EQ(1, json["a"][0].integer());
  EXPECT_EQ(-2.5, json["a"][1].number());
  EXPECT_EQ(1000, json["a"][2].integer());
  EXPECT_TRUE(json["a"][3].boolean());
  EXPECT_FALSE(json["a"][4].boolean());
  EXPECT_TRUE(json["a"][5].is_null());
  EXPECT_EQ("", json["b"]["c"].string());
  EXPECT_TRUE(json["d"].array().empty());
  EXPECT_FALSE(json.has("e"));
}

TEST(Json, DecodesEscapesToUtf8) {
  EXPECT_EQ("a\"\\/\n\x1b é 世 😀 😀",
            Json::parse(R"("a\"\\\/\n\u001b \u00e9 \u4e16 \ud83d\ude00 😀")").string());
}

TEST(JsonDeathTest, EndsTheProgramOnNonsense) {
  EXPECT_DEATH((void)Json::parse("[1,"), "json:");
  EXPECT_DEATH((void)Json::parse("{} x"), "follows");
  EXPECT_DEATH((void)Json::parse("1").string(), "string");
}

}  // namespace
}  // namespace support
