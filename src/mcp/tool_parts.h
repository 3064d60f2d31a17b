// SPDX-License-Identifier: Apache-2.0
// What the tools take and give: the parts that the rows of the table (tool_table.cc) are made of.
#pragma once
#include <array>

#include "mcp/tool.h"

namespace mcp::parts {

using wire::Kind;
using wire::Need;

inline constexpr int64_t kMostMs = int64_t{1000} * 60 * 60 * 24;
inline constexpr int64_t kMostSize = 65535;

inline constexpr Argument kSession{{"session", Kind::text, Need::required}, "Name or id of the session"};
inline constexpr Argument kOfSession{{"session", Kind::text}, "Only of this session: name or id"};
inline constexpr Argument kPty{{"pty", Kind::integer, Need::optional, 0, 63},
                               "Number of the PTY in its session; 0, the main program, when left out"};
inline constexpr Argument kMostChars{{"max_chars", Kind::integer, Need::optional, 100, 200'000},
                                     "At most so many characters of text, the newest; 12000 when left out"};
inline constexpr Argument kCols{{"cols", Kind::integer, Need::optional, 1, kMostSize}, "Columns"};
inline constexpr Argument kRows{{"rows", Kind::integer, Need::optional, 1, kMostSize}, "Rows"};
inline constexpr Argument kNewCols{{"cols", Kind::integer, Need::required, 1, kMostSize}, "Columns"};
inline constexpr Argument kNewRows{{"rows", Kind::integer, Need::required, 1, kMostSize}, "Rows"};
inline constexpr Argument kForce{{"force", Kind::flag},
                                 "SIGKILL at once, without SIGHUP and SIGTERM before it"};
inline constexpr Argument kSince{
    {"since", Kind::integer},
    "Offset to begin at: the next_offset or offset of an earlier result; the newest "
    "output when left out"};
inline constexpr Argument kMostBytes{{"max_bytes", Kind::integer, Need::optional, 1, 128 << 10},
                                     "At most so many bytes of output"};
inline constexpr Argument kReadTimeout{{"timeout_ms", Kind::integer, Need::optional, 0, kMostMs},
                                       "Wait this long for new output; do not wait when left out"};
inline constexpr Argument kRunTimeout{
    {"timeout_ms", Kind::integer, Need::optional, 1, kMostMs},
    "How long to wait for the end of the command, which goes on after that; 30000 "
    "when left out"};
inline constexpr Argument kWaitTimeout{{"timeout_ms", Kind::integer, Need::optional, 0, kMostMs},
                                       "Then the result is PTY_TIMEOUT; 30000 when left out"};
inline constexpr Argument kCommandLine{{"command", Kind::text, Need::required},
                                       "What to run, as it would be typed; several lines are fine"};
inline constexpr Argument kSentinel{
    {"sentinel", Kind::text},
    "A marker of your own, 8 to 64 letters, digits and underscores; one is made when "
    "left out"};
inline constexpr Argument kInterrupt{
    {"interrupt", Kind::flag},
    "Press Ctrl+C first, if something else is at work there or a line is half typed"};
inline constexpr Argument kData{{"data", Kind::text, Need::required}, "Sent exactly as it is"};
inline constexpr Argument kEnter{{"enter", Kind::flag}, "Press Enter behind it"};
inline constexpr Argument kShell{{"shell", Kind::text},
                                 "A shell, when there is no command; /bin/sh when left out"};
inline constexpr Argument kFolder{{"cwd", Kind::text}, "Working directory"};
inline constexpr Argument kName{{"name", Kind::text},
                                "Name for a new session; made of the folder's when left out"};
inline constexpr Argument kAll{{"all", Kind::flag}, "With those that have ended"};
inline constexpr Argument kLabel{{"label", Kind::text},
                                 "Only of sessions with this label: NAME, or NAME=VALUE"};
inline constexpr Argument kOwner{{"owner", Kind::text}, "Only of sessions that this agent has started"};
inline constexpr Argument kAgent{{"agent", Kind::text}, "Only PTYs that run this program, as claude or bash"};
inline constexpr Argument kTopic{{"topic", Kind::text}, "Name of a tool; all of them when left out"};
inline constexpr Argument kThread{{"thread", Kind::text}, "Id of the thread, as messages have it"};
inline constexpr Argument kTo{{"to", Kind::text}, "Agent that it is for"};

inline constexpr std::array kSpawn = std::to_array<Argument>(
    {{{"session", Kind::text}, "One more PTY in this session; a new session when left out"},
     kName,
     {{"command", Kind::texts}, "Program and arguments"},
     kShell,
     kFolder,
     {{"env", Kind::texts}, "NAME=value each; the environment of tend mcp when left out"},
     {{"labels", Kind::map}, "Kept with a new session, to find it by"},
     kCols,
     kRows});
inline constexpr std::array kWrite = std::to_array<Argument>(
    {kSession, kPty, kData, kEnter, {{"encoding", Kind::text}, "Of data", "text|base64"}});
inline constexpr std::array kKeys = std::to_array<Argument>(
    {kSession,
     kPty,
     {{"keys", Kind::texts, Need::required},
      "Names of keys: Enter Tab Escape Space Backspace Up Down Left Right Home End PageUp PageDown Insert "
      "Delete F1 to F12, with C- M- S- before them (C-c, M-x); a single character stands for itself"}});
inline constexpr std::array kRead =
    std::to_array<Argument>({kSession, kPty, kSince, kMostBytes, kReadTimeout, kMostChars});
inline constexpr std::array kRun =
    std::to_array<Argument>({kSession,
                             kPty,
                             kCommandLine,
                             kRunTimeout,
                             kSentinel,
                             kInterrupt,
                             {{"raw", Kind::flag}, "Leave escape sequences in the output"},
                             kMostBytes,
                             kMostChars});
inline constexpr std::array kResize = std::to_array<Argument>({kSession, kPty, kNewCols, kNewRows});
inline constexpr std::array kKill = std::to_array<Argument>(
    {kSession,
     {{"pty", Kind::integer, Need::optional, 0, 63}, "Only this PTY; the whole session when left out"},
     kForce});
inline constexpr std::array kList =
    std::to_array<Argument>({kOfSession, kLabel, kOwner, kAgent, kAll, kMostChars});
inline constexpr std::array kScreen = std::to_array<Argument>(
    {kSession,
     kPty,
     {{"format", Kind::text}, "text when left out", "text|ansi|html|svg|json"},
     {{"scrollback", Kind::integer, Need::optional, 0, 10'000}, "Rows above the screen, for text and json"},
     kMostChars});
inline constexpr std::array kWait = std::to_array<Argument>(
    {kSession,
     kPty,
     {{"until", Kind::text, Need::required},
      "waiting: it asks something. ready: it waits for work, as a shell at its prompt. quiet: no output for "
      "quiet_ms. text: a line matches pattern. exited: it has ended",
      "waiting|ready|quiet|text|exited"},
     {{"pattern", Kind::text}, "RE2 syntax, with until text"},
     {{"quiet_ms", Kind::integer, Need::optional, 0, kMostMs}, "1000 when left out"},
     kWaitTimeout});
inline constexpr std::array kPrompts = std::to_array<Argument>({kOfSession, kMostChars});
inline constexpr std::array kAnswer = std::to_array<Argument>(
    {{{"prompt_id", Kind::text, Need::required}, "id of the prompt, from prompt_list"},
     {{"answer", Kind::text}, "The text to answer with; y, yes, n or no for a yes/no question"},
     {{"choice", Kind::integer, Need::optional, 1, 1000}, "Which of the choices, counted from 1"},
     {{"keys", Kind::texts}, "Keys by name instead, as in pty_send_keys"},
     {{"cancel", Kind::flag}, "Nobody is asked any more, and nothing is sent"},
     {{"nonce", Kind::text}, "nonce of the prompt: answers only that very question"}});
inline constexpr std::array kInboxSend =
    std::to_array<Argument>({{{"body", Kind::text, Need::required}, "The message"},
                             kTo,
                             {{"subject", Kind::text}, "What it is about"},
                             kThread,
                             {{"evidence", Kind::texts}, "Ids of evidence, from evidence_capture"}});
inline constexpr std::array kInboxList =
    std::to_array<Argument>({kTo,
                             kThread,
                             {{"state", Kind::text}, "Only messages in this state", "open|claimed|done|dead"},
                             {{"after", Kind::text}, "The next of the result before"},
                             {{"limit", Kind::integer, Need::optional, 1, 1000}, "At most so many"},
                             kMostChars});
inline constexpr std::array kInboxClaim = std::to_array<Argument>(
    {{{"id", Kind::text}, "This message; the oldest that nobody has when left out"}, kTo});
inline constexpr std::array kInboxDone =
    std::to_array<Argument>({{{"id", Kind::text, Need::required}, "The message that was claimed"},
                             {{"result", Kind::text}, "What came of it"}});
inline constexpr std::array kCapture =
    std::to_array<Argument>({kSession, kPty, {{"note", Kind::text}, "What it is to show"}, kThread});
inline constexpr std::array kHelp = std::to_array<Argument>({kTopic});
inline constexpr std::array kByAction = std::to_array<Argument>(
    {{{"action", Kind::text, Need::required},
      "What to do",
      "help|list|spawn|write|read|run|talk|resize|kill|resolve"},
     {{"session_id", Kind::text}, "Name or id of the session"},
     {{"session", Kind::text}, "The same"},
     kPty,
     {{"command", Kind::text}, "For run and talk: what to run"},
     {{"data", Kind::text}, "For write: sent exactly as it is"},
     kEnter,
     {{"timeout_ms", Kind::integer, Need::optional, 0, kMostMs}, "For run, talk and read"},
     kSentinel,
     kInterrupt,
     kSince,
     kMostBytes,
     kShell,
     kFolder,
     kName,
     kCols,
     kRows,
     kForce,
     kLabel,
     kOwner,
     kAgent,
     kAll,
     kTopic,
     kMostChars});

inline constexpr Field kTruncated{"truncated", "boolean", "Whether something was left out"};
inline constexpr Field kOffset{"offset", "integer",
                               "Of the output before it: a since for what it brings about"};
inline constexpr std::array kSpawned = std::to_array<Field>({{"session", "string", "Id of the session"},
                                                             {"name", "string", "Its name"},
                                                             {"pty", "integer", "Number of the new PTY"},
                                                             {"pid", "integer?", "Its process"},
                                                             {"state", "string", "running, exited, dead"}});
inline constexpr std::array kWritten =
    std::to_array<Field>({{"bytes", "integer", "How many were sent"}, kOffset});
inline constexpr std::array kOutput =
    std::to_array<Field>({{"data", "string", "The output"},
                          {"offset", "integer", "Where it begins"},
                          {"next_offset", "integer", "since for the next call"},
                          {"lost_bytes", "integer", "Asked for, and not kept any more"},
                          {"alive", "boolean", "Whether the program still runs"},
                          kTruncated});
inline constexpr std::array kRan =
    std::to_array<Field>({{"output", "string", "What the command printed, and nothing else"},
                          {"exit_code", "integer?", "Its exit status; null in a REPL"},
                          {"duration_ms", "integer", "How long it took"},
                          kTruncated});
inline constexpr std::array kSize =
    std::to_array<Field>({{"cols", "integer", "Now"}, {"rows", "integer", "Now"}});
inline constexpr std::array kKilled =
    std::to_array<Field>({{"survivors", "integer", "Processes that would not go"}});
inline constexpr std::array kPtys = std::to_array<Field>({{"ptys", "array", "One object each"}, kTruncated});
inline constexpr std::array kShown = std::to_array<Field>({{"data", "string", "The screen"},
                                                           {"format", "string", "Of data"},
                                                           {"cols", "integer", "Columns"},
                                                           {"rows", "integer", "Rows"},
                                                           {"cursor", "object", "x and y, from 0"},
                                                           {"title", "string", "Of the window"},
                                                           kTruncated});
inline constexpr std::array kCame = std::to_array<Field>({{"reason", "string", "What came"},
                                                          {"state", "string", "Of the process"},
                                                          {"activity", "string", "What the program is about"},
                                                          {"prompt", "object?", "What it asks"}});
inline constexpr std::array kAsked =
    std::to_array<Field>({{"prompts", "array", "The oldest first"}, kTruncated});
inline constexpr std::array kAnswered =
    std::to_array<Field>({{"prompt_id", "string", "The prompt"},
                          {"state", "string", "answered or cancelled"},
                          {"outcome", "string?",
                           "accepted: the program took it. rejected: it asks the same again. unknown: it was "
                           "sent, and never again"},
                          {"bytes", "integer", "How many were sent"},
                          {"offset", "integer?", "Of the output before it"}});
inline constexpr std::array kSent =
    std::to_array<Field>({{"id", "string", "Of the message"}, {"thread", "string", "Its thread"}});
inline constexpr std::array kMessages =
    std::to_array<Field>({{"messages", "array", "One object each"}, kTruncated});
inline constexpr std::array kClaimed =
    std::to_array<Field>({{"message", "object?", "The message; null: there is none"}});
inline constexpr std::array kDone = std::to_array<Field>({{"message", "object", "The message as it is now"}});
inline constexpr std::array kCaptured = std::to_array<Field>({{"evidence_id", "string", "Of the evidence"}});
inline constexpr std::array kHelpText = std::to_array<Field>({{"help", "string", "Text"}});
inline constexpr std::array kOk = std::to_array<Field>(
    {{"ok", "boolean", "Whether it was done"}, {"action", "string", "What was asked for"}});

}  // namespace mcp::parts
