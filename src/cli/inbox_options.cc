// SPDX-License-Identifier: Apache-2.0
// Inbox and evidence, and their options.
#include "cli/app.h"
#include "cli/evidence_command.h"
#include "cli/inbox_command.h"

namespace cli {
namespace {

constexpr const char* kAs = "Who speaks; TEND_AGENT_ID or the user's name if not given";

std::shared_ptr<InboxListOptions> add_list_options(CLI::App& command) {
  auto options = std::make_shared<InboxListOptions>();
  command.add_option("--to", options->to, "For this one, or for anybody")->type_name("NAME");
  command.add_option("--thread", options->thread, "Of this thread only")->type_name("ID");
  command.add_option("--state", options->state, "Of this state only")->type_name("open|claimed|done|dead");
  command.add_flag("--json", options->json, "As JSON, with everything");
  return options;
}

void add_inbox_send(CLI::App& inbox, Program& program) {
  auto* command = inbox.add_subcommand("send", "Send a message; prints its id");
  auto options = std::make_shared<InboxSendOptions>();
  command->add_option("--as", options->as, kAs)->type_name("NAME");
  command->add_option("--to", options->to, "For whom; anybody if not given")->type_name("NAME");
  command->add_option("--subject", options->subject, "What it is about")->type_name("TEXT");
  command->add_option("--body", options->body, "The message; - reads it from standard input")
      ->type_name("TEXT")
      ->required();
  command->add_option("--thread", options->thread, "In this thread; a new one if not given")->type_name("ID");
  command->add_option("--evidence", options->evidence, "With this evidence; may be repeated")
      ->type_name("ID")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "Id and thread as JSON");
  command->callback([options, &program] { program.code = send_message(*options); });
}

void add_inbox_claim(CLI::App& inbox, Program& program) {
  auto* command = inbox.add_subcommand("claim", "Take the oldest open message, for ten minutes");
  auto options = std::make_shared<InboxClaimOptions>();
  command->add_option("id", options->id, "This one")->type_name("ID");
  command->add_option("--as", options->as, kAs)->type_name("NAME");
  command->add_option("--to", options->to, "For this one, or for anybody; who speaks if not given")
      ->type_name("NAME");
  command->add_flag("--json", options->json, "As JSON; null if there is nothing to claim");
  command->callback([options, &program] { program.code = claim_message(*options); });
}

void add_inbox_done(CLI::App& inbox, Program& program) {
  auto* command = inbox.add_subcommand("done", "Say that a message is done");
  auto options = std::make_shared<InboxDoneOptions>();
  command->add_option("id", options->id, "Which")->type_name("ID")->required();
  command->add_option("--as", options->as, kAs)->type_name("NAME");
  command->add_option("--result", options->result, "What came of it; - reads it from standard input")
      ->type_name("TEXT");
  command->add_flag("--json", options->json, "The message as JSON");
  command->callback([options, &program] { program.code = finish_message(*options); });
}

std::shared_ptr<EvidenceListOptions> add_evidence_list_options(CLI::App& command) {
  auto options = std::make_shared<EvidenceListOptions>();
  command.add_option("--session", options->session, "Of this session only")->type_name("SESSION");
  command.add_option("-n,--rows", options->rows, "How many; 20 if not given")->type_name("ROWS");
  command.add_flag("--json", options->json, "As JSON");
  return options;
}

void add_evidence_show(CLI::App& evidence, Program& program) {
  auto* show = evidence.add_subcommand("show", "What was sent, what came of it, and the screens");
  auto options = std::make_shared<EvidenceShowOptions>();
  show->add_option("id", options->id, "Which")->type_name("ID")->required();
  show->add_flag("--diff", options->diff, "With the differences, not only how many");
  show->add_flag("--json", options->json, "As JSON");
  show->callback([options, &program] { program.code = show_evidence(*options); });
}

void add_evidence_export(CLI::App& evidence, Program& program) {
  auto* command = evidence.add_subcommand("export", "Write it into files; prints the folder");
  auto options = std::make_shared<EvidenceExportOptions>();
  command->add_option("id", options->id, "Which")->type_name("ID")->required();
  command->add_option("-o,--output", options->folder, "Into this folder; evidence-ID if not given")
      ->type_name("DIR");
  command->add_flag("--json", options->json, "Folder and files as JSON");
  command->callback([options, &program] { program.code = export_evidence(*options); });
}

void add_evidence_capture(CLI::App& evidence, Program& program) {
  auto* command = evidence.add_subcommand("capture", "Keep what a terminal shows now; prints its id");
  auto options = std::make_shared<EvidenceCaptureOptions>();
  command->add_option("target", options->target, "Which")->type_name("SESSION[:N]")->required();
  command->add_option("--note", options->note, "Why")->type_name("TEXT");
  command->add_option("--thread", options->thread, "Attach it to this thread of the inbox")->type_name("ID");
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options, &program] { program.code = capture_evidence(*options); });
}

}  // namespace

void add_inbox(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("inbox", "Messages between agents: work to hand on");
  command->require_subcommand(0, 1);
  auto options = add_list_options(*command);
  command->callback([command, options, &program] {
    if (command->get_subcommands().empty()) program.code = list_inbox(*options);
  });
  auto* list =
      command->add_subcommand("list", "Print the messages, oldest first; so does 'tend inbox' alone");
  auto listed = add_list_options(*list);
  list->callback([listed, &program] { program.code = list_inbox(*listed); });
  add_inbox_send(*command, program);
  add_inbox_claim(*command, program);
  add_inbox_done(*command, program);
}

void add_evidence(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("evidence", "What agents did to terminals, with screens and changes");
  command->require_subcommand(0, 1);
  auto options = add_evidence_list_options(*command);
  command->callback([command, options, &program] {
    if (command->get_subcommands().empty()) program.code = list_evidence(*options);
  });
  auto* list = command->add_subcommand("list", "Print the newest; so does 'tend evidence' alone");
  auto listed = add_evidence_list_options(*list);
  list->callback([listed, &program] { program.code = list_evidence(*listed); });
  add_evidence_show(*command, program);
  add_evidence_export(*command, program);
  add_evidence_capture(*command, program);
}

}  // namespace cli
