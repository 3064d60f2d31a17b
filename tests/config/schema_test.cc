// SPDX-License-Identifier: Apache-2.0
// What every row of the table must keep to.
#include "config/schema.h"

#include <gmock/gmock.h>
#include <set>

#include "config/load.h"

namespace config {
namespace {

TEST(Schema, HasDefaultsThatAreGood) {
  Findings findings;
  for (const Setting& setting : settings()) {
    if (!setting.fallback) continue;
    Layer layer;
    Reader({}, findings).read_setting(setting, *setting.fallback, layer);
  }
  for (const Setting& setting : settings()) {
    for (const Setting& field : setting.fields) {
      Layer layer;
      if (field.fallback) Reader({}, findings).read_setting(field, *field.fallback, layer);
    }
  }
  for (const Problem& problem : findings.errors) ADD_FAILURE() << problem.message();
}

TEST(Schema, NamesEverySettingOnce) {
  std::set<std::string_view> paths;
  std::set<std::string> variables;
  for (const Setting& setting : settings()) {
    EXPECT_TRUE(paths.insert(setting.path).second) << setting.path;
    EXPECT_TRUE(variables.insert(variable_of(setting)).second) << setting.path;
    EXPECT_FALSE(is_group(setting.path)) << setting.path;
    EXPECT_FALSE(setting.about.empty()) << setting.path;
    EXPECT_EQ(setting.store == nullptr, !setting.gone.empty()) << setting.path;
    EXPECT_EQ(&setting, find_setting(setting.path));
    EXPECT_EQ(&setting, find_variable(variable_of(setting)));
  }
}

TEST(Schema, KeepsGroupsTogetherInTheOrderOfTheSections) {
  std::vector<std::string_view> seen;
  for (const Setting& setting : settings()) {
    const auto section = setting.path.substr(0, setting.path.find('.'));
    if (seen.empty() || seen.back() != section) seen.push_back(section);
  }
  std::vector<std::string_view> names;
  for (const Section& section : sections()) names.push_back(section.name);
  EXPECT_THAT(seen, testing::ElementsAreArray(names));
}

TEST(Schema, LeavesTheVariablesOfOthersAlone) {
  for (const char* name :
       {"TEND_HOME", "TEND_SESSION", "TEND_PTY", "TEND_AGENT_ID", "TEND_TELEGRAM_TOKEN", "TEND"})
    EXPECT_FALSE(is_variable_of_a_section(name)) << name;
  EXPECT_TRUE(is_variable_of_a_section("TEND_SESSION_X"));
  EXPECT_TRUE(is_variable_of_a_section("TEND_EVENT_LOOP_X"));
}

// Each word of a choice, by its own setting, becomes another value of the enum: the first is 0, the next 1, …
TEST(Schema, HasAsManyWordsAsItsEnums) {
  const auto words = [](const char* path) { return find_setting(path)->choices.size(); };
  EXPECT_EQ(static_cast<size_t>(PromiseMatch::anywhere) + 1, words("event_loop.promise_match"));
  EXPECT_EQ(static_cast<size_t>(OnPrompt::ignore) + 1, words("event_loop.on_prompt"));
  EXPECT_EQ(static_cast<size_t>(OnLimit::stop) + 1, words("event_loop.on_limit"));
  EXPECT_EQ(static_cast<size_t>(Backend::custom) + 1, words("cli.backend"));
  EXPECT_EQ(static_cast<size_t>(PromptMode::stdin_text) + 1, words("cli.prompt_mode"));
  EXPECT_EQ(static_cast<size_t>(Resize::fixed) + 1, words("session.resize"));
  EXPECT_EQ(static_cast<size_t>(Anchor::anywhere) + 1, words("input_filter.anchor"));
  EXPECT_EQ(static_cast<size_t>(OnExpiry::take_default) + 1, words("prompts.on_expiry"));
  EXPECT_EQ(static_cast<size_t>(SandboxRoot::overlay) + 1, words("sandbox.root"));
  EXPECT_EQ(static_cast<size_t>(Network::proxy) + 1, words("sandbox.network"));
  EXPECT_EQ(static_cast<size_t>(PromptType::unknown) + 1,
            find_setting("detector.patterns")->fields[0].choices.size());
}

TEST(Defaults, AreWhatTheDocumentationSays) {
  const Config config = defaults().config;
  EXPECT_EQ("PROMPT.md", config.event_loop.prompt_file);
  EXPECT_EQ("LOOP_COMPLETE", config.event_loop.completion_promise);
  EXPECT_EQ(100, config.event_loop.max_iterations);
  EXPECT_EQ(std::chrono::hours(4), config.event_loop.max_runtime);
  EXPECT_EQ(Backend::claude, config.cli.backend);
  EXPECT_FALSE(config.cli.pty_mode);
  EXPECT_TRUE(config.cli.pty_interactive);
  EXPECT_EQ(std::chrono::seconds(30), config.cli.idle_timeout);
  EXPECT_EQ(std::chrono::seconds(1), config.session.restart_delay);
  EXPECT_EQ(Resize::smallest, config.session.resize);
  EXPECT_EQ(1U << 20U, config.session.journal_bytes);
  EXPECT_EQ('\x1d', config.session.detach_key);
  EXPECT_EQ(120, config.session.cols);
  EXPECT_EQ(30, config.session.rows);
  EXPECT_EQ(std::chrono::hours(24), config.session.max_age);
  EXPECT_EQ(std::chrono::milliseconds(500), config.input_filter.ctrl_c_debounce);
  EXPECT_EQ(std::chrono::seconds(2), config.detector.stuck_timeout);
  EXPECT_EQ(0.85, config.detector.high_threshold);
  EXPECT_EQ(0.60, config.detector.med_threshold);
  EXPECT_EQ(std::chrono::seconds(5), config.prompts.injection_timeout);
  EXPECT_FALSE(config.prompts.secrets_remote);
  EXPECT_EQ(OnExpiry::nothing, config.prompts.on_expiry);
  EXPECT_EQ(std::chrono::seconds(1), config.supervision.restart_delay);
  EXPECT_FALSE(config.channels.telegram.token_file);
  EXPECT_EQ("127.0.0.1", config.web.host);
  EXPECT_EQ(8888, config.web.port);
  EXPECT_EQ(Network::host, config.sandbox.network);
  EXPECT_EQ(std::chrono::days(90), config.store.archive);
  EXPECT_FALSE(config.audit.keystrokes);
  EXPECT_TRUE(config.evidence.automatic);
}

}  // namespace
}  // namespace config
