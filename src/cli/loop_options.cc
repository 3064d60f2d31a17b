// SPDX-License-Identifier: Apache-2.0
// tend loop, its options and its commands.
#include <utility>

#include "cli/app.h"
#include "cli/loop_command.h"

namespace cli {
namespace {

constexpr const char* kDetachKey = "Leave the loop with this key, as ctrl-]; none if not given";

void add_mode_options(CLI::App& command, LoopOptions& options) {
  command.add_flag("--pty", options.mode.pty, "Run the agent in a terminal, with your keys");
  command.add_flag("--observe", options.mode.observe, "Run it in a terminal, and only look");
  command.add_flag("--no-pty", options.mode.no_pty, "Run it without a terminal, whatever the settings say");
  command
      .add_option("--idle-timeout", options.idle_timeout,
                  "End it after so long without output or keys; 0: never")
      ->type_name("SECONDS");
}

void add_prompt_options(CLI::App& command, LoopOptions& options) {
  command.add_option("-p,--prompt", options.prompt, "What the agent is told")->type_name("PROMPT");
  command.add_option("-P,--prompt-file", options.prompt_file, "What is in this file; PROMPT.md if not given")
      ->type_name("FILE");
  command.add_option("--max-iterations", options.max_iterations, "At most so many; 100 if not given")
      ->type_name("N");
  command
      .add_option("--completion-promise", options.completion_promise,
                  "What it prints when all is done; LOOP_COMPLETE if not given")
      ->type_name("TEXT");
  command.add_option("--backend", options.backend, "Which agent")
      ->type_name("claude|codex|gemini|kiro|amp|copilot|opencode|custom");
}

void add_loop_ls(CLI::App& loop, Program& program) {
  auto* command = loop.add_subcommand("ls", "List the loops, newest first");
  auto options = std::make_shared<LoopListOptions>();
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options, &program] { program.code = list_loops(*options); });
}

void add_loop_attach(CLI::App& loop, Program& program) {
  auto* command = loop.add_subcommand("attach", "Come back to a loop, to its end");
  auto options = std::make_shared<LoopAttachOptions>();
  command->add_option("name", options->name, "Which; the only one that runs, if there is one")
      ->type_name("SESSION");
  command->add_flag("--observe", options->observe, "Only look: no key reaches the agent");
  command->add_option("--detach-key", options->detach_key, kDetachKey)->type_name("KEY");
  command->callback([options, &program] { program.code = attach_loop(*options, program.global); });
}

void add_loop_stop(CLI::App& loop, Program& program) {
  auto* command = loop.add_subcommand("stop", "End a loop with its agent, and say how it ended");
  auto options = std::make_shared<LoopStopOptions>();
  command->add_option("name", options->name, "Which")->type_name("SESSION")->required();
  command->add_flag("--force", options->force, "Without asking the agent first");
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options, &program] { program.code = stop_loop(*options); });
}

void add_loop_events(CLI::App& loop, Program& program) {
  auto* command = loop.add_subcommand("events", "What the agent said in <event> tags");
  auto options = std::make_shared<LoopEventsOptions>();
  command->add_option("name", options->name, "Which loop; of several with this name the newest")
      ->type_name("SESSION")
      ->required();
  command->add_flag("--all", options->all, "Everything that happened in the loop");
  command->add_flag("-f,--follow", options->follow, "Go on until it ends");
  command->add_flag("--json", options->json, "A line of JSON each");
  command->callback([options, &program] { program.code = loop_events(*options); });
}

void add_loop_runner(CLI::App& loop, Program& program) {
  auto* command = loop.add_subcommand("runner", "")->group("");
  auto folder = std::make_shared<std::string>();
  command->add_option("folder", *folder)->required();
  command->callback([folder, &program] { program.code = run_loop_runner(*folder); });
}

}  // namespace

void add_loop(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("loop", "Start an agent again and again, until it has kept its promise");
  auto options = std::make_shared<LoopOptions>();
  add_mode_options(*command, *options);
  add_prompt_options(*command, *options);
  command->add_flag("--dry-run", options->dry_run, "Print what would be run, and start nothing");
  command->add_flag("-d,--detach", options->detached, "Stay in the background; print the session's name");
  command->add_option("-n,--name", options->name, "The session's name; else the folder's")->type_name("NAME");
  command->add_option("--detach-key", options->detach_key, kDetachKey)->type_name("KEY");
  command->add_flag("--json", options->json, "With -d: the session as JSON; with --dry-run: the plan");
  command->add_option("extra", options->extra, "More arguments for the agent, behind --")->type_name("EXTRA");
  command->require_subcommand(0, 1);
  add_loop_ls(*command, program);
  add_loop_attach(*command, program);
  add_loop_stop(*command, program);
  add_loop_events(*command, program);
  add_loop_runner(*command, program);
  command->footer(
      "The keys: Ctrl+C twice within a second ends the loop, Ctrl+\\ at once; all else is the agent's.");
  command->callback([command, options, &program] {
    if (!command->get_subcommands().empty()) return;
    if (options->extra.size() > program.behind_dashes) throw CLI::ExtrasError({options->extra.front()});
    for (std::string& each : options->extra) each = as_typed(std::move(each));
    program.code = run_loop(*options, program.global);
  });
}

}  // namespace cli
