// SPDX-License-Identifier: Apache-2.0
// Which layer wins, what merges, and what each value knows about where it comes from.
#include <filesystem>
#include <gmock/gmock.h>

#include "config/load.h"
#include "support/temp_dir.h"

namespace config {
namespace {

class Layers : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& yaml) const {
    support::write_file(folder_.file(name), yaml);
    return folder_.file(name);
  }
  // All six layers set the port, each another one; `count` of them are there.
  Sources lowest(int count) const {
    Sources sources;
    if (count > 0) sources.user_file = write("user.yml", "web:\n  port: 1\n");
    if (count > 1) sources.project_file = write("tend.yml", "web:\n\n  port: 2\n");
    if (count > 2) sources.named_file = write("named.yml", "web: {port: 3}\n");
    if (count > 3)
      sources.environment = {"A=b", "TEND_WEB_PORT=4", "TEND_HOME=/x", "TEND_SESSION=s", "TEND_NEWS=1"};
    if (count > 4) sources.assignments = {"web.port=0", "web.port=5"};
    return sources;
  }
  static Loaded loaded(const Sources& sources) {
    auto result = load(sources);
    EXPECT_TRUE(result) << result.error().message();
    return result ? std::move(*result) : defaults();
  }

  support::TempDir folder_;
};

TEST_F(Layers, LieOnEachOther) {
  const std::vector<std::string> origins = {"default",
                                            folder_.file("user.yml") + ":2",
                                            folder_.file("tend.yml") + ":3",
                                            folder_.file("named.yml") + ":1",
                                            "TEND_WEB_PORT",
                                            "--set"};
  const std::vector<int> ports = {8888, 1, 2, 3, 4, 5};
  for (int count = 0; count <= 5; count++) {
    const Loaded all = loaded(lowest(count));
    EXPECT_EQ(ports[static_cast<size_t>(count)], all.config.web.port);
    EXPECT_EQ(origins[static_cast<size_t>(count)], all.at("web.port").origin.text());
    EXPECT_EQ("default", all.at("web.host").origin.text());
  }
}

TEST_F(Layers, ReplaceLists) {
  const Loaded all =
      loaded({.user_file = write("a", "cli: {args: [a, b]}\nprompts: {rules: [{action: ask}]}\n"),
              .named_file = write("b", "cli: {args: [c]}\nprompts: {rules: []}\n")});
  EXPECT_THAT(all.config.cli.args, testing::ElementsAre("c"));
  EXPECT_TRUE(all.config.prompts.rules.empty());
}

TEST_F(Layers, MergeMapsKeyByKey) {
  const Loaded all = loaded({.user_file = write("a", "session:\n  env:\n    A: 1\n    B: 2\n    C: 3\n"),
                             .named_file = write("b", "session:\n  env:\n    B: two\n    C:\n"),
                             .environment = {"TEND_SESSION_ENV={D: 4}"},
                             .assignments = {"session.env.E=5", "session.env={F: 6}", "session.env.A=x y"}});
  EXPECT_EQ((Environment{{"A", "x y"}, {"B", "two"}, {"D", "4"}, {"E", "5"}, {"F", "6"}}),
            all.config.session.env);
  const auto& keys = all.at("session.env").keys;
  EXPECT_EQ(5U, keys.size());
  EXPECT_EQ("--set", keys.at("A").text());
  EXPECT_EQ(folder_.file("b") + ":3", keys.at("B").text());
  EXPECT_EQ("TEND_SESSION_ENV", keys.at("D").text());
}

TEST_F(Layers, TakeBackWhatMayBeUnset) {
  const std::string low = write("a", "event_loop: {verify: make test, prompt: x}\n");
  EXPECT_EQ("make test", loaded({.user_file = low}).config.event_loop.verify);
  const Loaded all = loaded({.user_file = low,
                             .named_file = write("b", "event_loop: {verify: ~}\n"),
                             .assignments = {"event_loop.prompt="}});
  EXPECT_EQ(std::nullopt, all.config.event_loop.verify);
  EXPECT_EQ(std::nullopt, all.config.event_loop.prompt);
}

TEST_F(Layers, MayBeEmpty) {
  const Loaded all = loaded({.user_file = write("a", ""),
                             .project_file = write("b", "# nothing\n"),
                             .named_file = write("c", "web:\n  # port: 1\nchannels: {slack: }\n")});
  EXPECT_EQ(defaults().config, all.config);
}

TEST_F(Layers, TakeTextsOfTheEnvironmentAsTheyAre) {
  const Loaded all =
      loaded({.environment = {"TEND_EVENT_LOOP_PROMPT=say: \"hi\" # [x", "TEND_CLI_COMMAND=null",
                              "TEND_SESSION_AUTO_RESTART=true",
                              "TEND_WEB_HOST=", "TEND_CHANNELS_TELEGRAM_ALLOWED_USERS=[12, 'a b']",
                              "TEND_DETECTOR_STUCK_TIMEOUT_SECONDS=0.25"}});
  EXPECT_EQ("say: \"hi\" # [x", all.config.event_loop.prompt);
  EXPECT_EQ("null", all.config.cli.command);
  EXPECT_TRUE(all.config.session.auto_restart);
  EXPECT_EQ("127.0.0.1", all.config.web.host);  // an empty variable is none
  EXPECT_THAT(all.config.channels.telegram.allowed_users, testing::ElementsAre("12", "a b"));
  EXPECT_EQ(std::chrono::milliseconds(250), all.config.detector.stuck_timeout);
}

TEST_F(Layers, MakePathsAbsolute) {
  const std::string file = write("a", "store: {path: db/x}\nchannels: {telegram: {token_file: ~/t}}\n");
  const Loaded all = loaded({.named_file = file,
                             .environment = {"TEND_CHANNELS_WEBHOOK_SECRET_FILE=s"},
                             .assignments = {"web.tls_key=/k", "web.tls_cert=~/c"},
                             .home = "/home/me"});
  EXPECT_EQ(folder_.file("db/x"), all.config.store.path);
  EXPECT_EQ("/home/me/t", all.config.channels.telegram.token_file);
  EXPECT_EQ((std::filesystem::current_path() / "s").string(), all.config.channels.webhook.secret_file);
  EXPECT_EQ("/k", all.config.web.tls_key);
  EXPECT_EQ("/home/me/c", all.config.web.tls_cert);
}

TEST_F(Layers, TakeWordsForTextsAsTheyStand) {
  const Loaded all = loaded({.named_file = write("a",
                                                 "prompts:\n  rules:\n    - {answer: yes, text: 1.50}\n"
                                                 "event_loop: {completion_promise: true}\n")});
  EXPECT_EQ("yes", all.config.prompts.rules.at(0).answer);
  EXPECT_EQ("1.50", all.config.prompts.rules.at(0).text);
  EXPECT_EQ("true", all.config.event_loop.completion_promise);
}

TEST_F(Layers, FillEveryKindOfField) {
  const Config config = loaded({.named_file = write("a", R"(
cli: {backend: custom, prompt_mode: stdin, idle_timeout_secs: 42}
session: {detach_key: off, resize: leader, restart_delay_ms: 250, session_max_age_hours: 48}
input_filter: {block_sequences: ['\x03\r', "\u0004", ":q!\\n"], anchor: anywhere}
detector:
  patterns:
    - {type: FREE_TEXT, pattern: 'Vault token:', secret: true}
    - {type: PAGER, pattern: '^--More--$', confidence: 0.5}
prompts:
  on_expiry: default
  rules:
    - {command: npm, cwd: /w, type: YES_NO, text: 'Overwrite\?', min_confidence: 0.9, answer: 'y', max: 3}
    - {action: ignore}
sandbox: {network: proxy, root: overlay, mounts: ['/a:/b', '/c:/d:ro'], env: {KEY: $KEY}}
store: {archive_days: 7}
)")})
                            .config;
  EXPECT_EQ(Backend::custom, config.cli.backend);
  EXPECT_EQ(PromptMode::stdin_text, config.cli.prompt_mode);
  EXPECT_EQ(std::chrono::seconds(42), config.cli.idle_timeout);
  EXPECT_EQ(std::nullopt, config.session.detach_key);
  EXPECT_EQ(Resize::leader, config.session.resize);
  EXPECT_EQ(std::chrono::milliseconds(250), config.session.restart_delay);
  EXPECT_EQ(std::chrono::days(2), config.session.max_age);
  EXPECT_THAT(config.input_filter.block_sequences, testing::ElementsAre("\x03\r", "\x04", ":q!\n"));
  EXPECT_EQ(Anchor::anywhere, config.input_filter.anchor);
  EXPECT_EQ((DetectorPattern{PromptType::free_text, "Vault token:", 0.90, true}),
            config.detector.patterns.at(0));
  EXPECT_EQ((DetectorPattern{PromptType::pager, "^--More--$", 0.5, false}), config.detector.patterns.at(1));
  EXPECT_EQ(OnExpiry::take_default, config.prompts.on_expiry);
  EXPECT_EQ((PromptRule{"npm", "/w", PromptType::yes_no, "Overwrite\\?", 0.9, "y", 3, {}}),
            config.prompts.rules.at(0));
  EXPECT_EQ(RuleAction::ignore, config.prompts.rules.at(1).action);
  EXPECT_EQ(Network::proxy, config.sandbox.network);
  EXPECT_EQ(SandboxRoot::overlay, config.sandbox.root);
  EXPECT_EQ((Mount{"/c", "/d", Access::read_only}), config.sandbox.mounts.at(1));
  EXPECT_EQ((Environment{{"KEY", "$KEY"}}), config.sandbox.env);
  EXPECT_EQ(std::chrono::days(7), config.store.archive);
}

}  // namespace
}  // namespace config
