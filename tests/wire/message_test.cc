// SPDX-License-Identifier: Apache-2.0
#include "wire/message.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

namespace wire {
namespace {

Request request(std::string_view text) {
  auto message = parse_message(text);
  EXPECT_TRUE(message) << text;
  return std::get<Request>(message.value());
}

Refusal refusal(std::string_view text) {
  auto message = parse_message(text);
  EXPECT_FALSE(message) << text;
  return message ? Refusal{} : message.error();
}

TEST(Message, RequestsGoThereAndBack) {
  const Request made = request(make_request(7, "pty.read", {{"session", "a"}, {"pty", 1}}));
  EXPECT_EQ(json::value(7), made.id);
  EXPECT_EQ("pty.read", made.method);
  EXPECT_EQ((json::object{{"session", "a"}, {"pty", 1}}), made.params);
}

TEST(Message, ANotificationHasNoId) {
  const Request made = request(make_notification("pty.ready", {{"offset", 5}}));
  EXPECT_FALSE(made.id);
  EXPECT_TRUE(request(R"({"jsonrpc":"2.0","id":null,"method":"x"})").id) << "null is an id, if a strange one";
}

TEST(Message, IdsAreTextsOrNumbers) {
  for (const char* id : {"0", "-1", "18446744073709551615", "1.5", "\"text\"", "null"}) {
    const Request made = request(std::string(R"({"jsonrpc":"2.0","method":"x","id":)") + id + "}");
    ASSERT_TRUE(made.id);
    EXPECT_EQ(json::parse(id), *made.id);
  }
  for (const char* id : {"true", "[]", "{}"})
    EXPECT_TRUE(refusal(std::string(R"({"jsonrpc":"2.0","method":"x","id":)") + id + "}").id.is_null());
}

TEST(Message, ResultsAndErrorsGoThereAndBack) {
  const auto good = parse_message(make_result("a", json::object{{"x", 1}}));
  ASSERT_TRUE(good);
  EXPECT_EQ(json::value("a"), std::get<Response>(*good).id);
  EXPECT_EQ(json::value(1), std::get<Response>(*good).result->at("x"));
  for (int code = 0; code <= static_cast<int>(base::Code::internal); code++) {
    const base::Error error{static_cast<base::Code>(code), 0, "what is wrong"};
    const auto bad = parse_message(make_error(5, error));
    ASSERT_TRUE(bad);
    const auto& result = std::get<Response>(*bad).result;
    ASSERT_FALSE(result);
    EXPECT_EQ(error.code, result.error().code);
    EXPECT_EQ("what is wrong", result.error().what);
  }
}

TEST(Message, AnErrorCarriesItsNumberItsNameAndTheSystemsReason) {
  const json::value error =
      json::parse(make_error(1, {base::Code::pty_spawn_failed, ENOENT, "cannot start"}));
  EXPECT_EQ("PTY_SPAWN_FAILED", error.at_pointer("/error/data/code").as_string());
  EXPECT_EQ(ENOENT, error.at_pointer("/error/data/errno").as_int64());
  EXPECT_EQ(-32001, error.at_pointer("/error/code").as_int64());
  EXPECT_EQ(-32601, number_of(base::Code::unknown_method));
  EXPECT_EQ(-32602, number_of(base::Code::invalid_param));
  EXPECT_EQ(-32603, number_of(base::Code::internal));
}

TEST(Message, GarbageOfEveryKindIsRefused) {
  for (const char* text : {"", " ", "{", "nonsense", "{\"jsonrpc\":\"2.0\",}", "\xff\xfe", "{\"a\":\"\xc3\"}",
                           "{} {}", "01", "{\"jsonrpc\":\"2.0\",\"method\":\"a\tb\"}"})
    EXPECT_EQ(-32700, refusal(text).number) << text;
  for (const char* text :
       {"null", "5", "\"x\"", "[]", "[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]", "{}", R"({"method":"x"})",
        R"({"jsonrpc":"1.0","method":"x"})", R"({"jsonrpc":2.0,"method":"x"})", R"({"jsonrpc":"2.0"})",
        R"({"jsonrpc":"2.0","method":5})", R"({"jsonrpc":"2.0","method":"x","params":[1]})",
        R"({"jsonrpc":"2.0","method":"x","params":null})", R"({"jsonrpc":"2.0","id":1})"})
    EXPECT_EQ(-32600, refusal(text).number) << text;
}

TEST(Message, ARefusalNamesTheRequestWhereItCan) {
  EXPECT_EQ(json::value(4), refusal(R"({"jsonrpc":"2.0","id":4,"method":5})").id);
  EXPECT_EQ(json::value(4), refusal(R"({"id":4,"method":"x"})").id);
  const json::value answer = json::parse(make_error(refusal("[]")));
  EXPECT_TRUE(answer.at("id").is_null());
  EXPECT_EQ("INVALID_PARAM", answer.at_pointer("/error/data/code").as_string());
}

TEST(Message, NestsThirtyTwoDeepAtMost) {
  const auto nested = [](int depth) {
    return R"({"jsonrpc":"2.0","method":"x","params":{"a":)" + std::string(static_cast<size_t>(depth), '[') +
           std::string(static_cast<size_t>(depth), ']') + "}}";
  };
  EXPECT_TRUE(parse_message(nested(20)));
  EXPECT_EQ(-32700, refusal(nested(40)).number);
  EXPECT_EQ(-32700, refusal(nested(300'000)).number);
}

TEST(Message, AnErrorThatCannotBeReadIsStillAnError) {
  for (const char* error :
       {"null", "5", "{}", R"({"message":5,"data":[]})", R"({"message":"m","data":{"code":"NEW_CODE"}})"}) {
    const auto parsed = parse_message(std::string(R"({"jsonrpc":"2.0","id":1,"error":)") + error + "}");
    ASSERT_TRUE(parsed) << error;
    const auto& result = std::get<Response>(*parsed).result;
    ASSERT_FALSE(result);
    EXPECT_EQ(base::Code::internal, result.error().code);
  }
}

}  // namespace
}  // namespace wire
