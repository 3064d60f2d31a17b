// SPDX-License-Identifier: Apache-2.0
// Messages of the agents as they were seen, and when each says that it goes on.
#include "loop/limits.h"

#include <cstdlib>
#include <ctime>
#include <gtest/gtest.h>

#include "loop/limit_table.h"

namespace {

using config::Backend;
using loop::find_limit;
using loop::LimitWatch;

// Local time is not where the tests run, but in Tokyo, nine hours ahead of UTC all year.
class Limits : public testing::Test {
 protected:
  Limits() {
    if (const char* const tz = std::getenv("TZ")) before_ = tz;
    ::setenv("TZ", "Asia/Tokyo", 1);
    ::tzset();
  }
  ~Limits() override {
    if (before_)
      ::setenv("TZ", before_->c_str(), 1);
    else
      ::unsetenv("TZ");
    ::tzset();
  }

 private:
  std::optional<std::string> before_;
};

base::WallTime at(const char* utc) {
  std::tm tm{};
  ::strptime(utc, "%Y-%m-%d %H:%M:%S", &tm);
  return base::WallTime(std::chrono::seconds(::timegm(&tm)));
}

std::string utc(std::optional<base::WallTime> moment) {
  if (!moment) return "unknown";
  const std::time_t when =
      std::chrono::duration_cast<std::chrono::seconds>(moment->time_since_epoch()).count();
  std::tm tm{};
  ::gmtime_r(&when, &tm);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm)};
}

struct Fixture {
  Backend backend;
  const char* line;
  const char* resets;
};

// A Monday in winter, 12:30 in UTC, 21:30 in Tokyo, 07:30 in New York, 13:30 in Berlin.
const base::WallTime kNow = at("2026-02-02 12:30:00");

const Fixture kFixtures[] = {
    {Backend::claude, "Claude AI usage limit reached|1770062400", "2026-02-02 20:00:00"},
    {Backend::claude, "  ⎿  Claude usage limit reached. Your limit will reset at 3pm (America/New_York).",
     "2026-02-02 20:00:00"},
    {Backend::claude, "Claude usage limit reached. Your limit will reset at 1pm (Etc/GMT+5).",
     "2026-02-02 18:00:00"},
    {Backend::claude, "Claude usage limit reached. Your limit will reset at 12am.", "2026-02-02 15:00:00"},
    {Backend::claude, "● Claude usage limit reached.", "unknown"},
    {Backend::claude, "5-hour limit reached ∙ resets 3pm", "2026-02-03 06:00:00"},
    {Backend::claude, "│ 5-hour limit reached ∙ resets 11pm  /upgrade to increase your usage limit │",
     "2026-02-02 14:00:00"},
    {Backend::claude, "Opus weekly limit reached ∙ resets Feb 6, 9am", "2026-02-06 00:00:00"},
    {Backend::claude, "Opus weekly limit reached ∙ resets Feb 6", "2026-02-05 15:00:00"},
    {Backend::claude, "⎿  You've hit your limit · resets 10pm (Europe/Berlin)", "2026-02-02 21:00:00"},
    {Backend::claude, "You've hit your limit · resets 7am (America/New_York)", "2026-02-03 12:00:00"},
    {Backend::claude, "You've hit your session limit · resets 12:50am (America/Los_Angeles)",
     "2026-02-03 08:50:00"},
    {Backend::claude, "You've hit your session limit · resets 3:20am (Asia/Calcutta)", "2026-02-02 21:50:00"},
    {Backend::claude, "You've hit your weekly limit · resets Feb 15 at 7pm", "2026-02-15 10:00:00"},
    {Backend::claude, "You've hit your weekly limit · resets Jan 5 at 7pm (UTC)", "2027-01-05 19:00:00"},
    {Backend::claude, "You’ve hit your limit for Claude messages. Limits will reset at 9:30 AM.",
     "2026-02-03 00:30:00"},

    {Backend::codex,
     "■ You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 2 "
     "days "
     "3 hours 12 minutes.",
     "2026-02-04 15:42:00"},
    {Backend::codex, "🖐  You've hit your usage limit. Upgrade to Pro (x) or try again in 3 hours 2 minutes.",
     "2026-02-02 15:32:00"},
    {Backend::codex, "ERROR: You've hit your usage limit. To get more access now, try again at 3:45 PM.",
     "2026-02-03 06:45:00"},
    {Backend::codex,
     "You've hit your usage limit. Visit https://chatgpt.com/codex/settings/usage to purchase more credits "
     "or "
     "try again at Feb 3rd, 2026 7:05 PM.",
     "2026-02-03 10:05:00"},
    {Backend::codex,
     "You've hit your usage limit for gpt-5-codex. Switch to another model or try again at 11:00 PM.",
     "2026-02-02 14:00:00"},
    {Backend::codex,
     "🖐 You've hit your usage limit. Upgrade to Pro (x), or wait for limits to reset (every 5h and every "
     "week.).",
     "unknown"},
    {Backend::codex, "You've hit your usage limit. Try again in less than a minute.", "2026-02-02 12:31:00"},

    {Backend::gemini, "You have exhausted your capacity on this model. Your quota will reset after 5h30m12s.",
     "2026-02-02 18:00:12"},
    {Backend::gemini,
     "Error when talking to Gemini API TerminalQuotaError: You have exhausted your daily quota on this "
     "model.",
     "unknown"},
    {Backend::gemini, "Usage limit reached for gemini-3-flash-preview. Access resets at 10:57 PM GMT-3.",
     "2026-02-03 01:57:00"},
    {Backend::gemini, "Usage limit reached for gemini-2.5-pro.", "unknown"},
    {Backend::gemini,
     "✕ [API Error: You exceeded your current quota, please check your plan and billing details. Please "
     "retry in "
     "34.07s.",
     "2026-02-02 12:30:34"},
    {Backend::gemini, "[API Error: Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit 'x'",
     "unknown"},

    {Backend::kiro, "Monthly request limit reached - The limits reset on 03/01", "2026-02-28 15:00:00"},
    {Backend::kiro, "You have reached the limit.", "unknown"},

    {Backend::copilot,
     "✗ Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make "
     "within a "
     "specific time period. Please try again in 58 hours. Please review our Terms of Service",
     "2026-02-04 22:30:00"},
    {Backend::copilot, R"(402 {"error":{"message":"You have no quota","code":"quota_exceeded"}})", "unknown"},

    {Backend::opencode, "Free usage exceeded, subscribe to Go [retrying in 6h16m - attempt #1]",
     "2026-02-02 18:46:00"},
    {Backend::opencode, "Free usage exceeded, add credits https://opencode.ai/zen", "unknown"},
    {Backend::opencode, "The usage limit has been reached [retrying in 73801s attempt #1]",
     "2026-02-03 09:00:01"},
};

TEST_F(Limits, AreFoundWithTheirTimes) {
  for (const Fixture& fixture : kFixtures) {
    const auto found = find_limit(fixture.backend, fixture.line, kNow);
    ASSERT_TRUE(found) << fixture.line;
    EXPECT_EQ(utc(found->resets_at), fixture.resets) << fixture.line;
  }
}

TEST_F(Limits, EveryRowMatchesItsExample) {
  for (const loop::LimitRow& row : loop::limit_table())
    EXPECT_TRUE(find_limit(row.backend, row.example, kNow)) << row.example;
}

TEST_F(Limits, BelongToTheirAgent) {
  for (const Fixture& fixture : kFixtures) {
    EXPECT_FALSE(find_limit(Backend::custom, fixture.line, kNow)) << fixture.line;
    EXPECT_FALSE(find_limit(Backend::amp, fixture.line, kNow)) << fixture.line;
  }
}

TEST_F(Limits, AreNotFoundWhereAnAgentOnlyWritesOfThem) {
  const char* const lines[] = {
      "When the Claude usage limit reached message comes, wait.",
      "● I handle \"Claude AI usage limit reached|1749924000\" now.",
      "`You've hit your limit · resets 10pm` is what it prints",
      "The error \"You've hit your usage limit.\" is caught in line 12.",
      "Approaching usage limit · resets at 7pm",
      "If you've hit your usage limit, try again in 2 days.",
      "Rate limit reached for the test server",
      "Attempt 2 failed: You have exhausted your capacity on this model. Your quota will reset after 1s.",
      "the limit reached here resets the counter",
      "Sorry, you've hit a wall.",
      "",
  };
  for (const auto backend : {Backend::claude, Backend::codex, Backend::gemini, Backend::kiro, Backend::amp,
                             Backend::copilot, Backend::opencode, Backend::custom})
    for (const char* const line : lines) EXPECT_FALSE(find_limit(backend, line, kNow)) << line;
}

TEST_F(Limits, LeaveTheZoneAsItWas) {
  find_limit(Backend::claude, "You've hit your limit · resets 10pm (Europe/Berlin)", kNow);
  EXPECT_STREQ(std::getenv("TZ"), "Asia/Tokyo");
  ::unsetenv("TZ");
  find_limit(Backend::claude, "You've hit your limit · resets 10pm (Europe/Berlin)", kNow);
  EXPECT_EQ(std::getenv("TZ"), nullptr);
}

TEST_F(Limits, TimesThatMakeNoSenseAreUnknown) {
  for (const char* const line :
       {"You've hit your limit · resets soon", "You've hit your limit · resets 99:99",
        "You've hit your limit · resets in 99999 days", "Claude AI usage limit reached|9999999999"}) {
    const auto found = find_limit(Backend::claude, line, kNow);
    ASSERT_TRUE(found) << line;
    EXPECT_EQ(utc(found->resets_at), "unknown") << line;
  }
}

TEST_F(Limits, OfAMessageThatTheAgentHasWrapped) {
  LimitWatch watch(Backend::codex);
  for (const char* const line :
       {"working", "■ You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit",
        "https://chatgpt.com/codex/settings/usage to purchase more credits or try again at 11:51", "PM.", "",
        "› "})
    watch.line(line, kNow);
  ASSERT_TRUE(watch.found());
  EXPECT_EQ(utc(watch.found()->resets_at), "2026-02-02 14:51:00");
  EXPECT_NE(watch.found()->message.find("11:51 PM."), std::string::npos);
}

TEST_F(Limits, MayBeWrappedInTheMiddleOfADuration) {
  LimitWatch watch(Backend::codex);
  watch.line("■ You've hit your usage limit. Upgrade to Pro (x) or try again in 5 days 22 hours 11", kNow);
  watch.line("minutes.", kNow);
  watch.line("3 hours later", kNow);
  EXPECT_EQ(utc(watch.found()->resets_at), "2026-02-08 10:41:00");
}

TEST_F(Limits, OfTheIterationIsTheLastOne) {
  LimitWatch watch(Backend::claude);
  EXPECT_FALSE(watch.found());
  watch.line("You've hit your limit · resets 10pm", kNow);
  watch.line("other", kNow);
  watch.line("You've hit your limit · resets 11pm", kNow);
  watch.line("other", kNow);
  EXPECT_EQ(utc(watch.found()->resets_at), "2026-02-02 14:00:00");
}

}  // namespace
