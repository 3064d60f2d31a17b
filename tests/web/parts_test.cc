// SPDX-License-Identifier: Apache-2.0
// The parts that decide, each alone.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "web/admission.h"
#include "web/limits.h"
#include "web/origin.h"
#include "web/pace.h"
#include "web/routes.h"
#include "web/secrets.h"
#include "web/target.h"
#include "web/tokens.h"

namespace web {
namespace {

TEST(Secrets, HaveAllTheirBits) {
  std::set<std::string> all;
  for (int i = 0; i < 1000; i++) {
    const std::string secret = new_secret();
    EXPECT_EQ(secret.size(), 43U);
    EXPECT_EQ(secret.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
              std::string::npos);
    all.insert(secret);
  }
  EXPECT_EQ(all.size(), 1000U);
  EXPECT_EQ(to_hex(digest_of("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_from_hex(to_hex(digest_of("abc"))), digest_of("abc"));
  EXPECT_EQ(digest_from_hex("zz"), std::nullopt);
}

TEST(TokenBook, KnowsWhatItIssuedAndForgetsWhatItRevoked) {
  TokenBook book;
  const auto full = book.issue(Access::full, 1);
  const auto looking = book.issue(Access::read_only, 2);
  EXPECT_EQ(book.by_token(full.secret)->access, Access::full);
  EXPECT_EQ(book.by_token(looking.secret)->access, Access::read_only);
  EXPECT_FALSE(book.by_token(full.id));
  const auto cookie = book.make_cookie(looking.id);
  ASSERT_TRUE(cookie);
  EXPECT_EQ(book.by_cookie(*cookie)->access, Access::read_only);
  EXPECT_FALSE(book.by_token(*cookie));
  EXPECT_FALSE(book.by_cookie(looking.secret));
  TokenBook again;
  ASSERT_TRUE(again.load(book.save()));
  EXPECT_EQ(again.by_cookie(*cookie)->token, looking.id);
  EXPECT_TRUE(again.revoke(looking.id));
  EXPECT_FALSE(again.revoke(looking.id));
  EXPECT_FALSE(again.by_cookie(*cookie));
  EXPECT_TRUE(again.by_token(full.secret));
}

TEST(TokenBook, HasBounds) {
  TokenBook book;
  const auto first = book.issue(Access::full, 0);
  std::string token;
  for (size_t i = 0; i < kMostTokens; i++) token = book.issue(Access::full, 1).id;
  EXPECT_FALSE(book.by_token(first.secret));
  EXPECT_EQ(book.describe().size(), kMostTokens);
  const auto oldest = book.make_cookie(token);
  for (size_t i = 0; i < kMostCookies; i++) book.make_cookie(token);
  EXPECT_FALSE(book.by_cookie(*oldest));
  // The file that keeps it all can be read again.
  EXPECT_LT(boost::json::serialize(book.save()).size(), 60'000U);
}

TEST(TokenBook, TakesNoBrokenFile) {
  TokenBook book;
  for (const char* text : {"{}", "[1]", "[{\"sha256\":\"xx\"}]", "[{}]", "null"})
    EXPECT_FALSE(book.load(boost::json::parse(text))) << text;
}

TEST(Target, TakesApartWhatIsWellFormed) {
  const auto target = parse_target("/a/b%20c?x=1&y=a+b%26&x=2");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->segments, (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(target->value("x"), "2");
  EXPECT_EQ(target->value("y"), "a b&");
  for (const char* bad : {"", "a", "http://x/", "*", "/%", "/%2", "/%zz", "/a%00", "/?x=%0", "/a b", "/\x01"})
    EXPECT_FALSE(parse_target(bad)) << bad;
}

TEST(Headers, AreReadAsTheyAreWritten) {
  EXPECT_EQ(cookie_value("a=1; tend_80=x=y;b=2", "tend_80"), "x=y");
  EXPECT_EQ(cookie_value("xtend_80=1", "tend_80"), std::nullopt);
  EXPECT_EQ(bearer_token("bEaReR  abc "), "abc");
  EXPECT_EQ(bearer_token("Basic abc"), std::nullopt);
}

TEST(Origin, OnlyNamesThatNobodyElseCanLeadHere) {
  const std::vector<std::string> names = {"Box.local"};
  for (const char* good : {"localhost", "LOCALHOST:1", "localhost.:80", "127.0.0.1:8888", "127.9.9.9",
                           "[::1]:8888", "10.1.2.3:80", "box.LOCAL:1"})
    EXPECT_TRUE(is_own_host(good, "10.1.2.3", names)) << good;
  for (const char* bad : {"", "evil", "127.0.0.1.evil", "localhost@evil", "10.1.2.4", "[::1", "localhost:x",
                          "localhost:99999", ":80", "2130706433"})
    EXPECT_FALSE(is_own_host(bad, "10.1.2.3", names)) << bad;
}

TEST(Origin, IsTheServersOwnToTheLastPart) {
  EXPECT_TRUE(is_own_origin("http://localhost:8888", "http", "localhost:8888"));
  EXPECT_TRUE(is_own_origin("https://box", "https", "box:443"));
  EXPECT_TRUE(is_own_origin("https://box", "https", "box"));
  for (const char* bad : {"null", "https://localhost:8888", "http://localhost:8889", "http://localhost",
                          "http://localhost:88880", "http://evil"})
    EXPECT_FALSE(is_own_origin(bad, "http", "localhost:8888")) << bad;
}

TEST(Failures, AreCountedByAddressForAMinute) {
  Failures failures;
  base::Moment now{std::chrono::hours(1)};
  for (size_t i = 0; i < kMostFailures; i++) {
    EXPECT_FALSE(failures.too_many("a", now));
    failures.add("a", now);
  }
  EXPECT_TRUE(failures.too_many("a", now));
  EXPECT_FALSE(failures.too_many("b", now));
  EXPECT_FALSE(failures.too_many("a", now + kFailureTime));
}

TEST(Pace, IsKeptByWhoTakesEnoughOrHasEverything) {
  base::Moment now{std::chrono::hours(1)};
  Pace pace;
  const auto takes = [&](size_t each_time) {
    for (int i = 0; i < 30; i++, now += std::chrono::milliseconds(10)) pace.took(each_time, now);
    return pace.keeps_up();
  };
  EXPECT_TRUE(takes(Pace::kLeast / 5));
  EXPECT_FALSE(takes(Pace::kLeast / 20));
  EXPECT_TRUE(takes(Pace::kLeast / 5));
  // One that stood still for a while has not kept up, however much it takes then.
  now += std::chrono::seconds(2);
  pace.took(Pace::kLeast * 2, now);
  EXPECT_FALSE(pace.keeps_up());
  pace.caught_up();
  now += std::chrono::seconds(2);
  pace.took(1, now);
  EXPECT_TRUE(pace.keeps_up());
}

TEST(Routes, EachIsAMethodAndFindsItself) {
  for (const Route& each : routes()) {
    EXPECT_NE(host::find_method(each.method), nullptr) << each.method;
    // What does something is not a GET, and not for those who only look.
    if (each.verb != Verb::get) {
      EXPECT_EQ(each.access, Access::full) << each.path;
    }
  }
  const Found found = find_route(Verb::get, *parse_target("/api/sessions/a%2Fb/ptys/3/screen"));
  ASSERT_NE(found.route, nullptr);
  EXPECT_EQ(boost::json::serialize(found.params), R"({"session":"a/b","pty":3})");
  EXPECT_TRUE(find_route(Verb::del, *parse_target("/api/status")).path_exists);
  EXPECT_FALSE(find_route(Verb::get, *parse_target("/api/status/")).path_exists);
}

}  // namespace
}  // namespace web
