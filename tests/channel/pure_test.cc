// SPDX-License-Identifier: Apache-2.0
// What needs neither a network nor a daemon: pace, backoff, escaping, updates, answers of the server.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <random>
#include <sys/stat.h>

#include "channel/backoff.h"
#include "channel/escape.h"
#include "channel/notice.h"
#include "channel/pace.h"
#include "channel/telegram_api.h"
#include "channel/telegram_text.h"
#include "channel/telegram_updates.h"
#include "channel/token.h"
#include "config/text.h"
#include "support/temp_dir.h"

namespace channel {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

const base::Moment kNow{seconds(1000)};

TEST(Pace, GivesThreeAtOnceAndTenAMinute) {
  Pace pace;
  int taken = 0;
  for (int i = 0; i < 10; i++) taken += pace.take("a", kNow) ? 1 : 0;
  EXPECT_EQ(taken, 3);
  EXPECT_TRUE(pace.take("b", kNow));
  const base::Moment next = pace.ready_at("a", kNow);
  EXPECT_GE(next, kNow + seconds(6));
  EXPECT_LE(next, kNow + seconds(6) + milliseconds(10));
  EXPECT_TRUE(pace.take("a", next));
  for (int i = 0; i < 600; i++) taken += pace.take("a", next + i * milliseconds(1000)) ? 1 : 0;
  EXPECT_NEAR(taken, 103, 2);
}

TEST(Pace, TimeThatGoesBackGivesNothing) {
  Pace pace;
  for (int i = 0; i < 3; i++) EXPECT_TRUE(pace.take("a", kNow));
  EXPECT_FALSE(pace.take("a", kNow - minutes(10)));
  EXPECT_FALSE(pace.take("a", kNow));
}

TEST(Pace, KnowsABoundedNumberOfKeys) {
  Pace pace;
  for (size_t i = 0; i < Pace::kMostKeys + 100; i++) (void)pace.take(std::to_string(i), kNow);
  EXPECT_EQ(pace.keys(), Pace::kMostKeys);
  EXPECT_TRUE(pace.take("new", kNow + minutes(1)));
  EXPECT_LT(pace.keys(), 10U);
}

TEST(Backoff, DoublesFromOneSecondToSixty) {
  Backoff backoff;
  for (const int wait : {1, 2, 4, 8, 16, 32, 60, 60}) EXPECT_EQ(backoff.failed(), seconds(wait));
  backoff.succeeded();
  EXPECT_EQ(backoff.failed(), seconds(1));
}

TEST(Backoff, WaitsAsLongAsItIsAskedToWithinReason) {
  Backoff backoff;
  EXPECT_EQ(backoff.failed(seconds(7)), seconds(7));
  EXPECT_EQ(backoff.failed(seconds(0)), seconds(1));
  EXPECT_EQ(backoff.failed(seconds(1'000'000)), minutes(10));
  EXPECT_EQ(backoff.failed(), seconds(1));
}

TEST(Escape, PlainTextHasNothingUnseenInIt) {
  EXPECT_EQ(plain("a\x1b[31mb\tc\r\nd\x7f\xff"), "a[31mb c\nd?");
  EXPECT_EQ(plain("ab\u202Etxt\u200B\u2066"), "abtxt");
  EXPECT_EQ(plain("Grüße 💚"), "Grüße 💚");
}

TEST(Escape, SecretsAreKnownByTheirShape) {
  for (const char* text :
       {"export API_KEY=abcdef123456", "password: hunter2hunter2", "Authorization: Bearer abcdefgh12345678",
        "postgres://me:hunter2hunter2@db/x", "sk-abcdefghijklmnop1234", "ghp_abcdefghij0123456789",
        "AKIAABCDEFGHIJKLMNOP", "123456789:AAabcdefghijklmnopqrstuvwxyz0123456",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIabcdef\n-----END RSA PRIVATE KEY-----",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefgh"}) {
    EXPECT_THAT(strip_secrets(text), HasSubstr("[hidden]")) << text;
  }
  EXPECT_THAT(strip_secrets("password: hunter2hunter2"), Not(HasSubstr("hunter2")));
  EXPECT_EQ(strip_secrets("Deploy to production? [y/N] "), "Deploy to production? [y/N] ");
  EXPECT_EQ(strip_secrets("Password: "), "Password: ");
}

TEST(Escape, CutsAtCharactersAndSaysSo) {
  EXPECT_EQ(first_of("abc", 3), "abc");
  EXPECT_EQ(first_of("abcd", 3), "ab…");
  EXPECT_EQ(last_of("abcd", 3), "…cd");
  EXPECT_EQ(first_of("💚💚", 3), "💚…");
  EXPECT_EQ(last_of("ü💚", 2), "…");
  EXPECT_EQ(first_of("x", 0), "");
  EXPECT_EQ(trim_lines("a  \n\nb \n\n\n"), "a\n\nb");
  EXPECT_EQ(html("<b>&\""), "&lt;b&gt;&amp;&quot;");
}

// Telegram's HTML, as its page tells: these tags, well nested, these entities, nothing else that begins with
// < or &. Gives what people see, or nothing.
std::optional<std::string> parse_html(std::string_view text) {
  std::string seen;
  std::vector<std::string> open;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] == '&') {
      bool known = false;
      for (const auto& [entity, means] : {std::pair("&lt;", '<'), std::pair("&gt;", '>'),
                                          std::pair("&amp;", '&'), std::pair("&quot;", '"')}) {
        if (!text.substr(i).starts_with(entity)) continue;
        known = true;
        seen += means;
        i += std::string_view(entity).size() - 1;
        break;
      }
      if (!known) return {};
    } else if (text[i] == '<') {
      const size_t end = text.find('>', i);
      if (end == std::string_view::npos) return {};
      std::string tag(text.substr(i + 1, end - i - 1));
      if (tag == "b" || tag == "pre") {
        open.push_back(tag);
      } else if (tag.starts_with('/') && !open.empty() && open.back() == tag.substr(1)) {
        open.pop_back();
      } else {
        return {};
      }
      i = end;
    } else {
      seen += text[i];
    }
  }
  if (!open.empty()) return {};
  return seen;
}

size_t units(std::string_view text) {
  size_t count = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    count += (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
  }
  return count;
}

class Bytes {
 public:
  std::string text(size_t most) {
    static constexpr std::string_view kNasty[] = {
        "<",      ">",  "&",  "<b>",  "</pre>",       "&amp",     "\"",      "💚",
        "\u202E", "\n", "  ", "\xff", "\xed\xa0\x80", "*_[]()~`", "\x1b[2J", "&#0;"};
    std::string text;
    const size_t size = random_() % most;
    while (text.size() < size) {
      if (random_() % 3 == 0)
        text += kNasty[random_() % std::size(kNasty)];
      else
        text += static_cast<char>(random_());
    }
    return text;
  }
  size_t number(size_t most) { return random_() % most; }

 private:
  std::mt19937 random_{7};
};

Notice random_notice(Bytes& bytes) {
  static constexpr const char* kTypes[] = {"YES_NO",    "CONFIRM_ENTER", "MULTIPLE_CHOICE",
                                           "FREE_TEXT", "PAGER",         "UNKNOWN"};
  Notice notice{.prompt = "0123456789abcdef",
                .nonce = "fedcba9876543210",
                .session = bytes.text(100),
                .pty = static_cast<uint32_t>(bytes.number(64)),
                .type = kTypes[bytes.number(6)],
                .question = bytes.text(5000),
                .excerpt = bytes.text(5000),
                .choices = {},
                .fallback = bytes.number(2) == 0 ? std::optional(bytes.text(300)) : std::nullopt,
                .secret = bytes.number(5) == 0,
                .ambiguous = bytes.number(4) == 0};
  for (size_t i = bytes.number(60); i > 0; i--) notice.choices.push_back({bytes.text(20), bytes.text(200)});
  return notice;
}

TEST(TelegramText, WhateverAProgramPrintsTheMessageIsMarkupWithinItsBounds) {
  Bytes bytes;
  for (int i = 0; i < 1000; i++) {
    const Notice notice = random_notice(bytes);
    const Answerable answerable = bytes.number(2) == 0 ? Answerable::here : Answerable::elsewhere;
    Ending ending{static_cast<Ending::State>(bytes.number(4)), bytes.number(2) == 0 ? "unknown" : "accepted",
                  bytes.text(100), "x"};
    std::vector<SessionLine> lines;
    for (size_t n = bytes.number(50); n > 0; n--)
      lines.push_back({bytes.text(70), "waiting", bytes.text(500)});
    for (const std::string& text :
         {asking_text(notice, answerable), ended_text(notice, ending, ending.by),
          screen_text(notice.session, bytes.text(9000)), sessions_text(lines), help_text()}) {
      const auto seen = parse_html(text);
      ASSERT_TRUE(seen) << text;
      ASSERT_LE(units(*seen), kMostMessage);
      ASSERT_FALSE(seen->empty());
      ASSERT_EQ(config::utf8_prefix(text), text.size());
    }
    const json::object buttons = buttons_of(notice, answerable);
    size_t count = 0;
    for (const json::value& row : buttons.at("inline_keyboard").as_array()) {
      ASSERT_FALSE(row.as_array().empty());
      ASSERT_LE(row.as_array().size(), 60U);
      for (const json::value& button : row.as_array()) {
        count++;
        const std::string data(button.at("callback_data").as_string());
        ASSERT_LE(data.size(), kMostCallbackData);
        ASSERT_TRUE(channel::read_press(data)) << data;
        ASSERT_FALSE(button.at("text").as_string().empty());
        ASSERT_EQ(config::utf8_prefix(button.at("text").as_string()), button.at("text").as_string().size());
      }
    }
    ASSERT_LE(count, 100U);
    ASSERT_EQ(count == 0, answerable == Answerable::elsewhere);
  }
}

TEST(TelegramText, AnUnknownQuestionIsSaidAsInTheDesign) {
  const Notice notice{.prompt = "0123456789abcdef",
                      .nonce = "fedcba9876543210",
                      .session = "web",
                      .type = "UNKNOWN",
                      .question = "",
                      .excerpt = "Do you want to continue with the migration?",
                      .choices = {},
                      .fallback = {},
                      .ambiguous = true};
  EXPECT_EQ(parse_html(asking_text(notice, Answerable::here)),
            "web\ntend detected a possible input request.\n\nLast output (last 200 chars):\n"
            "  > Do you want to continue with the migration?\n\nWhat should I do?");
  std::vector<std::string> labels;
  const json::object buttons = buttons_of(notice, Answerable::here);
  for (const json::value& each : buttons.at("inline_keyboard").as_array().at(0).as_array())
    labels.emplace_back(each.at("text").as_string());
  EXPECT_THAT(labels, testing::ElementsAre("SEND ENTER", "SHOW LAST OUTPUT", "CANCEL"));
}

TEST(TelegramText, ButtonsSayAgainWhatTheyWereMadeOf) {
  using What = Press::What;
  for (const What what : {What::choice, What::yes, What::no, What::enter, What::output, What::cancel}) {
    const Press press{"0123456789abcdef", "fedcba9876543210", what, what == What::choice ? 1000U : 0U};
    const auto read = channel::read_press(callback_data(press));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->prompt, press.prompt);
    EXPECT_EQ(read->nonce, press.nonce);
    EXPECT_EQ(read->what, what);
    EXPECT_EQ(read->choice, press.choice);
  }
  Bytes bytes;
  for (int i = 0; i < 10'000; i++) (void)channel::read_press(bytes.text(100));
  EXPECT_FALSE(channel::read_press("10123456789abcdeffedcba9876543210c0"));
  EXPECT_FALSE(channel::read_press("10123456789abcdeffedcba9876543210c1001"));
  EXPECT_FALSE(channel::read_press("1../../etc/passwdfedcba9876543210y"));
}

TEST(TelegramUpdates, AreSortedAndWhatIsNoneIsLeftOut) {
  const auto updates = read_updates(json::parse(
      R"([{"update_id":9,"message":{"message_id":3,"date":5,"text":"hi","from":{"id":7,"first_name":"A"},"chat":{"id":7},)"
      R"("reply_to_message":{"message_id":2}}},{"update_id":8,"callback_query":{"id":"q","data":"d","from":{"id":7},)"
      R"("message":{"message_id":4,"chat":{"id":-1}}}},{"update_id":0},{"x":1},7,{"update_id":"5"}])"));
  ASSERT_EQ(updates.size(), 2U);
  EXPECT_EQ(updates[0].query, "q");
  EXPECT_FALSE(updates[0].private_chat);
  EXPECT_EQ(updates[1].text, "hi");
  EXPECT_EQ(updates[1].reply_to, 2);
  EXPECT_TRUE(updates[1].private_chat);
}

TEST(TelegramUpdates, ThoseThatWereHereAreKnown) {
  Seen seen;
  EXPECT_TRUE(seen.add(1));
  EXPECT_FALSE(seen.add(1));
  for (int64_t i = 2; i < 5000; i++) EXPECT_TRUE(seen.add(i));
  EXPECT_FALSE(seen.add(4500));
}

TEST(TelegramApi, ProblemsAreToldApartAndNeverWithTheToken) {
  using Kind = ApiProblem::Kind;
  const auto kind = [](int status, const std::string& body) {
    const auto answer = read_answer(HttpResponse{.status = status, .body = body}, "SECRET");
    return answer ? std::optional<Kind>() : answer.error().kind;
  };
  EXPECT_EQ(kind(200, R"({"ok":true,"result":1})"), std::nullopt);
  EXPECT_EQ(kind(200, "x"), Kind::passing);
  EXPECT_EQ(kind(502, ""), Kind::passing);
  EXPECT_EQ(kind(401, R"({"ok":false,"error_code":401})"), Kind::unauthorized);
  EXPECT_EQ(kind(409, R"({"ok":false,"error_code":409})"), Kind::conflict);
  EXPECT_EQ(kind(429, ""), Kind::flood);
  EXPECT_EQ(kind(400, R"({"ok":false,"error_code":400})"), Kind::refused);
  const auto flood = read_answer(
      HttpResponse{.status = 429, .body = R"({"ok":false,"error_code":429,"parameters":{"retry_after":9}})"},
      "");
  EXPECT_EQ(flood.error().wait, base::Duration(seconds(9)));
  const auto told = read_answer(
      HttpResponse{.status = 400, .body = R"({"ok":false,"description":"no bot SECRET here"})"}, "SECRET");
  EXPECT_EQ(told.error().text, "400 no bot *** here");
}

TEST(Token, ComesFromAFileThatNobodyElseMayRead) {
  const support::TempDir dir;
  const std::string path = dir.file("token");
  support::write_file(path, "  abc:def\n");
  const TokenPlace place{.file = path, .setting = "s", .variable = "TEND_TEST_TOKEN"};
  ASSERT_EQ(0, ::chmod(path.c_str(), 0640));
  EXPECT_THAT(read_token(place).error().message(), HasSubstr("may be read by others"));
  ASSERT_EQ(0, ::chmod(path.c_str(), 0600));
  EXPECT_EQ(read_token(place).value(), "abc:def");
  support::write_file(path, "abc def\n");
  EXPECT_FALSE(read_token(place));
  const TokenPlace variable{.file = {}, .setting = "s", .variable = "TEND_TEST_TOKEN"};
  EXPECT_FALSE(read_token(variable));
  ::setenv("TEND_TEST_TOKEN", "xyz", 1);
  EXPECT_EQ(read_token(variable).value(), "xyz");
}

TEST(Notice, ReadsTheTimesOfTheProtocol) {
  EXPECT_EQ(time_of("2026-01-02T03:04:05.678901Z"), 1'767'323'045'678'901);
  EXPECT_EQ(time_of("yesterday"), 0);
}

}  // namespace
}  // namespace channel
