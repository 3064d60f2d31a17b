// SPDX-License-Identifier: Apache-2.0
// The Prompt Lab's commands, and their options.
#include <memory>
#include <string>
#include <vector>

#include "cli/app.h"

namespace cli {
namespace {

void add_lab_corpus(CLI::App& lab, Program& program) {
  auto* command = lab.add_subcommand("corpus", "Real programs: which wait, and what for");
  auto options = std::make_shared<CorpusCommand>();
  command->add_option("folder", options->folder, "Cases and recordings; tests/corpus/detect if none is named")
      ->type_name("FOLDER");
  command->add_option("--only", options->only, "This case; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_flag("--live", options->live, "Run the programs themselves, not their recordings");
  command->add_flag("--record", options->record, "The same, and keep what was seen as their recordings");
  auto* json = command->add_flag("--json", options->json, "As JSON");
  command->add_flag("--markdown", options->markdown, "As a page of documentation")->excludes(json);
  command->callback([options, &program] { program.code = program.lab.corpus(*options); });
}

}  // namespace

void add_lab(CLI::App& app, Program& program) {
  // What scenarios start.
  auto* part = app.add_subcommand("__lab-program", "")->group("");
  auto words = std::make_shared<std::vector<std::string>>();
  part->add_option("words", *words);
  part->callback([words, &program] { program.code = program.lab.part(*words); });

  auto* command = app.add_subcommand("lab", "The Prompt Lab: situations in which tend must know who waits");
  command->require_subcommand(1);

  auto* list = command->add_subcommand("list", "Print all scenarios");
  auto shown = std::make_shared<LabListOptions>();
  list->add_flag("--json", shown->json, "As JSON, with descriptions");
  list->callback([shown, &program] { program.code = program.lab.list(*shown); });

  auto* run = command->add_subcommand("run", "Run scenarios on this machine; fails if one of them does");
  auto options = std::make_shared<LabRunOptions>();
  run->add_option("scenario", options->scenarios, "Which, by number or name")->type_name("ID|NAME");
  run->add_flag("--all", options->all, "All of them");
  run->add_flag("--json", options->json, "Everything that was checked and seen, as JSON");
  run->add_flag("-v,--verbose", options->verbose, "With every check, and what was seen");
  run->callback([options, &program] { program.code = program.lab.run(*options); });

  add_lab_corpus(*command, program);
}

}  // namespace cli
