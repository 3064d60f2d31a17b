// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "mcp/tool.h"

namespace mcp {
namespace {

using wire::Kind;
using wire::Need;

constexpr int64_t kMostMs = int64_t{1000} * 60 * 60 * 24;
constexpr int64_t kMostSize = 65535;

constexpr Argument kSession{{"session", Kind::text, Need::required}, "Name or id of the session"};
constexpr Argument kOfSession{{"session", Kind::text}, "Only of this session: name or id"};
constexpr Argument kPty{{"pty", Kind::integer, Need::optional, 0, 63},
                        "Number of the PTY in its session; 0, the main program, when left out"};
constexpr Argument kMostChars{{"max_chars", Kind::integer, Need::optional, 100, 200'000},
                              "At most so many characters of text, the newest; 12000 when left out"};
constexpr Argument kCols{{"cols", Kind::integer, Need::optional, 1, kMostSize}, "Columns"};
constexpr Argument kRows{{"rows", Kind::integer, Need::optional, 1, kMostSize}, "Rows"};
constexpr Argument kNewCols{{"cols", Kind::integer, Need::required, 1, kMostSize}, "Columns"};
constexpr Argument kNewRows{{"rows", Kind::integer, Need::required, 1, kMostSize}, "Rows"};
constexpr Argument kForce{{"force", Kind::flag}, "SIGKILL at once, without SIGHUP and SIGTERM before it"};
constexpr Argument kSince{{"since", Kind::integer},
                          "Offset to begin at: the next_offset or offset of an earlier result; the newest "
                          "output when left out"};
constexpr Argument kMostBytes{{"max_bytes", Kind::integer, Need::optional, 1, 128 << 10},
                              "At most so many bytes of output"};
constexpr Argument kReadTimeout{{"timeout_ms", Kind::integer, Need::optional, 0, kMostMs},
                                "Wait this long for new output; do not wait when left out"};
constexpr Argument kRunTimeout{{"timeout_ms", Kind::integer, Need::optional, 1, kMostMs},
                               "How long to wait for the end of the command, which goes on after that; 30000 "
                               "when left out"};
constexpr Argument kWaitTimeout{{"timeout_ms", Kind::integer, Need::optional, 0, kMostMs},
                                "Then the result is PTY_TIMEOUT; 30000 when left out"};
constexpr Argument kCommandLine{{"command", Kind::text, Need::required},
                                "What to run, as it would be typed; several lines are fine"};
constexpr Argument kSentinel{
    {"sentinel", Kind::text},
    "A marker of your own, 8 to 64 letters, digits and underscores; one is made when "
    "left out"};
constexpr Argument kInterrupt{
    {"interrupt", Kind::flag},
    "Press Ctrl+C first, if something else is at work there or a line is half typed"};
constexpr Argument kData{{"data", Kind::text, Need::required}, "Sent exactly as it is"};
constexpr Argument kEnter{{"enter", Kind::flag}, "Press Enter behind it"};
constexpr Argument kShell{{"shell", Kind::text}, "A shell, when there is no command; /bin/sh when left out"};
constexpr Argument kFolder{{"cwd", Kind::text}, "Working directory"};
constexpr Argument kName{{"name", Kind::text}, "Name for a new session; made of the folder's when left out"};
constexpr Argument kAll{{"all", Kind::flag}, "With those that have ended"};
constexpr Argument kLabel{{"label", Kind::text}, "Only of sessions with this label: NAME, or NAME=VALUE"};
constexpr Argument kOwner{{"owner", Kind::text}, "Only of sessions that this agent has started"};
constexpr Argument kAgent{{"agent", Kind::text}, "Only PTYs that run this program, as claude or bash"};
constexpr Argument kTopic{{"topic", Kind::text}, "Name of a tool; all of them when left out"};
constexpr Argument kThread{{"thread", Kind::text}, "Id of the thread, as messages have it"};
constexpr Argument kTo{{"to", Kind::text}, "Agent that it is for"};

constexpr std::array kSpawn = std::to_array<Argument>(
    {{{"session", Kind::text}, "One more PTY in this session; a new session when left out"},
     kName,
     {{"command", Kind::texts}, "Program and arguments"},
     kShell,
     kFolder,
     {{"env", Kind::texts}, "NAME=value each; the environment of tend mcp when left out"},
     {{"labels", Kind::map}, "Kept with a new session, to find it by"},
     kCols,
     kRows});
constexpr std::array kWrite = std::to_array<Argument>(
    {kSession, kPty, kData, kEnter, {{"encoding", Kind::text}, "Of data", "text|base64"}});
constexpr std::array kKeys = std::to_array<Argument>(
    {kSession,
     kPty,
     {{"keys", Kind::texts, Need::required},
      "Names of keys: Enter Tab Escape Space Backspace Up Down Left Right Home End PageUp PageDown Insert "
      "Delete F1 to F12, with C- M- S- before them (C-c, M-x); a single character stands for itself"}});
constexpr std::array kRead =
    std::to_array<Argument>({kSession, kPty, kSince, kMostBytes, kReadTimeout, kMostChars});
constexpr std::array kRun =
    std::to_array<Argument>({kSession,
                             kPty,
                             kCommandLine,
                             kRunTimeout,
                             kSentinel,
                             kInterrupt,
                             {{"raw", Kind::flag}, "Leave escape sequences in the output"},
                             kMostBytes,
                             kMostChars});
constexpr std::array kResize = std::to_array<Argument>({kSession, kPty, kNewCols, kNewRows});
constexpr std::array kKill = std::to_array<Argument>(
    {kSession,
     {{"pty", Kind::integer, Need::optional, 0, 63}, "Only this PTY; the whole session when left out"},
     kForce});
constexpr std::array kList = std::to_array<Argument>({kOfSession, kLabel, kOwner, kAgent, kAll, kMostChars});
constexpr std::array kScreen = std::to_array<Argument>(
    {kSession,
     kPty,
     {{"format", Kind::text}, "text when left out", "text|ansi|html|svg|json"},
     {{"scrollback", Kind::integer, Need::optional, 0, 10'000}, "Rows above the screen, for text and json"},
     kMostChars});
constexpr std::array kWait = std::to_array<Argument>(
    {kSession,
     kPty,
     {{"until", Kind::text, Need::required},
      "waiting: it asks something. ready: it waits for work, as a shell at its prompt. quiet: no output for "
      "quiet_ms. text: a line matches pattern. exited: it has ended",
      "waiting|ready|quiet|text|exited"},
     {{"pattern", Kind::text}, "RE2 syntax, with until text"},
     {{"quiet_ms", Kind::integer, Need::optional, 0, kMostMs}, "1000 when left out"},
     kWaitTimeout});
constexpr std::array kPrompts = std::to_array<Argument>({kOfSession, kMostChars});
constexpr std::array kAnswer = std::to_array<Argument>(
    {{{"prompt_id", Kind::text, Need::required}, "id of the prompt, from prompt_list"},
     {{"answer", Kind::text}, "The text to answer with; y, yes, n or no for a yes/no question"},
     {{"choice", Kind::integer, Need::optional, 1, 1000}, "Which of the choices, counted from 1"},
     {{"keys", Kind::texts}, "Keys by name instead, as in pty_send_keys"}});
constexpr std::array kInboxSend =
    std::to_array<Argument>({{{"body", Kind::text, Need::required}, "The message"},
                             kTo,
                             {{"subject", Kind::text}, "What it is about"},
                             kThread,
                             {{"evidence", Kind::texts}, "Ids of evidence, from evidence_capture"}});
constexpr std::array kInboxList =
    std::to_array<Argument>({kTo,
                             kThread,
                             {{"state", Kind::text}, "Only messages in this state", "open|claimed|done|dead"},
                             {{"after", Kind::text}, "The next of the result before"},
                             {{"limit", Kind::integer, Need::optional, 1, 1000}, "At most so many"},
                             kMostChars});
constexpr std::array kInboxClaim = std::to_array<Argument>(
    {{{"id", Kind::text}, "This message; the oldest that nobody has when left out"}, kTo});
constexpr std::array kInboxDone =
    std::to_array<Argument>({{{"id", Kind::text, Need::required}, "The message that was claimed"},
                             {{"result", Kind::text}, "What came of it"}});
constexpr std::array kCapture =
    std::to_array<Argument>({kSession, kPty, {{"note", Kind::text}, "What it is to show"}, kThread});
constexpr std::array kHelp = std::to_array<Argument>({kTopic});
constexpr std::array kByAction = std::to_array<Argument>(
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

constexpr Field kTruncated{"truncated", "boolean", "Whether something was left out"};
constexpr Field kOffset{"offset", "integer", "Of the output before it: a since for what it brings about"};
constexpr std::array kSpawned = std::to_array<Field>({{"session", "string", "Id of the session"},
                                                      {"name", "string", "Its name"},
                                                      {"pty", "integer", "Number of the new PTY"},
                                                      {"pid", "integer?", "Its process"},
                                                      {"state", "string", "running, exited, dead"}});
constexpr std::array kWritten = std::to_array<Field>({{"bytes", "integer", "How many were sent"}, kOffset});
constexpr std::array kOutput =
    std::to_array<Field>({{"data", "string", "The output"},
                          {"offset", "integer", "Where it begins"},
                          {"next_offset", "integer", "since for the next call"},
                          {"lost_bytes", "integer", "Asked for, and not kept any more"},
                          {"alive", "boolean", "Whether the program still runs"},
                          kTruncated});
constexpr std::array kRan =
    std::to_array<Field>({{"output", "string", "What the command printed, and nothing else"},
                          {"exit_code", "integer?", "Its exit status; null in a REPL"},
                          {"duration_ms", "integer", "How long it took"},
                          kTruncated});
constexpr std::array kSize = std::to_array<Field>({{"cols", "integer", "Now"}, {"rows", "integer", "Now"}});
constexpr std::array kKilled =
    std::to_array<Field>({{"survivors", "integer", "Processes that would not go"}});
constexpr std::array kPtys = std::to_array<Field>({{"ptys", "array", "One object each"}, kTruncated});
constexpr std::array kShown = std::to_array<Field>({{"data", "string", "The screen"},
                                                    {"format", "string", "Of data"},
                                                    {"cols", "integer", "Columns"},
                                                    {"rows", "integer", "Rows"},
                                                    {"cursor", "object", "x and y, from 0"},
                                                    {"title", "string", "Of the window"},
                                                    kTruncated});
constexpr std::array kCame = std::to_array<Field>({{"reason", "string", "What came"},
                                                   {"state", "string", "Of the process"},
                                                   {"activity", "string", "What the program is about"},
                                                   {"prompt", "object?", "What it asks"}});
constexpr std::array kAsked = std::to_array<Field>({{"prompts", "array", "The oldest first"}, kTruncated});
constexpr std::array kAnswered = std::to_array<Field>(
    {{"prompt_id", "string", "The prompt"}, {"bytes", "integer", "How many were sent"}, kOffset});
constexpr std::array kSent =
    std::to_array<Field>({{"id", "string", "Of the message"}, {"thread", "string", "Its thread"}});
constexpr std::array kMessages = std::to_array<Field>({{"messages", "array", "One object each"}, kTruncated});
constexpr std::array kClaimed =
    std::to_array<Field>({{"message", "object?", "The message; null: there is none"}});
constexpr std::array kDone = std::to_array<Field>({{"message", "object", "The message as it is now"}});
constexpr std::array kCaptured = std::to_array<Field>({{"evidence_id", "string", "Of the evidence"}});
constexpr std::array kHelpText = std::to_array<Field>({{"help", "string", "Text"}});
constexpr std::array kOk = std::to_array<Field>(
    {{"ok", "boolean", "Whether it was done"}, {"action", "string", "What was asked for"}});

constexpr Hints kLooks{.read_only = true, .idempotent = true};
constexpr Hints kTypes{.destructive = true, .open_world = true};

constexpr std::array kTools = std::to_array<Tool>({
    {.name = "pty_spawn",
     .title = "Open a terminal",
     .help = "Starts a program in a new session, or one more PTY in a session that exists. It goes on when "
             "this client is gone.",
     .method = "session.create",
     .takes = kSpawn,
     .gives = kSpawned,
     .hints = {.open_world = true},
     .odd = Odd::spawn},
    {.name = "pty_write",
     .title = "Type text",
     .help = "Sends text to a program as if it were typed. Nothing in it is interpreted; pty_send_keys knows "
             "names of keys. To run a command in a shell and get its output, use pty_run.",
     .method = "pty.write",
     .takes = kWrite,
     .gives = kWritten,
     .hints = kTypes},
    {.name = "pty_send_keys",
     .title = "Press keys",
     .help = "Presses keys by name, as C-c, Enter, Up, F5.",
     .method = "pty.write",
     .takes = kKeys,
     .gives = kWritten,
     .hints = kTypes},
    {.name = "pty_read",
     .title = "Read output",
     .help = "Output as the program wrote it, escape sequences included, from an offset on. pty_screen shows "
             "what a person would see.",
     .method = "pty.read",
     .takes = kRead,
     .gives = kOutput,
     .hints = kLooks,
     .text = "data",
     .waits = true},
    {.name = "pty_run",
     .title = "Run a command in a shell",
     .help =
         "Runs a command in a shell or REPL that waits for one, and gives exactly its output and its exit "
         "status. At the timeout the command goes on, and the error has the output so far.",
     .method = "pty.run",
     .takes = kRun,
     .gives = kRan,
     .hints = kTypes,
     .text = "output",
     .waits = true,
     .odd = Odd::run},
    {.name = "pty_resize",
     .title = "Resize a terminal",
     .help = "Gives a PTY another size.",
     .method = "pty.resize",
     .takes = kResize,
     .gives = kSize,
     .hints = {.idempotent = true}},
    {.name = "pty_kill",
     .title = "End a program",
     .help = "Ends a session, or one PTY of it, and everything that was started in it.",
     .method = "session.kill",
     .takes = kKill,
     .gives = kKilled,
     .hints = {.destructive = true},
     .odd = Odd::kill},
    {.name = "pty_list",
     .title = "List terminals",
     .help = "The PTYs of all sessions, or those that a label, an owner or a program tells apart, with what "
             "each is about: working, waiting (it asks something), ready, exited.",
     .method = "session.list",
     .takes = kList,
     .gives = kPtys,
     .hints = kLooks,
     .list = "ptys",
     .odd = Odd::list},
    {.name = "pty_screen",
     .title = "Look at a screen",
     .help = "What is on the screen now, as a person would see it.",
     .method = "pty.screen",
     .takes = kScreen,
     .gives = kShown,
     .hints = kLooks,
     .text = "data"},
    {.name = "pty_wait",
     .title = "Wait for a program",
     .help = "Waits until a program asks something, is ready, is quiet, prints something or has ended.",
     .method = "pty.wait",
     .takes = kWait,
     .gives = kCame,
     .hints = kLooks,
     .waits = true},
    {.name = "prompt_list",
     .title = "List questions",
     .help = "The questions that programs ask and nobody has answered yet.",
     .method = "prompt.list",
     .takes = kPrompts,
     .gives = kAsked,
     .hints = kLooks,
     .list = "prompts"},
    {.name = "prompt_answer",
     .title = "Answer a question",
     .help = "Answers a question once, with the keys that this kind of question takes; refused if it is not "
             "asked any more.",
     .method = "prompt.answer",
     .takes = kAnswer,
     .gives = kAnswered,
     .hints = kTypes},
    {.name = "inbox_send",
     .title = "Send a message",
     .help = "Puts a message for another agent into the inbox.",
     .method = "inbox.send",
     .takes = kInboxSend,
     .gives = kSent},
    {.name = "inbox_list",
     .title = "List messages",
     .help = "The messages in the inbox.",
     .method = "inbox.list",
     .takes = kInboxList,
     .gives = kMessages,
     .hints = kLooks,
     .list = "messages"},
    {.name = "inbox_claim",
     .title = "Take a message",
     .help = "Takes a message, so that nobody else works on it; it comes back if inbox_done does not follow.",
     .method = "inbox.claim",
     .takes = kInboxClaim,
     .gives = kClaimed},
    {.name = "inbox_done",
     .title = "Finish a message",
     .help = "Says that the work of a claimed message is done.",
     .method = "inbox.done",
     .takes = kInboxDone,
     .gives = kDone},
    {.name = "evidence_capture",
     .title = "Capture evidence",
     .help = "Keeps what a PTY shows and what has changed in its folder, to be attached to a message.",
     .method = "evidence.capture",
     .takes = kCapture,
     .gives = kCaptured},
    {.name = "help",
     .title = "Help",
     .help = "What the tools do and take.",
     .method = "",
     .takes = kHelp,
     .gives = kHelpText,
     .hints = kLooks,
     .text = "help",
     .odd = Odd::help},
    {.name = "k_pty",
     .title = "PTY control by action",
     .help = "One tool for agents that know k_pty: help, list, spawn, write, read, run (or talk), resize, "
             "kill, and resolve (find a PTY by label, owner or agent). The pty_ tools do the same.",
     .method = "",
     .takes = kByAction,
     .gives = kOk,
     .hints = kTypes,
     .odd = Odd::by_action},
});

constexpr std::array kActions = std::to_array<Action>({{"help", "help"},
                                                       {"list", "pty_list"},
                                                       {"spawn", "pty_spawn"},
                                                       {"write", "pty_write"},
                                                       {"read", "pty_read"},
                                                       {"run", "pty_run"},
                                                       {"talk", "pty_run"},
                                                       {"resize", "pty_resize"},
                                                       {"kill", "pty_kill"},
                                                       {"resolve", "pty_list"}});

}  // namespace

std::span<const Tool> tools() { return kTools; }

const Tool* find_tool(std::string_view name) {
  const auto* found =
      std::find_if(kTools.begin(), kTools.end(), [&](const Tool& each) { return each.name == name; });
  return found != kTools.end() ? found : nullptr;
}

std::span<const Action> actions() { return kActions; }

}  // namespace mcp
