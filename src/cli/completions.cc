// SPDX-License-Identifier: Apache-2.0
#include "cli/completions.h"

#include <algorithm>
#include <cctype>

#include "base/strings.h"
#include "cli/output.h"
#include "cli/report.h"

namespace cli {
namespace {

// What --help calls a value tells what it is.
Words words_of(const std::string& type) {
  if (type.starts_with("SESSION")) return Words::sessions;
  if (type == "FILE") return Words::files;
  if (type == "DIR") return Words::folders;
  if (type == "CMD") return Words::program;
  if (type.find('|') != std::string::npos) return Words::choices;
  return Words::anything;
}

// "quiet[=MS]|exited|text=RE": quiet, exited, text=
std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> choices;
  for (const std::string_view each : base::split(type, '|')) {
    const size_t equals = each.find('=');
    const size_t end = std::min(each.find('['), equals == std::string_view::npos ? equals : equals + 1);
    choices.emplace_back(each.substr(0, end));
  }
  return choices;
}

CompletedOption complete(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  CompletedOption completed{.names = {},
                            .type = type,
                            .help = option.get_description(),
                            .required = option.get_required(),
                            .takes_value = option.get_items_expected_max() > 0,
                            .takes_many = option.get_items_expected_max() > 1,
                            .value = words_of(type)};
  for (const std::string& each : option.get_snames()) completed.names.push_back("-" + each);
  for (const std::string& each : option.get_lnames()) completed.names.push_back("--" + each);
  if (completed.value == Words::choices) completed.choices = choices_of(type);
  return completed;
}

std::vector<const CLI::App*> below(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

void walk(const CLI::App& app, const std::string& path, std::vector<CompletedCommand>& all) {
  CompletedCommand command{
      .path = path, .help = app.get_description(), .commands = {}, .options = {}, .arguments = {}};
  for (const CLI::Option* each : app.get_options()) {
    if (each->get_positional())
      command.arguments.push_back(complete(*each));
    else if (!each->get_group().empty())
      command.options.push_back(complete(*each));
  }
  for (const CLI::App* each : below(app)) command.commands.push_back(each->get_name());
  all.push_back(std::move(command));
  for (const CLI::App* each : below(app))
    walk(*each, path.empty() ? each->get_name() : path + " " + each->get_name(), all);
}

}  // namespace

std::vector<CompletedCommand> completed_commands(const CLI::App& app) {
  std::vector<CompletedCommand> all;
  walk(app, "", all);
  return all;
}

int print_completions(const std::string& shell, const CLI::App& app) {
  const auto commands = completed_commands(app);
  if (shell == "bash") return print(bash_completions(commands));
  if (shell == "zsh") return print(zsh_completions(commands));
  if (shell == "fish") return print(fish_completions(commands));
  return report({base::Code::invalid_param, 0, "there are completions for bash, zsh and fish"});
}

}  // namespace cli
