// SPDX-License-Identifier: Apache-2.0
#include "wire/params.h"

#include <array>
#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

namespace wire {
namespace {

namespace json = boost::json;

constexpr std::array<Param, 7> kTable = {{{"name", Kind::text, Need::required},
                                          {"count", Kind::integer, Need::optional, 1, 9},
                                          {"offset", Kind::integer},
                                          {"ratio", Kind::number},
                                          {"loud", Kind::flag},
                                          {"words", Kind::texts},
                                          {"labels", Kind::map}}};

std::string wrong(const char* text) {
  const auto checked = check(json::parse(text).as_object(), kTable);
  if (checked) return "";
  EXPECT_EQ(base::Code::invalid_param, checked.error().code);
  return checked.error().what;
}

TEST(Params, ThatFitAreTaken) {
  EXPECT_EQ("", wrong(R"({"name":"n"})"));
  EXPECT_EQ("", wrong(R"({"name":"","count":9,"offset":0,"ratio":5,"loud":false,"words":[],"labels":{}})"));
  EXPECT_EQ("", wrong(R"({"name":"n","count":1,"ratio":0.5,"words":["a","b"],"labels":{"k":"v"}})"));
}

TEST(Params, ThatAreNullAreNotThere) {
  EXPECT_EQ("", wrong(R"({"name":"n","count":null,"loud":null,"words":null})"));
  EXPECT_EQ("the parameter 'name' is missing", wrong(R"({"name":null})"));
  const auto params = json::parse(R"({"count":null})").as_object();
  EXPECT_FALSE(integer(params, "count"));
  EXPECT_FALSE(text(params, "name"));
  EXPECT_FALSE(flag(params, "loud"));
  EXPECT_TRUE(texts(params, "words").empty());
  EXPECT_TRUE(text_map(params, "labels").empty());
}

TEST(Params, ThatAreWrongAreNamed) {
  EXPECT_EQ("there is no parameter 'nmae'", wrong(R"({"nmae":"n"})"));
  EXPECT_EQ("the parameter 'name' must be of kind: text", wrong(R"({"name":5})"));
  EXPECT_EQ("the parameter 'count' must be from 1 to 9", wrong(R"({"name":"n","count":0})"));
  EXPECT_EQ("the parameter 'count' must be from 1 to 9", wrong(R"({"name":"n","count":10})"));
  for (const char* value : {"1.5", "\"1\"", "1e3", "true", "18446744073709551615", "[1]"})
    EXPECT_EQ("the parameter 'count' must be of kind: integer",
              wrong((std::string(R"({"name":"n","count":)") + value + "}").c_str()));
  EXPECT_THAT(wrong(R"({"name":"n","offset":-1})"), testing::HasSubstr("must be from 0 to"));
  EXPECT_EQ("the parameter 'loud' must be of kind: flag", wrong(R"({"name":"n","loud":1})"));
  EXPECT_EQ("the parameter 'words' must be of kind: list of texts", wrong(R"({"name":"n","words":["a",1]})"));
  EXPECT_EQ("the parameter 'labels' must be of kind: object of texts",
            wrong(R"({"name":"n","labels":{"a":1}})"));
  EXPECT_EQ("the parameter 'ratio' must be of kind: number", wrong(R"({"name":"n","ratio":"x"})"));
}

TEST(Params, AreReadAsWhatTheyAre) {
  const auto params =
      json::parse(R"({"name":"a\u0000b","count":3,"loud":true,"words":["x","y"],"labels":{"k":"v"}})")
          .as_object();
  EXPECT_EQ(std::string("a\0b", 3), text(params, "name"));
  EXPECT_EQ(3, integer(params, "count"));
  EXPECT_TRUE(flag(params, "loud"));
  EXPECT_THAT(texts(params, "words"), testing::ElementsAre("x", "y"));
  EXPECT_THAT(text_map(params, "labels"), testing::ElementsAre(testing::Pair("k", "v")));
}

}  // namespace
}  // namespace wire
