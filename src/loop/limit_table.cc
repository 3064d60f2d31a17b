// SPDX-License-Identifier: Apache-2.0
#include "loop/limit_table.h"

#include <array>

namespace loop {
namespace {

using config::Backend;

// The messages as users have reported them of the agents' releases until autumn 2026. Agents that wait and go
// on by themselves ("Attempt 2 failed", a switch to a smaller model) have reached no limit that a loop must
// wait for. Of amp no such message is known, and a custom agent has none.
constexpr std::array kTable{
    LimitRow{Backend::claude, R"(Claude (?:AI )?usage limit reached\|(\d{10,13})$)",
             "Claude AI usage limit reached|1749924000"},
    LimitRow{Backend::claude, R"(Claude usage limit reached\. Your limit will reset at (\S.*))",
             "Claude usage limit reached. Your limit will reset at 3pm (America/New_York)."},
    LimitRow{Backend::claude, R"(Claude usage limit reached\.?$)", "Claude usage limit reached."},
    LimitRow{Backend::claude, R"((?:[\w.-]+ ){0,3}limit reached [∙·•] resets (\S.*))",
             "5-hour limit reached ∙ resets 3pm"},
    LimitRow{Backend::claude, R"(You['’]ve hit your (?:[\w.-]+ ){0,2}limit [∙·•] resets (\S.*))",
             "You've hit your limit · resets 10pm (Europe/Berlin)"},
    LimitRow{Backend::claude, R"(You['’]ve hit your limit for Claude messages\. Limits will reset at (\S.*))",
             "You’ve hit your limit for Claude messages. Limits will reset at 9:30 AM."},
    LimitRow{Backend::claude, R"(You['’]re out of extra usage [∙·•] resets (\S.*))",
             "You're out of extra usage · resets 6am (Europe/Berlin)"},

    LimitRow{
        Backend::codex,
        R"(You['’]ve hit your usage limit(?: for [\w. -]{1,40})?\.(?:.*\btry again (?:in|at) (\S.*))?)",
        "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 2 "
        "days 17 hours 14 minutes."},

    LimitRow{
        Backend::gemini,
        R"((?:.*QuotaError: |\[API Error: )?You have exhausted your (?:capacity|daily quota) on this model\.)"
        R"((?: Your quota will reset after (\S+))?)",
        "You have exhausted your capacity on this model. Your quota will reset after 5h30m12s."},
    LimitRow{Backend::gemini,
             R"(Usage limit reached for (?:all )?[\w.-]+(?: models)?\.(?: Access resets at (\S.*))?)",
             "Usage limit reached for gemini-3-flash-preview. Access resets at 10:57 PM GMT-3."},
    LimitRow{
        Backend::gemini,
        R"((?:\[API Error: .{0,80})?You exceeded your current quota, please check your plan)"
        R"((?:.*Please retry in (\d\S*))?)",
        "[API Error: You exceeded your current quota, please check your plan and billing details. Please "
        "retry in 34.07s."},
    LimitRow{
        Backend::gemini, R"((?:\[API Error: .{0,80})?Quota exceeded for quota metric ')",
        "[API Error: Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit 'Requests per day'"},

    LimitRow{Backend::kiro,
             R"((?:.{0,40} )?Monthly request limit reached(?: - The limits reset on (\d\d/\d\d))?)",
             "Monthly request limit reached - The limits reset on 08/01"},
    LimitRow{Backend::kiro, R"(You have reached the limit\.)", "You have reached the limit."},

    LimitRow{
        Backend::copilot, R"(Sorry, you['’]ve hit a rate limit that restricts(?:.*try again in (\d.*))?)",
        "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make "
        "within a specific time period. Please try again in 2 hours. Please review our Terms of Service"},
    LimitRow{Backend::copilot, R"((?:.{0,40})?402 \{"error":\{"message":"You have no quota")",
             R"(402 {"error":{"message":"You have no quota","code":"quota_exceeded"}})"},

    LimitRow{Backend::opencode,
             R"((?:Free usage exceeded, (?:subscribe|add credits)|The usage limit has been reached\b))"
             R"((?:.*retrying in (\d.*))?)",
             "Free usage exceeded, subscribe to Go [retrying in 6h16m - attempt #1]"},
};

}  // namespace

std::span<const LimitRow> limit_table() { return kTable; }

}  // namespace loop
