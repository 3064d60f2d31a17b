// SPDX-License-Identifier: Apache-2.0
#include "cli/app.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "base/strings.h"

namespace cli {
namespace {

constexpr char kMark = '\x01';

// CLI11 wants them last first.
std::vector<std::string> marked_words(int argc, char** argv, Program& program) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto dashes = std::find(words.begin(), words.end(), "--");
  for (auto each = dashes; each != words.end(); ++each) {
    if (each->starts_with('[') && each->ends_with(']')) *each += kMark;
  }
  if (dashes != words.end()) program.behind_dashes = static_cast<size_t>(words.end() - dashes) - 1;
  std::reverse(words.begin(), words.end());
  return words;
}

struct Command {
  std::string_view name;
  void (*add)(CLI::App&, Program&);
};

struct Group {
  const char* name;
  std::vector<Command> commands;
};

const std::array<Group, 3>& groups() {
  static const std::array<Group, 3> all = {{
      {"Sessions",
       {{"run", add_run},
        {"attach", add_attach},
        {"shell", add_shell},
        {"ls", add_ls},
        {"status", add_status},
        {"prompts", add_prompts},
        {"answer", add_answer},
        {"kill", add_kill},
        {"restart", add_restart},
        {"loop", add_loop}}},
      {"Terminals",
       {{"screen", add_screen},
        {"logs", add_logs},
        {"read", add_read},
        {"send", add_send},
        {"exec", add_exec},
        {"wait", add_wait},
        {"resize", add_resize}}},
      {"Everything else",
       {{"serve", add_serve},
        {"channel", add_channel_commands},
        {"inbox", add_inbox},
        {"evidence", add_evidence},
        {"audit", add_audit},
        {"events", add_events},
        {"config", add_config},
        {"daemon", add_daemon},
        {"doctor", add_doctor},
        {"lab", add_lab},
        {"mcp", add_mcp},
        {"completions", add_completions}}},
  }};
  return all;
}

// The word, if it is the name of a command that needs no other; otherwise nothing.
std::string_view named_command(std::string_view word) {
  if (word == "completions") return {};
  for (const Group& group : groups()) {
    for (const Command& command : group.commands) {
      if (command.name == word) return word;
    }
  }
  return {};
}

void add_global_options(CLI::App& app, GlobalOptions& global) {
  app.add_option("--config", global.config_file, "One more configuration file")->type_name("FILE");
  // One value each, or the command behind it would be taken for a second.
  app.add_option("--set", global.assignments, "A setting, as web.port=9000; may be repeated")
      ->type_name("SECTION.KEY=VALUE")
      ->allow_extra_args(false);
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
  std::string what = error.what();
  if (asked->get_require_subcommand_min() > 0 && !rest.empty() && !rest[0].starts_with('-')) {
    const std::string command = asked == &app ? rest[0] : asked->get_name() + " " + rest[0];
    what = "there is no command '" + command + "'";
  }
  fmt::print(stderr, "tend: {}; try '{} --help'\n", base::printable(what, 400), name);
  return kBadUsage;
}

}  // namespace

std::string as_typed(std::string word) {
  if (word.starts_with('[') && word.ends_with(kMark)) word.pop_back();
  return word;
}

std::unique_ptr<CLI::App> make_app(Program& program, std::string_view only) {
  auto app = std::make_unique<CLI::App>(
      "Keeps interactive programs running in terminals that a person can leave.", "tend");
  app->set_version_flag("--version", "tend " TEND_VERSION);
  app->require_subcommand(1);
  add_global_options(*app, program.global);
  for (const Group& group : groups()) {
    for (const Command& command : group.commands) {
      if (!only.empty() && command.name != only) continue;
      command.add(*app, program);
      CLI::App* added = app->get_subcommands([](CLI::App*) { return true; }).back();
      if (!added->get_group().empty()) added->group(group.name);
    }
  }
  return app;
}

int run_app(int argc, char** argv, LabCommands lab) {
  Program program{.lab = std::move(lab)};
  const auto app = make_app(program, argc > 1 ? named_command(argv[1]) : "");
  try {
    app->parse(marked_words(argc, argv, program));
  } catch (const CLI::Success& asked_for_help) {
    return app->exit(asked_for_help);
  } catch (const CLI::ParseError& error) {
    return fail_usage(*app, error);
  }
  return program.code;
}

}  // namespace cli
