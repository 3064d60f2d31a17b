// SPDX-License-Identifier: Apache-2.0
// The commands that start, list and end sessions, and their options.
#include <utility>

#include "cli/answer.h"
#include "cli/app.h"
#include "cli/attach.h"
#include "cli/kill.h"
#include "cli/list.h"
#include "cli/prompts.h"
#include "cli/run.h"

namespace cli {

void add_run(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("run", "Run a program in a session of its own");
  auto options = std::make_shared<RunOptions>();
  command->add_option("-n,--name", options->name, "The session's name; else the folder's")->type_name("NAME");
  command->add_option("--cwd", options->cwd, "Start in this folder")->type_name("DIR");
  command->add_option("--size", options->size, "A fixed size instead of the window's")
      ->type_name("COLSxROWS");
  command->add_option("command", options->command, "The program and its arguments, behind --")
      ->type_name("CMD")
      ->required();
  command->add_flag("-d,--detached", options->detached, "Stay in the background; print the session's name");
  command->add_flag("--restart", options->restart, "Start the program again whenever it ends");
  command->add_flag("--sandbox", options->sandbox,
                    "Where it can harm nothing but its folder (docs/sandbox.md)");
  command->add_option("--label", options->labels, "A label of the session; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "With -d: the session as JSON");
  command->positionals_at_end();
  command->callback([options, &program] {
    for (std::string& each : options->command) each = as_typed(std::move(each));
    program.code = run(*options, program.global);
  });
}

void add_attach(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("attach", "Come back to a session; Ctrl+] leaves it again");
  auto options = std::make_shared<AttachCommand>();
  command->add_option("session", options->target, "Which; the only one, if there is one")
      ->type_name("SESSION[:N]");
  command->add_flag("--observe", options->observe, "Only look: keys and size of this terminal count nowhere");
  command->add_flag("--takeover", options->takeover, "Detach the other terminals that may type");
  command
      ->add_option("--scrollback", options->scrollback,
                   "So many rows from above the screen first, to scroll back to")
      ->type_name("ROWS|all");
  command->callback([options, &program] { program.code = attach(*options, program.global); });
}

void add_shell(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("shell", "One more terminal in a session");
  auto options = std::make_shared<ShellOptions>();
  command->add_option("session", options->session, "Which; the only one, if there is one")
      ->type_name("SESSION");
  command->add_option("command", options->command, "Behind --: what to start instead of your shell")
      ->type_name("CMD");
  command->add_flag("-d,--detached", options->detached, "Stay in the background; print SESSION:N");
  command->add_flag("--json", options->json, "With -d: the PTY as JSON");
  command->callback([options, &program] {
    for (std::string& each : options->command) each = as_typed(std::move(each));
    // Without a session, the first word of the command has been taken for one.
    if (!options->session.empty() && program.behind_dashes > options->command.size())
      options->command.insert(options->command.begin(), as_typed(std::exchange(options->session, {})));
    program.code = shell(*options, program.global);
  });
}

void add_ls(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("ls", "List the sessions");
  auto options = std::make_shared<ListOptions>();
  command->add_flag("--explain", options->explain, "How the state of each is known");
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options, &program] { program.code = list_sessions(*options); });
}

void add_status(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("status", "How the daemon, the sessions and their PTYs are");
  auto options = std::make_shared<StatusOptions>();
  command->add_option("session", options->session, "Everything of this one only")->type_name("SESSION");
  command->add_flag("--explain", options->explain, "How the state of each program is known");
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options, &program] { program.code = status(*options); });
}

void add_prompts(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("prompts", "List what waits for a person");
  auto options = std::make_shared<PromptsOptions>();
  command->add_option("session", options->session, "Of this one only")->type_name("SESSION[:N]");
  command->add_flag("--all", options->all, "Also those that have ended, and what became of them");
  command->add_flag("--explain", options->explain, "How each is known");
  command->add_flag("--json", options->json,
                    "With choices, what to send for each, and the evidence, as JSON");
  auto* one = command->add_subcommand("explain", "How one is known, which rule decided, what became of it");
  auto which = std::make_shared<ExplainOptions>();
  one->add_option("prompt", which->prompt, "Which")->type_name("PROMPT_ID")->required();
  one->add_flag("--json", which->json, "As JSON");
  one->callback([which, &program] { program.code = explain_prompt(*which); });
  command->callback([options, command, &program] {
    if (command->get_subcommands().empty()) program.code = prompts(*options);
  });
}

void add_answer(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("answer", "Answer a prompt, once, and say what came of it");
  auto options = std::make_shared<AnswerOptions>();
  command->add_option("prompt", options->prompt, "Which; tend prompts lists them")
      ->type_name("PROMPT_ID")
      ->required();
  command
      ->add_option("value", options->value,
                   "A line of text; yes or no; the key or label of a choice; -: a line of standard input")
      ->type_name("VALUE");
  command->add_option("--choice", options->choice, "Which of the choices, counted from 1")->type_name("N");
  command->add_option("--keys", options->keys, "These keys instead: y, Enter, Down, C-c …")->type_name("KEY");
  command->add_flag("--enter", options->enter, "Enter alone, which takes the default");
  command->add_flag("--cancel", options->cancel, "Nobody is asked any more, and nothing is sent");
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options, &program] { program.code = answer(*options); });
}

void add_kill(CLI::App& app, Program& program) {
  auto* command =
      app.add_subcommand("kill", "End sessions, or single PTYs, with everything that runs in them");
  auto options = std::make_shared<KillOptions>();
  command->add_option("session", options->targets, "Which")->type_name("SESSION[:N]");
  command->add_flag("--all", options->all, "Every session");
  command->add_flag("--force", options->force, "Without asking the programs first");
  command->add_flag("--json", options->json, "As JSON: what survived, what failed");
  command->callback([options, &program] { program.code = kill(*options); });
}

void add_restart(CLI::App& app, Program& program) {
  auto* command =
      app.add_subcommand("restart", "End a program and start it again, with the same command and clients");
  auto options = std::make_shared<RestartOptions>();
  command->add_option("session", options->target, "Which")->type_name("SESSION[:N]")->required();
  command->add_flag("--json", options->json, "The session as JSON");
  command->callback([options, &program] { program.code = restart(*options); });
}

}  // namespace cli
