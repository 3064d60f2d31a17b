// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "mcp/tool.h"
#include "mcp/tool_parts.h"

namespace mcp {
namespace {

constexpr Hints kLooks{.read_only = true, .idempotent = true};
constexpr Hints kTypes{.destructive = true, .open_world = true};

constexpr std::array kTools = std::to_array<Tool>({
    {.name = "pty_spawn",
     .title = "Open a terminal",
     .help = "Starts a program in a new session, or one more PTY in a session that exists. It goes on when "
             "this client is gone.",
     .method = "session.create",
     .takes = parts::kSpawn,
     .gives = parts::kSpawned,
     .hints = {.open_world = true},
     .odd = Odd::spawn},
    {.name = "pty_write",
     .title = "Type text",
     .help = "Sends text to a program as if it were typed. Nothing in it is interpreted; pty_send_keys knows "
             "names of keys. To run a command in a shell and get its output, use pty_run.",
     .method = "pty.write",
     .takes = parts::kWrite,
     .gives = parts::kWritten,
     .hints = kTypes},
    {.name = "pty_send_keys",
     .title = "Press keys",
     .help = "Presses keys by name, as C-c, Enter, Up, F5.",
     .method = "pty.write",
     .takes = parts::kKeys,
     .gives = parts::kWritten,
     .hints = kTypes},
    {.name = "pty_read",
     .title = "Read output",
     .help = "Output as the program wrote it, escape sequences included, from an offset on. pty_screen shows "
             "what a person would see.",
     .method = "pty.read",
     .takes = parts::kRead,
     .gives = parts::kOutput,
     .hints = kLooks,
     .text = "data",
     .waits = true},
    {.name = "pty_run",
     .title = "Run a command in a shell",
     .help =
         "Runs a command in a shell or REPL that waits for one, and gives exactly its output and its exit "
         "status. At the timeout the command goes on, and the error has the output so far.",
     .method = "pty.run",
     .takes = parts::kRun,
     .gives = parts::kRan,
     .hints = kTypes,
     .text = "output",
     .waits = true,
     .odd = Odd::run},
    {.name = "pty_resize",
     .title = "Resize a terminal",
     .help = "Gives a PTY another size.",
     .method = "pty.resize",
     .takes = parts::kResize,
     .gives = parts::kSize,
     .hints = {.idempotent = true}},
    {.name = "pty_kill",
     .title = "End a program",
     .help = "Ends a session, or one PTY of it, and everything that was started in it.",
     .method = "session.kill",
     .takes = parts::kKill,
     .gives = parts::kKilled,
     .hints = {.destructive = true},
     .odd = Odd::kill},
    {.name = "pty_list",
     .title = "List terminals",
     .help = "The PTYs of all sessions, or those that a label, an owner or a program tells apart, with what "
             "each is about: working, waiting (it asks something), ready, exited.",
     .method = "session.list",
     .takes = parts::kList,
     .gives = parts::kPtys,
     .hints = kLooks,
     .list = "ptys",
     .odd = Odd::list},
    {.name = "pty_screen",
     .title = "Look at a screen",
     .help = "What is on the screen now, as a person would see it.",
     .method = "pty.screen",
     .takes = parts::kScreen,
     .gives = parts::kShown,
     .hints = kLooks,
     .text = "data"},
    {.name = "pty_wait",
     .title = "Wait for a program",
     .help = "Waits until a program asks something, is ready, is quiet, prints something or has ended.",
     .method = "pty.wait",
     .takes = parts::kWait,
     .gives = parts::kCame,
     .hints = kLooks,
     .waits = true},
    {.name = "prompt_list",
     .title = "List questions",
     .help = "The questions that programs ask and nobody has answered yet.",
     .method = "prompt.list",
     .takes = parts::kPrompts,
     .gives = parts::kAsked,
     .hints = kLooks,
     .list = "prompts"},
    {.name = "prompt_answer",
     .title = "Answer a question",
     .help = "Answers a question once, with the keys that this kind of question takes; refused if it is not "
             "asked any more.",
     .method = "prompt.answer",
     .takes = parts::kAnswer,
     .gives = parts::kAnswered,
     .hints = kTypes},
    {.name = "inbox_send",
     .title = "Send a message",
     .help = "Puts a message for another agent into the inbox.",
     .method = "inbox.send",
     .takes = parts::kInboxSend,
     .gives = parts::kSent},
    {.name = "inbox_list",
     .title = "List messages",
     .help = "The messages in the inbox.",
     .method = "inbox.list",
     .takes = parts::kInboxList,
     .gives = parts::kMessages,
     .hints = kLooks,
     .list = "messages"},
    {.name = "inbox_claim",
     .title = "Take a message",
     .help = "Takes a message, so that nobody else works on it; it comes back if inbox_done does not follow.",
     .method = "inbox.claim",
     .takes = parts::kInboxClaim,
     .gives = parts::kClaimed},
    {.name = "inbox_done",
     .title = "Finish a message",
     .help = "Says that the work of a claimed message is done.",
     .method = "inbox.done",
     .takes = parts::kInboxDone,
     .gives = parts::kDone},
    {.name = "evidence_capture",
     .title = "Capture evidence",
     .help = "Keeps what a PTY shows and what has changed in its folder, to be attached to a message.",
     .method = "evidence.capture",
     .takes = parts::kCapture,
     .gives = parts::kCaptured},
    {.name = "help",
     .title = "Help",
     .help = "What the tools do and take.",
     .method = "",
     .takes = parts::kHelp,
     .gives = parts::kHelpText,
     .hints = kLooks,
     .text = "help",
     .odd = Odd::help},
    {.name = "k_pty",
     .title = "PTY control by action",
     .help = "One tool for agents that know k_pty: help, list, spawn, write, read, run (or talk), resize, "
             "kill, and resolve (find a PTY by label, owner or agent). The pty_ tools do the same.",
     .method = "",
     .takes = parts::kByAction,
     .gives = parts::kOk,
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
