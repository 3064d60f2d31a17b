// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/app.h"
#include "cli/corpus_command.h"

namespace cli {

void add_lab(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("lab", "See how well programs are understood");
  command->require_subcommand(1);
  add_lab_corpus(*command, program);
}

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
  command->callback([options, &program] { program.code = lab_corpus(*options); });
}

}  // namespace cli
