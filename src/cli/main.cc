// SPDX-License-Identifier: Apache-2.0
// The program `tend`: finds the command, hands it its options, passes its exit code on.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>

#include "base/strings.h"
#include "cli/attach.h"
#include "cli/config_command.h"
#include "cli/daemon_command.h"
#include "cli/report.h"
#include "cli/run.h"

namespace {

void add_global_options(CLI::App& app, cli::GlobalOptions& global) {
  app.add_option("--config", global.config_file, "One more configuration file")->type_name("FILE");
  // One value each, or the command behind it would be taken for a second.
  app.add_option("--set", global.assignments, "A setting, as web.port=9000; may be repeated")
      ->type_name("SECTION.KEY=VALUE")
      ->allow_extra_args(false);
}

void add_run(CLI::App& app, const cli::GlobalOptions& global, int& code) {
  auto* command = app.add_subcommand("run", "Run a program in a session of its own");
  auto options = std::make_shared<cli::RunOptions>();
  command->add_option("-n,--name", options->name, "The session's name; else the folder's")->type_name("NAME");
  command->add_option("--cwd", options->cwd, "Start in this folder")->type_name("DIR");
  command->add_option("--size", options->size, "A fixed size instead of the window's")
      ->type_name("COLSxROWS");
  command->add_option("command", options->command, "The program and its arguments, behind --")
      ->type_name("CMD...")
      ->required();
  command->add_flag("-d,--detached", options->detached, "Stay in the background; print the session's name");
  command->add_flag("--restart", options->restart, "Start the program again whenever it ends");
  command->add_option("--label", options->labels, "A label of the session; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "With -d: the session as JSON");
  command->positionals_at_end();
  command->callback([options, &global, &code] { code = cli::run(*options, global); });
}

void add_attach(CLI::App& app, const cli::GlobalOptions& global, int& code) {
  auto* command = app.add_subcommand("attach", "Come back to a session");
  auto options = std::make_shared<cli::AttachCommand>();
  command->add_option("session", options->target, "Which; the only one, if there is one")->type_name("SESSION[:N]");
  command->add_flag("--observe", options->observe, "Only look: keys and size of this terminal count nowhere");
  command->add_flag("--takeover", options->takeover, "Detach the other terminals that may type");
  command->callback([options, &global, &code] { code = cli::attach(*options, global); });
}

void add_shell(CLI::App& app, const cli::GlobalOptions& global, int& code) {
  auto* command = app.add_subcommand("shell", "One more terminal in a session");
  auto options = std::make_shared<cli::ShellOptions>();
  command->add_option("session", options->session, "Which; the only one, if there is one")->type_name("SESSION");
  command->add_flag("-d,--detached", options->detached, "Stay in the background; print SESSION:N");
  command->add_flag("--json", options->json, "With -d: the PTY as JSON");
  command->prefix_command();
  command->callback([command, options, &global, &code] {
    options->command = command->remaining();
    if (!options->command.empty() && options->command[0] == "--") options->command.erase(options->command.begin());
    code = cli::shell(*options, global);
  });
}

void add_daemon(CLI::App& app, int& code) {
  auto* command = app.add_subcommand("daemon", "The process behind all sessions; it starts and ends by itself");
  command->require_subcommand(1);

  auto* run = command->add_subcommand("run", "Run it here, in the foreground");
  auto how = std::make_shared<cli::DaemonRunOptions>();
  run->add_option("--ready-fd", how->ready_fd)->group("");
  run->add_option("--idle-seconds", how->idle_seconds)->group("");
  run->callback([how, &code] { code = cli::run_daemon(*how); });

  auto* stop = command->add_subcommand("stop", "Stop it; sessions go on, and the next command finds them again");
  auto options = std::make_shared<cli::DaemonStopOptions>();
  stop->add_flag("--kill", options->kill, "End all sessions too");
  stop->callback([options, &code] { code = cli::stop_daemon(*options); });

  auto* status = command->add_subcommand("status", "How it is");
  auto shown = std::make_shared<cli::DaemonStatusOptions>();
  status->add_flag("--json", shown->json, "As JSON");
  status->callback([shown, &code] { code = cli::daemon_status(*shown); });
}

void add_config(CLI::App& app, const cli::GlobalOptions& global, int& code) {
  auto* command = app.add_subcommand("config", "Look at the configuration")->fallthrough();
  command->require_subcommand(1);

  auto* show =
      command->add_subcommand("show", "Print all settings, and where each comes from")->fallthrough();
  auto options = std::make_shared<cli::ConfigShowOptions>();
  show->add_flag("--json", options->json, "As JSON");
  show->add_flag("--secrets", options->secrets, "With secrets, which are masked otherwise");
  show->callback([options, &global, &code] { code = cli::show_config(*options, global); });

  auto* validate =
      command->add_subcommand("validate", "Print everything that is wrong with it")->fallthrough();
  auto checks = std::make_shared<cli::ConfigValidateOptions>();
  validate->add_flag("--json", checks->json, "As JSON");
  validate->add_option("file", checks->file, "Only this file")->type_name("FILE");
  validate->callback([checks, &global, &code] { code = cli::validate_config(*checks, global); });
}

int fail_usage(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* asked = &app;
  std::string name = "tend";
  while (!asked->get_subcommands().empty()) {
    asked = asked->get_subcommands().back();
    name += " " + asked->get_name();
  }
  // A command that lets options fall through to `tend` passes on what it does not know.
  const std::vector<std::string> rest = asked->remaining().empty() ? app.remaining() : asked->remaining();
  if (asked->get_require_subcommand_min() > 0 && !rest.empty() && !rest[0].starts_with('-')) {
    const std::string command = asked == &app ? rest[0] : asked->get_name() + " " + rest[0];
    std::cerr << "tend: there is no command '" << base::printable(command) << "'; try '" << name
              << " --help'\n";
  } else {
    std::cerr << "tend: " << error.what() << "; try '" << name << " --help'\n";
  }
  return cli::kBadUsage;
}

int dispatch(int argc, char** argv) {
  CLI::App app("Keeps interactive programs running in terminals that a person can leave.", "tend");
  app.set_version_flag("--version", "tend " TEND_VERSION);
  app.require_subcommand(1);
  int code = cli::kDone;
  cli::GlobalOptions global;
  add_global_options(app, global);
  add_run(app, global, code);
  add_attach(app, global, code);
  add_shell(app, global, code);
  add_daemon(app, code);
  add_config(app, global, code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    return app.exit(asked_for_help);
  } catch (const CLI::ParseError& error) {
    return fail_usage(app, error);
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return dispatch(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tend: %s\n", error.what());
    return cli::kFailed;
  }
}
