// SPDX-License-Identifier: Apache-2.0
#include "cli/app.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>

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

struct Group {
  const char* name;
  std::vector<void (*)(CLI::App&, Program&)> commands;
};

const std::array<Group, 3>& groups() {
  static const std::array<Group, 3> all = {{
      {"Sessions",
       {add_run, add_attach, add_shell, add_ls, add_status, add_prompts, add_answer, add_kill, add_restart,
        add_loop}},
      {"Terminals", {add_screen, add_logs, add_read, add_send, add_exec, add_wait, add_resize}},
      {"Everything else",
       {add_channel_commands, add_inbox, add_evidence, add_audit, add_events, add_config, add_daemon,
        add_doctor, add_lab, add_mcp, add_completions}},
  }};
  return all;
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

std::unique_ptr<CLI::App> make_app(Program& program) {
  auto app = std::make_unique<CLI::App>(
      "Keeps interactive programs running in terminals that a person can leave.", "tend");
  app->set_version_flag("--version", "tend " TEND_VERSION);
  app->require_subcommand(1);
  add_global_options(*app, program.global);
  for (const Group& group : groups()) {
    for (const auto add : group.commands) {
      add(*app, program);
      CLI::App* added = app->get_subcommands([](CLI::App*) { return true; }).back();
      if (!added->get_group().empty()) added->group(group.name);
    }
  }
  return app;
}

int run_app(int argc, char** argv) {
  Program program;
  const auto app = make_app(program);
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
