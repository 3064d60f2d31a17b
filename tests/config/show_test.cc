// SPDX-License-Identifier: Apache-2.0
#include "config/show.h"

#include <gmock/gmock.h>

namespace config {
namespace {

using testing::HasSubstr;
using testing::Not;

Loaded loaded(const std::string& yaml, const std::string& name = "f") {
  auto result = load_text(yaml, name);
  EXPECT_TRUE(result) << result.error().message();
  return result ? std::move(*result) : defaults();
}

std::string yaml(const Loaded& all, Secrets secrets = Secrets::masked) {
  return show_yaml(all, secrets, Colour::none);
}

constexpr const char* kEverything = R"(
event_loop: {prompt: "two\nlines: # \"quoted\" \u0007 é 😀", verify: "true"}
cli: {args: ["", "-v", "a b", "null", "12", "~"], command: /bin/x}
session: {env: {A: "1", B: $HOME, C: "pass word"}, detach_key: "off"}
input_filter: {block_sequences: ["\\x03", "\u0004", "\\\\"]}
detector: {stuck_timeout_seconds: 0.1, patterns: [{type: PAGER, pattern: "a, b: {c} [d] # e"}]}
prompts: {rules: [{answer: "", max: 1}, {action: ask, type: UNKNOWN, min_confidence: 0.333}]}
channels: {webhook: {url: "https://x/hunter2", secret_file: /s}, telegram: {allowed_users: [1, 2]}}
)";

TEST(Show, CanBeLoadedAgainToTheSame) {
  for (const std::string& text : {std::string(), std::string(kEverything)}) {
    const Loaded first = loaded(text);
    const std::string shown = yaml(first, Secrets::shown);
    const Loaded second = loaded(shown);
    EXPECT_EQ(first.config, second.config) << shown;
    for (const Setting& setting : settings())
      EXPECT_EQ(first.at(setting.path).value, second.at(setting.path).value) << setting.path;
  }
}

TEST(Show, PutsTheOriginBehindEachValue) {
  const std::string shown =
      yaml(loaded("web:\n  port: 9000\ncli:\n  args:\n    - a\nsession:\n  env:\n    A: $B\n"));
  EXPECT_THAT(shown, HasSubstr("  port: 9000  # f:2\n"));
  EXPECT_THAT(shown, HasSubstr("  host: \"127.0.0.1\"  # default\n"));
  EXPECT_THAT(shown, HasSubstr("  args:  # f:4\n    - a\n"));
  EXPECT_THAT(shown, HasSubstr("  env:\n    A: $B  # f:8\n"));
}

TEST(Show, WritesRecordsOneToALine) {
  EXPECT_THAT(yaml(loaded(kEverything)),
              HasSubstr("  rules:  # f:7\n"
                        "    - {min_confidence: 0.0, answer: \"\", max: 1}\n"
                        "    - {type: UNKNOWN, min_confidence: 0.333, action: ask}\n"));
}

TEST(Show, MasksSecrets) {
  const Loaded all = loaded(kEverything);
  const std::string shown = yaml(all);
  EXPECT_THAT(shown,
              HasSubstr("    A: \"********\"  # f:4\n    B: $HOME  # f:4\n    C: \"********\"  # f:4\n"));
  EXPECT_THAT(shown, HasSubstr("    url: \"********\"  # f:8\n    secret_file: /s  # f:8\n"));
  EXPECT_THAT(shown, Not(HasSubstr("hunter2")));
  EXPECT_THAT(show_json(all, Secrets::masked), Not(HasSubstr("hunter2")));
  EXPECT_THAT(show_json(all, Secrets::masked), Not(HasSubstr("pass word")));
  EXPECT_THAT(show_json(all, Secrets::shown), HasSubstr("hunter2"));
}

TEST(Show, OfMaskedSecretsIsNotTakenForThem) {
  const auto again = load_text(yaml(loaded(kEverything)), "shown.yml");
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message(), HasSubstr("prints in place of a secret"));
}

TEST(Show, LeavesOutWhatHasNoMeaning) {
  EXPECT_THAT(yaml(loaded("detector: {stuck_poll_interval_seconds: 1}\n")), Not(HasSubstr("poll")));
}

TEST(Show, SurvivesAnyFileName) {
  const Loaded all = loaded("web: {port: 1}\n", "a\nweb: {port: 2}\n\xFF\x1b[31m");
  const std::string shown = yaml(all);
  EXPECT_THAT(shown, HasSubstr("  port: 1  # a\\nweb: {port: 2}\\n?\\x1b[31m:1\n"));
  EXPECT_EQ(1, loaded(shown).config.web.port);
}

TEST(Show, ColoursOnlyTheOrigins) {
  EXPECT_THAT(show_yaml(loaded("web: {port: 1}\n"), Secrets::masked, Colour::ansi),
              HasSubstr("  port: 1\x1b[2m  # f:1\x1b[0m\n"));
}

// YAML is a superset of JSON, so that the loader can read its part of it back.
TEST(ShowJson, HoldsTheSameConfiguration) {
  const Loaded all = loaded(kEverything);
  const std::string json = show_json(all, Secrets::shown);
  const std::string begin = "{\n  \"config\": ";
  ASSERT_TRUE(json.starts_with(begin));
  const std::string config = json.substr(begin.size(), json.find(",\n  \"origins\"") - begin.size());
  EXPECT_EQ(all.config, loaded(config).config);
  EXPECT_THAT(json, HasSubstr("    \"session.env.A\": \"f:4\",\n"));
  EXPECT_THAT(json, HasSubstr("    \"web.port\": \"default\",\n"));
}

TEST(ShowJson, ListsWhatWasFound) {
  EXPECT_EQ("{\"ok\": true, \"errors\": [], \"warnings\": []}\n", show_json(Findings{}));
  const Findings findings{.errors = {{{"a\"b", 1, 2}, "web.port", "wants \n"}},
                          .warnings = {{{"V", 0, 0}, "", "w"}}};
  EXPECT_EQ(
      "{\"ok\": false, \"errors\": [{\"file\": \"a\\\"b\", \"line\": 1, \"column\": 2, \"key\": "
      "\"web.port\", "
      "\"message\": \"wants \\n\"}], \"warnings\": [{\"file\": \"V\", \"line\": 0, \"column\": 0, \"key\": "
      "\"\", "
      "\"message\": \"w\"}]}\n",
      show_json(findings));
}

}  // namespace
}  // namespace config
