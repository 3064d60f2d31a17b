// SPDX-License-Identifier: Apache-2.0
// The program `tend`: finds the command, hands it its options, passes its exit code on.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>

#include "base/strings.h"
#include "cli/report.h"
#include "cli/run.h"

namespace {

void add_run(CLI::App& app, int& code) {
  auto* command = app.add_subcommand("run", "Run a program in a session of its own");
  auto options = std::make_shared<cli::RunOptions>();
  command->add_option("--cwd", options->cwd, "Start in this folder")->type_name("DIR");
  command->add_option("--size", options->size, "A fixed size instead of the window's")
      ->type_name("COLSxROWS");
  command->add_option("command", options->command, "The program and its arguments, behind --")
      ->type_name("CMD...")
      ->required();
  command->positionals_at_end();
  command->callback([options, &code] { code = cli::run(*options); });
}

int fail_usage(const CLI::App& app, const CLI::ParseError& error, const char* first) {
  const auto is_first = [&](const CLI::App* command) { return command->get_name() == first; };
  if (first != nullptr && first[0] != '-' && app.get_subcommands(is_first).empty()) {
    std::cerr << "tend: there is no command '" << base::printable(first) << "'; try 'tend --help'\n";
    return cli::kBadUsage;
  }
  const CLI::App* asked = &app;
  for (const CLI::App* command : app.get_subcommands()) asked = command;
  std::cerr << "tend: " << error.what() << "; try '" << (asked == &app ? "tend" : "tend " + asked->get_name())
            << " --help'\n";
  return cli::kBadUsage;
}

int dispatch(int argc, char** argv) {
  CLI::App app("Keeps interactive programs running in terminals that a person can leave.", "tend");
  app.set_version_flag("--version", "tend " TEND_VERSION);
  app.require_subcommand(1);
  int code = cli::kDone;
  add_run(app, code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    return app.exit(asked_for_help);
  } catch (const CLI::ParseError& error) {
    return fail_usage(app, error, argc > 1 ? argv[1] : nullptr);
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
