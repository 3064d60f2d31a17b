// SPDX-License-Identifier: Apache-2.0
// What a program printed, made fit for a medium. Pure. Any bytes may come in; the order is: plain(), then
// strip_secrets(), then cut to the medium's bound, then the medium's own escaping last, so that nothing that
// was cut is half an escape.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace channel {

// UTF-8 without control characters but newlines, and without characters that would hide or turn around what
// stands beside them.
std::string plain(std::string_view text);

// Keys, tokens and passwords that can be known by their shape become "[hidden]".
std::string strip_secrets(std::string_view text);

// At most so many UTF-16 units (what Telegram counts; Slack counts characters, which are not more), from the
// beginning, or from the end; "…" stands where something was left out. For what plain() gave.
std::string first_of(std::string_view text, size_t most);
std::string last_of(std::string_view text, size_t most);

// No empty lines at the end, no spaces at the ends of lines.
std::string trim_lines(std::string_view text);

// For HTML as Telegram reads it.
std::string html(std::string_view text);
// For Slack's mrkdwn: & < > alone have a meaning that cannot be turned off.
std::string slack_text(std::string_view text);

}  // namespace channel
