// SPDX-License-Identifier: Apache-2.0
// The options of `tend channel`.
#include "cli/app.h"
#include "cli/channel_command.h"

namespace cli {

void add_channel_commands(CLI::App& app, Program& program) {
  auto* command = app.add_subcommand("channel", "Where prompts reach you: Telegram, Slack, a webhook");
  command->require_subcommand(1);

  auto* add = command->add_subcommand("add", "Set one up: its tokens, who may answer");
  auto options = std::make_shared<ChannelAddOptions>();
  add->add_option("kind", options->kind, "Which")->type_name("telegram|slack|webhook")->required();
  add->add_option("--token-file", options->token_file,
                  "File with the token (of a webhook: the key), mode 0600; asked for if not given")
      ->type_name("FILE");
  add->add_option("--app-token-file", options->app_token_file, "Slack: file with the app's token")
      ->type_name("FILE");
  add->add_option("--user", options->users, "Who may answer; may be repeated")
      ->type_name("USER")
      ->allow_extra_args(false);
  add->add_option("--url", options->url, "Webhook: where events are posted")->type_name("URL");
  add->add_option("--listen", options->listen, "Webhook: where answers come in")->type_name("HOST:PORT");
  add->add_option("--api-url", options->api_url, "Another server that speaks the same API")->type_name("URL");
  add->footer("A token is read from the terminal without being shown, or from standard input.");
  add->callback([options, &program] { program.code = add_channel(*options); });

  auto* test = command->add_subcommand("test", "Send a test message");
  auto tried = std::make_shared<ChannelTestOptions>();
  test->add_option("kind", tried->kind, "Only through this one")->type_name("KIND");
  test->add_flag("--json", tried->json, "As JSON");
  test->callback([tried, &program] { program.code = test_channels(*tried); });

  auto* list = command->add_subcommand("ls", "List them, and how they are");
  auto shown = std::make_shared<ChannelListOptions>();
  list->add_flag("--json", shown->json, "As JSON");
  list->callback([shown, &program] { program.code = list_channels(*shown); });
}

}  // namespace cli
