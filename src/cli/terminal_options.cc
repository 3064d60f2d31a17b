// SPDX-License-Identifier: Apache-2.0
// The commands that look at a PTY and type into it without attaching, and their options.
#include "cli/app.h"
#include "cli/exec.h"
#include "cli/logs.h"
#include "cli/screen.h"
#include "cli/send.h"
#include "cli/wait.h"

namespace cli {
namespace {

void add_target(CLI::App& command, std::string& target) {
  command.add_option("session", target, "Which; PTY 0 without :N")->type_name("SESSION[:N]")->required();
}

}  // namespace

void add_screen(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("screen", "Print what is on the screen now");
  auto options = std::make_shared<ScreenOptions>();
  add_target(*command, options->target);
  command->add_option("--format", options->format, "How; text if not given")
      ->type_name("text|ansi|html|svg|json");
  command->add_option("--scrollback", options->scrollback, "Rows above the screen too, for text and json")
      ->type_name("ROWS");
  command->add_flag("--json", options->json, "The same as --format json");
  command->callback([options, &program] { program.code = show_screen(*options); });
}

void add_logs(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("logs", "Print what the program has written");
  auto options = std::make_shared<LogsOptions>();
  add_target(*command, options->target);
  command->add_flag("-f,--follow", options->follow, "Go on until the program ends");
  command->add_option("-n,--lines", options->lines, "The last lines only")->type_name("LINES");
  command->add_flag("--raw", options->raw, "The bytes as they were written, with control sequences");
  command->callback([options, &program] { program.code = logs(*options); });
}

void add_read(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("read", "Read output by offset, for scripts");
  auto options = std::make_shared<ReadOptions>();
  add_target(*command, options->target);
  command->add_option("--since", options->since, "From here on, as next_offset said; else the newest")
      ->type_name("OFFSET");
  command->add_option("--max-bytes", options->max_bytes, "At most so many")->type_name("N");
  command->add_option("--timeout", options->timeout_ms, "Wait so long for something new")->type_name("MS");
  command->add_flag("--base64", options->base64, "The data as base64");
  command->add_flag("--json", options->json, "With the offsets, and whether the program lives, as JSON");
  command->callback([options, &program] { program.code = read_output(*options); });
}

void add_send(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("send", "Type text or keys into a terminal");
  auto options = std::make_shared<SendOptions>();
  add_target(*command, options->target);
  command->add_option("text", options->text, "What to type; - reads it from standard input")
      ->type_name("TEXT");
  command->add_flag("--enter", options->enter, "And Enter behind it");
  command->add_option("--keys", options->keys, "Keys by name: C-c Enter Up M-x F5 ...")->type_name("KEY");
  command->add_flag("--json", options->json,
                    "How many bytes went, and the output's offset before them, as JSON");
  command->callback([options, &program] {
    if (options->text) options->text = as_typed(std::move(*options->text));
    program.code = send(*options);
  });
}

void add_exec(CLI::App& app, Program& program) {
  auto* command =
      app.add_subcommand("exec", "Run a command in a session's shell: its output, its exit status");
  auto options = std::make_shared<ExecOptions>();
  add_target(*command, options->target);
  command
      ->add_option("command", options->command,
                   "One word is taken as it would be typed, a whole script even; of several each is one word")
      ->type_name("COMMAND")
      ->required();
  command->add_option("--timeout", options->timeout_ms, "Exit with 124 after so long; 30000 if not given")
      ->type_name("MS");
  command->add_flag("--interrupt", options->interrupt, "Press Ctrl+C first, if something else is at work");
  command->add_flag("--raw", options->raw, "The bytes as they were written, with control sequences");
  command->add_option("--max-bytes", options->max_bytes, "Keep the newest so many")->type_name("N");
  command->add_option("--sentinel", options->sentinel, "Mark the end with this: 8 to 64 letters, digits, _")
      ->type_name("TEXT");
  command->add_flag("--json", options->json, "Output, exit code and what became of it, as JSON");
  command->callback([options, &program] {
    for (std::string& each : options->command) each = as_typed(std::move(each));
    program.code = exec_command(*options);
  });
}

void add_wait(CLI::App& app, Program& program) {
  auto* command =
      app.add_subcommand("wait", "Wait until a program asks, is ready, quiet, has ended, or shows a text");
  auto options = std::make_shared<WaitOptions>();
  add_target(*command, options->target);
  command
      ->add_option("--until", options->until,
                   "For what; RE is a regular expression (RE2), MS 1000 if not given")
      ->type_name("waiting|ready|quiet[=MS]|exited|text=RE")
      ->required();
  command->add_option("--timeout", options->timeout_ms, "Exit with 124 after so long")->type_name("MS");
  command->add_flag("--explain", options->explain, "Say why the wait is over");
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options, &program] { program.code = wait(*options); });
}

void add_resize(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("resize", "Give a terminal another size");
  auto options = std::make_shared<ResizeOptions>();
  add_target(*command, options->target);
  command->add_option("size", options->size, "As in 120x30")->type_name("COLSxROWS")->required();
  command->add_flag("--json", options->json, "The size that it has now, as JSON");
  command->callback([options, &program] { program.code = resize(*options); });
}

}  // namespace cli
