// SPDX-License-Identifier: Apache-2.0
// The commands around the sessions (audit, events, configuration, daemon, doctor, mcp, completions), and
// their options.
#include "cli/app.h"
#include "cli/audit_command.h"
#include "cli/completions.h"
#include "cli/config_command.h"
#include "cli/daemon_command.h"
#include "cli/doctor.h"
#include "cli/events_command.h"
#include "cli/list.h"
#include "cli/mcp_command.h"
#include "cli/serve.h"

namespace cli {

void add_audit(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("audit", "Who did what to which terminal");
  command->require_subcommand(1);

  auto* show = command->add_subcommand("show", "Print the newest rows");
  auto options = std::make_shared<AuditShowOptions>();
  show->add_option("--session", options->session, "Of this session only")->type_name("SESSION");
  show->add_option("--action", options->action, "Of this action only: spawn, write, kill, attach, ...")
      ->type_name("ACTION");
  show->add_option("--agent", options->agent, "Of this agent only")->type_name("AGENT");
  show->add_option("-n,--rows", options->rows, "How many; 20 if not given")->type_name("ROWS");
  show->add_flag("--json", options->json, "As JSON");
  show->callback([options, &program] { program.code = show_audit(*options); });

  auto* verify = command->add_subcommand("verify", "Check that no row was changed, added or taken away");
  auto checks = std::make_shared<AuditVerifyOptions>();
  verify->add_option("--anchor", checks->anchor, "This row must be as 'tend audit head' printed it once")
      ->type_name("SEQ:HASH");
  verify->add_flag("--json", checks->json, "As JSON");
  verify->callback([checks, &program] { program.code = verify_audit(*checks); });

  auto* exported = command->add_subcommand("export", "Print every row as a line of JSON");
  auto as_always = std::make_shared<bool>();
  exported->add_flag("--json", *as_always, "As JSON lines, as always");
  exported->callback([as_always, &program] { program.code = export_audit(); });

  auto* head =
      command->add_subcommand("head", "Print SEQ:HASH of the last row, to be kept outside of this machine");
  auto shown = std::make_shared<AuditHeadOptions>();
  head->add_flag("--json", shown->json, "With time, signature and public key, as JSON");
  head->callback([shown, &program] { program.code = audit_head(*shown); });
}

void add_events(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("events", "What happened to the sessions");
  auto options = std::make_shared<EventsOptions>();
  command->add_flag("-f,--follow", options->follow, "Print what happens from now on");
  command->add_option("--after", options->after, "Begin behind this event")->type_name("NUMBER");
  command->add_flag("--json", options->json, "A line of JSON each");
  command->callback([options, &program] { program.code = events(*options); });
}

void add_config(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("config", "Look at the configuration")->fallthrough();
  command->require_subcommand(1);

  auto* show =
      command->add_subcommand("show", "Print all settings, and where each comes from")->fallthrough();
  auto options = std::make_shared<ConfigShowOptions>();
  show->add_flag("--json", options->json, "As JSON");
  show->add_flag("--secrets", options->secrets, "With secrets, which are masked otherwise");
  show->callback([options, &program] { program.code = show_config(*options, program.global); });

  auto* validate =
      command->add_subcommand("validate", "Print everything that is wrong with it")->fallthrough();
  auto checks = std::make_shared<ConfigValidateOptions>();
  validate->add_flag("--json", checks->json, "As JSON");
  validate->add_option("file", checks->file, "Only this file")->type_name("FILE");
  validate->callback([checks, &program] { program.code = validate_config(*checks, program.global); });
}

void add_daemon(CLI::App& app, Program& program) {
  auto* command =
      app.add_subcommand("daemon", "The process behind all sessions; it starts and ends by itself");
  command->require_subcommand(1);

  auto* run = command->add_subcommand("run", "Run it here, in the foreground");
  auto how = std::make_shared<DaemonRunOptions>();
  run->add_option("--ready-fd", how->ready_fd)->group("");
  run->add_option("--idle-seconds", how->idle_seconds)->group("");
  run->callback([how, &program] { program.code = run_daemon(*how); });

  auto* stop =
      command->add_subcommand("stop", "Stop it; sessions go on, and the next command finds them again");
  auto options = std::make_shared<DaemonStopOptions>();
  stop->add_flag("--kill", options->kill, "End all sessions too");
  stop->callback([options, &program] { program.code = stop_daemon(*options); });

  auto* status = command->add_subcommand("status", "How it is");
  auto shown = std::make_shared<DaemonStatusOptions>();
  status->add_flag("--json", shown->json, "As JSON");
  status->callback([shown, &program] { program.code = daemon_status(*shown); });
}

void add_doctor(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("doctor", "Check what tend needs on this machine, and say what to do");
  auto options = std::make_shared<DoctorOptions>();
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options, &program] { program.code = doctor(*options); });
}

void add_serve(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("serve", "Open the door for browsers, and print a link with a token");
  auto options = std::make_shared<ServeOptions>();
  command->add_option("--host", options->host, "Address to listen at; 127.0.0.1 if not given")
      ->type_name("ADDRESS");
  command->add_option("--port", options->port, "Port, 0 for any that is free; 8888 if not given")
      ->type_name("PORT");
  command->add_option("--name", options->names, "A name under which it is reached; may be repeated")
      ->type_name("HOST")
      ->allow_extra_args(false);
  command->add_option("--tls-cert", options->tls_cert, "Certificate (PEM)")->type_name("FILE");
  command->add_option("--tls-key", options->tls_key, "Its key (PEM)")->type_name("FILE");
  command->add_flag("--insecure", options->insecure, "Without TLS, off loopback too");
  command->add_flag("--read-only", options->read_only, "A link for looking only");
  command->add_flag("--tokens", options->tokens, "List who may come in");
  command->add_option("--revoke", options->revoke, "This token is not good any more")->type_name("ID");
  command->add_flag("--stop", options->stop, "Close the door; all links die");
  command->add_flag("--json", options->json, "As JSON");
  command->footer("Off loopback it speaks TLS, with a certificate of its own if none is given.");
  command->callback([options, &program] { program.code = serve(*options, program.global); });
}

void add_mcp(CLI::App& app, Program& program) {
  auto* command =
      app.add_subcommand("mcp", "Tools for agents, over the Model Context Protocol on stdin and stdout");
  command->footer("An agent starts it, as with: claude mcp add tend -- tend mcp");
  command->callback([&program] { program.code = run_mcp(program.global); });
}

void add_completions(CLI::App& app, Program& program) {
  // What the completions call.
  auto* names = app.add_subcommand("__sessions", "")->group("");
  names->callback([&program] { program.code = print_session_names(); });

  auto* command = app.add_subcommand("completions", "Print what makes a shell complete tend's commands");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "Which")->type_name("bash|zsh|fish")->required();
  command->footer("For bash: source <(tend completions bash)");
  command->callback([shell, &app, &program] { program.code = print_completions(*shell, app); });
}

}  // namespace cli
