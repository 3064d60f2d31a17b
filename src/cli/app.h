// SPDX-License-Identifier: Apache-2.0
// The command line of tend as CLI11 has it: every command with its options, and what it calls. main() parses
// with it, the completions of the shells are made of it, and the tests walk over it.
#pragma once
#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/corpus_command.h"
#include "cli/global_options.h"
#include "cli/lab_command.h"
#include "cli/report.h"

namespace cli {

// What `tend lab` does: it is another program that does it.
struct LabCommands {
  std::function<int(const LabListOptions&)> list;
  std::function<int(const LabRunOptions&)> run;
  std::function<int(const CorpusCommand&)> corpus;
  std::function<int(const std::vector<std::string>&)> part;  // of a scenario
};

// What the command line says, and what came of it.
struct Program {
  LabCommands lab = {};
  GlobalOptions global = {};
  size_t behind_dashes = 0;  // how many words stand behind "--"
  int code = kDone;
};

// All commands, or only the one that is named: most of a short command's time would go into making the
// others. The program must live as long as the app.
std::unique_ptr<CLI::App> make_app(Program& program, std::string_view only = {});

// Parses, runs the command, gives the exit code.
int run_app(int argc, char** argv, LabCommands lab);

// A word behind "--", as it was typed. CLI11 takes "[a,b]" for a list of two where there may be several
// words; run_app() marks such words so that it does not, and this takes the mark off.
std::string as_typed(std::string word);

// In the order of the help. Each adds one command.
void add_run(CLI::App& app, Program& program);
void add_attach(CLI::App& app, Program& program);
void add_shell(CLI::App& app, Program& program);
void add_ls(CLI::App& app, Program& program);
void add_status(CLI::App& app, Program& program);
void add_prompts(CLI::App& app, Program& program);
void add_answer(CLI::App& app, Program& program);
void add_kill(CLI::App& app, Program& program);
void add_restart(CLI::App& app, Program& program);
void add_loop(CLI::App& app, Program& program);

void add_screen(CLI::App& app, Program& program);
void add_logs(CLI::App& app, Program& program);
void add_read(CLI::App& app, Program& program);
void add_send(CLI::App& app, Program& program);
void add_exec(CLI::App& app, Program& program);
void add_wait(CLI::App& app, Program& program);
void add_resize(CLI::App& app, Program& program);

void add_audit(CLI::App& app, Program& program);
void add_inbox(CLI::App& app, Program& program);
void add_evidence(CLI::App& app, Program& program);
void add_events(CLI::App& app, Program& program);
void add_channel_commands(CLI::App& app, Program& program);
void add_config(CLI::App& app, Program& program);
void add_daemon(CLI::App& app, Program& program);
void add_doctor(CLI::App& app, Program& program);
void add_lab(CLI::App& app, Program& program);
void add_serve(CLI::App& app, Program& program);
void add_mcp(CLI::App& app, Program& program);
void add_completions(CLI::App& app, Program& program);

}  // namespace cli
