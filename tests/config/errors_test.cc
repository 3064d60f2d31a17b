// SPDX-License-Identifier: Apache-2.0
// Every kind of mistake, and the exact words for it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <ostream>
#include <sys/stat.h>
#include <unistd.h>

#include "config/load.h"
#include "support/temp_dir.h"

namespace config {
namespace {

std::vector<std::string> messages(const std::vector<Problem>& problems) {
  std::vector<std::string> all;
  for (const Problem& problem : problems) all.push_back(problem.message());
  return all;
}

struct Mistake {
  const char* what;
  std::string yaml;
  std::string message;
};
void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.yaml; }

class File : public testing::TestWithParam<Mistake> {};

TEST_P(File, IsRefused) {
  const auto loaded = load_text(GetParam().yaml, "f");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(GetParam().message, loaded.error().message());
  EXPECT_EQ(base::Code::invalid_param, loaded.error().code);
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, File,
    testing::Values(
        Mistake{"NotYaml", "web: [", "f:1:1: is not YAML: end of sequence flow not found"},
        Mistake{"NoMap", "- web\n",
                "f:1:1: wants sections with settings, as 'web: {port: 8888}', not a list"},
        Mistake{"Word", "web\n", "f:1:1: wants sections with settings, as 'web: {port: 8888}', not 'web'"},
        Mistake{"UnknownSection", "wbe:\n  port: 1\n", "f:1:1: wbe: is not a setting (did you mean 'web'?)"},
        Mistake{"UnknownKey", "web:\n  prot: 1\n",
                "f:2:3: web.prot: is not a setting (did you mean 'port'?)"},
        Mistake{"NothingLikeIt", "web:\n  zebra: 1\n", "f:2:3: web.zebra: is not a setting"},
        Mistake{"WrongSection", "idle_timeout_secs: 1\n",
                "f:1:1: idle_timeout_secs: is not a setting (did you mean 'cli.idle_timeout_secs'?)"},
        Mistake{"UnknownInGroup", "channels:\n  telegram:\n    token: x\n",
                "f:3:5: channels.telegram.token: is not a setting"},
        Mistake{"MergeKey", "web: &w {port: 1}\n<<: *w\n", "f:2:1: <<: is not a setting"},
        Mistake{"KeyWithControls", "\"a\\e[31m\": 1\n", "f:1:1: a\x1b[31m: is not a setting"},
        Mistake{
            "LongValue", "web: {port: " + std::string(59, 'x') + "éé}\n",
            "f:1:13: web.port: wants a whole number from 0 to 65535, not '" + std::string(59, 'x') + "…'"},
        Mistake{"KeyIsAList", "web:\n  ? [a]\n  : 1\n",
                "f:2:5: web: has a key that is not a word but a list"},
        Mistake{"SectionIsAWord", "web: 8888\n", "f:1:6: web: wants settings below it, not '8888'"},
        Mistake{"GroupIsAList", "channels: {slack: []}\n",
                "f:1:19: channels.slack: wants settings below it, not a list"},
        Mistake{"Twice", "web:\n  port: 1\n  port: 2\n", "f:3:3: web.port: is set twice (first on line 2)"},
        Mistake{"SectionTwice", "web: {}\ncli: {}\nweb: {}\n", "f:3:1: web: is set twice (first on line 1)"},
        Mistake{"NotABoolean", "web: {insecure: yes}\n",
                "f:1:17: web.insecure: wants true or false, not 'yes'"},
        Mistake{"QuotedBoolean", "web: {insecure: \"true\"}\n",
                "f:1:17: web.insecure: wants true or false, not the text 'true'"},
        Mistake{"NotANumber", "web: {port: http}\n",
                "f:1:13: web.port: wants a whole number from 0 to 65535, not 'http'"},
        Mistake{"QuotedNumber", "web: {port: '80'}\n",
                "f:1:13: web.port: wants a whole number from 0 to 65535, not the text '80'"},
        Mistake{"Fraction", "web: {port: 80.5}\n",
                "f:1:13: web.port: wants a whole number from 0 to 65535, not '80.5'"},
        Mistake{"TooSmall", "session: {cols: 0}\n",
                "f:1:17: session.cols: wants a whole number from 1 to 1000, not '0'"},
        Mistake{"TooLarge", "web: {port: 65536}\n",
                "f:1:13: web.port: wants a whole number from 0 to 65535, not '65536'"},
        Mistake{"MuchTooLarge", "web: {port: 99999999999999999999}\n",
                "f:1:13: web.port: wants a whole number from 0 to 65535, not '99999999999999999999'"},
        Mistake{"NoPowerOfTwo", "session: {journal_bytes: 100000}\n",
                "f:1:26: session.journal_bytes: wants a power of two, as 1048576"},
        Mistake{"DecimalTooLarge", "detector: {high_threshold: 1.5}\n",
                "f:1:28: detector.high_threshold: wants a number from 0 to 1, not '1.5'"},
        Mistake{"NotANumberAtAll", "detector: {high_threshold: .nan}\n",
                "f:1:28: detector.high_threshold: wants a number from 0 to 1, not '.nan'"},
        Mistake{"Nan", "detector: {high_threshold: nan}\n",
                "f:1:28: detector.high_threshold: wants a number from 0 to 1, not 'nan'"},
        Mistake{"NumberAndMore", "detector: {high_threshold: 0.5s}\n",
                "f:1:28: detector.high_threshold: wants a number from 0 to 1, not '0.5s'"},
        Mistake{
            "NotAChoice", "session: {resize: smalest}\n",
            "f:1:19: session.resize: wants one of smallest, latest, leader, fixed, not 'smalest' (did you "
            "mean 'smallest'?)"},
        Mistake{"ChoiceIsAMap", "session: {resize: {}}\n",
                "f:1:19: session.resize: wants one of smallest, latest, leader, fixed, not a map"},
        Mistake{"NothingForANumber", "web:\n  port:\n",
                "f:2:3: web.port: wants a whole number from 0 to 65535, not nothing"},
        Mistake{"NothingForAText", "web: {host: ~}\n", "f:1:13: web.host: wants a text, not nothing"},
        Mistake{"EmptyText", "web: {host: ''}\n", "f:1:13: web.host: must not be empty"},
        Mistake{"ZeroByteInText", "web: {host: \"a\\0b\"}\n", "f:1:13: web.host: has a zero byte"},
        Mistake{"ListForAText", "web: {host: [a]}\n", "f:1:13: web.host: wants a text, not a list"},
        Mistake{"ListForAPath", "store: {path: [a]}\n", "f:1:15: store.path: wants a path, not a list"},
        Mistake{"HomeWithoutHome", "store: {path: ~/x}\n",
                "f:1:15: store.path: begins with ~, and HOME is not set"},
        Mistake{"Key", "session: {detach_key: ctrl-i}\n",
                "f:1:23: session.detach_key: wants 'ctrl-' and a letter (but i, j and m, which are Tab and "
                "Enter) or "
                "one of ] ^ _ and backslash, or 'off'"},
        Mistake{"TextForAList", "cli: {args: -v}\n",
                "f:1:13: cli.args: wants a list of texts, as [a, b], not '-v'"},
        Mistake{"NothingForAList", "cli:\n  args:\n",
                "f:2:3: cli.args: wants a list of texts, as [a, b], not nothing"},
        Mistake{"ListInAList", "cli: {args: [a, [b]]}\n", "f:1:17: cli.args[1]: wants a text, not a list"},
        Mistake{"NothingInAList", "cli: {args: [a, ~]}\n", "f:1:17: cli.args[1]: wants a text, not nothing"},
        Mistake{"EmptyUser", "channels: {slack: {allowed_users: [U1, '']}}\n",
                "f:1:40: channels.slack.allowed_users[1]: must not be empty"},
        Mistake{"BadSequence", "input_filter:\n  block_sequences: ['\\q']\n",
                "f:2:21: input_filter.block_sequences[0]: has a backslash with none of xHH, r, n, t, e or "
                "another "
                "backslash behind it"},
        Mistake{"EmptySequence", "input_filter:\n  block_sequences: [a, '']\n",
                "f:2:24: input_filter.block_sequences[1]: must not be empty"},
        Mistake{"LongSequence", "input_filter:\n  block_sequences: ['" + std::string(65, 'x') + "']\n",
                "f:2:21: input_filter.block_sequences[0]: must not have more than 64 bytes"},
        Mistake{"BadMount", "sandbox: {mounts: ['/a:b']}\n",
                "f:1:20: sandbox.mounts[0]: wants SOURCE:TARGET or SOURCE:TARGET:ro, both absolute paths"},
        Mistake{"ListForAMap", "session: {env: [A=b]}\n",
                "f:1:16: session.env: wants a map of texts, as {A: b}"},
        Mistake{"BadName", "session: {env: {A-B: c}}\n",
                "f:1:17: session.env.A-B: is not a name of letters, digits and _"},
        Mistake{"ListInAMap", "session: {env: {A: [b]}}\n",
                "f:1:20: session.env.A: wants a text, not a list"},
        Mistake{"KeyTwiceInAMap", "session:\n  env:\n    A: b\n    A: c\n",
                "f:4:5: session.env.A: is set twice (first on line 3)"},
        Mistake{"Mask", "session: {env: {A: '********'}}\n",
                "f:1:20: session.env.A: has what 'tend config show' prints in place of a secret"},
        Mistake{"BadUrlIsNotRepeated", "channels: {webhook: {url: hunter2}}\n",
                "f:1:27: channels.webhook.url: wants a URL that begins with https:// or http://"},
        Mistake{"SecretIsNotRepeated", "session: {env: hunter2}\n",
                "f:1:16: session.env: wants a map of texts, as {A: b}"},
        Mistake{"TextForRecords", "prompts: {rules: x}\n",
                "f:1:18: prompts.rules: wants a list of maps, not 'x'"},
        Mistake{"TextInRecords", "prompts: {rules: [x]}\n", "f:1:19: prompts.rules[0]: wants a map, not 'x'"},
        Mistake{"UnknownField", "prompts: {rules: [{anser: y}]}\n",
                "f:1:20: prompts.rules[0].anser: is not a field (did you mean 'answer'?)"},
        Mistake{"FieldTwice", "prompts:\n  rules:\n    - answer: y\n      answer: n\n",
                "f:4:7: prompts.rules[0].answer: is set twice (first on line 3)"},
        Mistake{"BadField", "prompts: {rules: [{answer: y, max: 0}]}\n",
                "f:1:36: prompts.rules[0].max: wants a whole number from 1 to 1000000, not '0'"},
        Mistake{
            "BadTypeOfPrompt", "prompts: {rules: [{answer: y, type: yes_no}]}\n",
            "f:1:37: prompts.rules[0].type: wants one of YES_NO, CONFIRM_ENTER, MULTIPLE_CHOICE, FREE_TEXT, "
            "PAGER, UNKNOWN, not 'yes_no'"},
        Mistake{"RuleWithoutEffect", "prompts: {rules: [{text: x}]}\n",
                "f:1:19: prompts.rules[0]: wants either 'answer' or 'action'"},
        Mistake{"RuleWithTwoEffects", "prompts: {rules: [{answer: y, action: ask}]}\n",
                "f:1:19: prompts.rules[0]: wants either 'answer' or 'action'"},
        Mistake{"MaxWithoutAnswer", "prompts: {rules: [{action: ask, max: 1}]}\n",
                "f:1:19: prompts.rules[0]: has 'max' without 'answer'"},
        Mistake{"NoPattern", "detector: {patterns: [{type: PAGER}]}\n",
                "f:1:23: detector.patterns[0]: wants the field 'pattern'"},
        Mistake{"NullPattern", "detector: {patterns: [{type: PAGER, pattern: ~}]}\n",
                "f:1:23: detector.patterns[0]: wants the field 'pattern'"},
        Mistake{"Thresholds", "detector:\n  high_threshold: 0.5\n",
                "default: detector.med_threshold: must not be above detector.high_threshold"},
        Mistake{"CertificateWithoutKey", "web:\n  tls_cert: /c\n",
                "f:2: web.tls_cert: needs web.tls_key beside it"},
        Mistake{"KeyWithoutCertificate", "web:\n  tls_key: /k\n",
                "f:2: web.tls_key: needs web.tls_cert beside it"},
        Mistake{"OneTokenOfTwo", "channels:\n  slack:\n    app_token_file: /t\n",
                "f:3: channels.slack.app_token_file: needs channels.slack.bot_token_file beside it"}),
    [](const auto& mistake) { return mistake.param.what; });

TEST(Errors, OfAFileAreAllFound) {
  const support::TempDir folder;
  const std::string file = folder.file("f.yml");
  support::write_file(file,
                      "web:\n  prot: 1\n  insecure: 5\nprompts:\n  rules:\n    - {type: X, max: 0}\n    - 7\n"
                      "session:\n  env: {A: [], 1B: x}\n");
  EXPECT_THAT(
      messages(check_file(file).errors),
      testing::ElementsAre(
          file + ":2:3: web.prot: is not a setting (did you mean 'port'?)",
          file + ":3:13: web.insecure: wants true or false, not '5'",
          file +
              ":6:14: prompts.rules[0].type: wants one of YES_NO, CONFIRM_ENTER, MULTIPLE_CHOICE, FREE_TEXT, "
              "PAGER, UNKNOWN, not 'X'",
          file + ":6:22: prompts.rules[0].max: wants a whole number from 1 to 1000000, not '0'",
          file + ":7:7: prompts.rules[1]: wants a map, not '7'",
          file + ":9:12: session.env.A: wants a text, not a list",
          file + ":9:16: session.env.1B: is not a name of letters, digits and _"));
}

TEST(Errors, OfAllLayersAreFoundAndTheFirstIsTheError) {
  const support::TempDir folder;
  support::write_file(folder.file("a"), "web: {port: x}\n");
  support::write_file(folder.file("b"), "web: {host: []}\n");
  const Sources sources{.user_file = folder.file("a"),
                        .named_file = folder.file("b"),
                        .environment = {"TEND_WEB_PORT=y", "TEND_CLI_ARGS=[", "TEND_WEB_PROT=1"},
                        .assignments = {"web.port", "web.prot=1", "web.port=z", "web=1", "session.env.A-=1"}};
  const std::string wants = "web.port: wants a whole number from 0 to 65535, not ";
  EXPECT_THAT(messages(check(sources).errors),
              testing::ElementsAre(folder.file("a") + ":1:13: " + wants + "'x'",
                                   folder.file("b") + ":1:13: web.host: wants a text, not a list",
                                   "TEND_CLI_ARGS: cli.args: is not YAML: end of sequence flow not found",
                                   "TEND_WEB_PORT: " + wants + "'y'",
                                   "TEND_WEB_PROT: is not a setting (did you mean 'TEND_WEB_PORT'?)",
                                   "--set: web.port: wants section.key=value",
                                   "--set: web.prot: is not a setting (did you mean 'web.port'?)",
                                   "--set: " + wants + "'z'", "--set: web: is not a setting",
                                   "--set: session.env.A-: is not a name of letters, digits and _"));
  EXPECT_EQ(folder.file("a") + ":1:13: " + wants + "'x'", load(sources).error().message());
}

TEST(Errors, AreOneLineWhateverTheyAreAbout) {
  const support::TempDir folder;
  const std::string file = folder.file("a\nb");
  support::write_file(file, "\"\\e\\n\": 1\nweb: {port: \"\\r\"}\n");
  EXPECT_THAT(
      messages(check_file(file).errors),
      testing::ElementsAre(folder.file("a\\nb") + ":1:1: \\x1b\\n: is not a setting",
                           folder.file("a\\nb") +
                               ":2:13: web.port: wants a whole number from 0 to 65535, not the text '\\r'"));
}

TEST(Errors, OfAVariableDoNotTellSecrets) {
  const auto loaded = load({.environment = {"TEND_CHANNELS_WEBHOOK_URL=hunter2"}});
  EXPECT_EQ(
      "TEND_CHANNELS_WEBHOOK_URL: channels.webhook.url: wants a URL that begins with https:// or http://",
      loaded.error().message());
}

TEST(Errors, AreSaidOfTextThatIsNotUtf8) {
  EXPECT_EQ("TEND_WEB_HOST: web.host: is not UTF-8",
            load({.environment = {"TEND_WEB_HOST=\xFF"}}).error().message());
  EXPECT_EQ("--set: web.port: wants a whole number from 0 to 65535, not '?'",
            load({.assignments = {"web.port=\xFF"}}).error().message());
}

class BadFile : public testing::Test {
 protected:
  std::string refused(const std::string& path) {
    const auto loaded = load({.named_file = path});
    return loaded ? "" : loaded.error().message();
  }
  support::TempDir folder_;
};

TEST_F(BadFile, IsAnErrorIfItWasNamedAndIsNotThere) {
  const std::string path = folder_.file("none.yml");
  EXPECT_EQ(path + ": cannot be opened: No such file or directory", refused(path));
  EXPECT_TRUE(load({.user_file = path, .project_file = path}));
  EXPECT_EQ("'': cannot be opened: No such file or directory", refused(""));
}

TEST_F(BadFile, IsOneThatIsNoFile) {
  EXPECT_EQ(folder_.path().string() + ": is not a regular file", refused(folder_.path().string()));
  EXPECT_EQ("/dev/zero: is not a regular file", refused("/dev/zero"));
  const std::string fifo = folder_.file("fifo");
  ASSERT_EQ(0, ::mkfifo(fifo.c_str(), 0600));
  EXPECT_EQ(fifo + ": is not a regular file", refused(fifo));
  EXPECT_FALSE(load({.user_file = fifo}));
  EXPECT_FALSE(load({.project_file = fifo}));
}

TEST_F(BadFile, IsOneThatIsTooLarge) {
  const std::string path = folder_.file("large.yml");
  support::write_file(path, std::string(1 << 20, '\n'));
  EXPECT_EQ("", refused(path));
  support::write_file(path, std::string((1 << 20) + 1, '\n'));
  EXPECT_EQ(path + ": is too large (1 MiB at most)", refused(path));
}

TEST_F(BadFile, IsOneThatMayNotBeRead) {
  const std::string path = folder_.file("closed.yml");
  support::write_file(path, "");
  ASSERT_EQ(0, ::chmod(path.c_str(), 0));
  // Root may read everything, so it becomes somebody else for a moment.
  const uid_t user = ::geteuid();
  constexpr uid_t kNobody = 65534;
  if (user == 0) {
    ASSERT_EQ(0, ::seteuid(kNobody));
  }
  EXPECT_EQ(path + ": cannot be opened: Permission denied", refused(path));
  EXPECT_FALSE(load({.user_file = path}));
  ASSERT_EQ(0, ::seteuid(user));
}

TEST_F(BadFile, IsAFoundOneOfSomebodyElse) {
  const std::string path = folder_.file("tend.yml");
  support::write_file(path, "web: {port: 1}\n");
  if (::chown(path.c_str(), 12345, 12345) != 0) {
    ASSERT_NE(0U, ::geteuid()) << "only root can give files away, and this is root";
    return;
  }
  const auto loaded = load({.project_file = path});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(path + ": belongs to another user (if you trust it: tend --config " + path + " …)",
            loaded.error().message());
  EXPECT_TRUE(load({.named_file = path}));
}

TEST(Warnings, AreGivenForSettingsWithoutMeaning) {
  const auto loaded = load_text("detector:\n  stuck_poll_interval_seconds: 0.5\n", "f");
  ASSERT_TRUE(loaded);
  EXPECT_THAT(messages(loaded->warnings),
              testing::ElementsAre(
                  "f:2:3: detector.stuck_poll_interval_seconds: has no meaning any more: nothing polls"));
  EXPECT_EQ(defaults().config, loaded->config);
  EXPECT_FALSE(load_text("detector:\n  stuck_poll_interval_seconds: x\n", "f"));
}

}  // namespace
}  // namespace config
