// SPDX-License-Identifier: Apache-2.0
#include "session/policy.h"

#include <gtest/gtest.h>

namespace session {
namespace {

using Kind = Decision::Kind;

config::PromptRule answers(std::string value) {
  config::PromptRule rule;
  rule.answer = std::move(value);
  return rule;
}
config::PromptRule does(config::RuleAction action) {
  config::PromptRule rule;
  rule.action = action;
  return rule;
}

detect::Asked asked(std::string question, detect::Type type = detect::Type::yes_no) {
  detect::Asked made;
  made.prompt.question = std::move(question);
  made.prompt.type = type;
  made.confidence = 0.9;
  return made;
}

Decision decide(const std::vector<config::PromptRule>& rules, const detect::Asked& question,
                int64_t so_far = 0) {
  const auto policy = Policy::make(rules);
  EXPECT_TRUE(policy);
  return (*policy)->decide({.command = {"/usr/bin/apt", "install"},
                            .cwd = "/home/ada/work",
                            .asked = question,
                            .answers = [so_far](const std::string&) { return so_far; }});
}

TEST(Policy, WithoutARuleAPersonIsAsked) {
  EXPECT_EQ(Kind::ask, decide({}, asked("Go on?")).kind);
  EXPECT_EQ("", decide({}, asked("Go on?")).rule);
}

TEST(Policy, TheFirstRuleThatFitsDecides) {
  auto first = does(config::RuleAction::ask);
  first.text = "^Delete";
  const std::vector rules{first, answers("yes"), does(config::RuleAction::ignore)};
  EXPECT_EQ(Kind::ask, decide(rules, asked("Delete it?")).kind);
  EXPECT_EQ("prompts.rules[0]", decide(rules, asked("Delete it?")).rule);
  const Decision other = decide(rules, asked("Really Delete it?"));
  EXPECT_EQ(Kind::answer, other.kind);
  EXPECT_EQ("yes", other.value);
  EXPECT_EQ("prompts.rules[1]", other.rule);
}

TEST(Policy, ARuleLooksAtCommandFolderTypeAndConfidence) {
  const auto fits = [](auto change) {
    config::PromptRule rule = answers("y");
    change(rule);
    return decide({rule}, asked("Go on?")).kind == Kind::answer;
  };
  EXPECT_TRUE(fits([](auto& rule) { rule.command = "apt"; }));
  EXPECT_TRUE(fits([](auto& rule) { rule.command = "/usr/bin/apt"; }));
  EXPECT_FALSE(fits([](auto& rule) { rule.command = "install"; }));
  EXPECT_FALSE(fits([](auto& rule) { rule.command = "/opt/apt"; }));
  EXPECT_TRUE(fits([](auto& rule) { rule.cwd = "/home/ada/"; }));
  EXPECT_TRUE(fits([](auto& rule) { rule.cwd = "/"; }));
  EXPECT_FALSE(fits([](auto& rule) { rule.cwd = "/home/ad"; }));
  EXPECT_FALSE(fits([](auto& rule) { rule.cwd = "/home/ada/work/deep"; }));
  EXPECT_TRUE(fits([](auto& rule) { rule.type = config::PromptType::yes_no; }));
  EXPECT_FALSE(fits([](auto& rule) { rule.type = config::PromptType::free_text; }));
  EXPECT_TRUE(fits([](auto& rule) { rule.min_confidence = 0.9; }));
  EXPECT_FALSE(fits([](auto& rule) { rule.min_confidence = 0.95; }));
}

TEST(Policy, ARuleThatHasDoneAllItMayLeavesItToAPerson) {
  config::PromptRule rule = answers("y");
  rule.max = 2;
  EXPECT_EQ(Kind::answer, decide({rule}, asked("Go on?"), 1).kind);
  EXPECT_EQ(Kind::ask, decide({rule}, asked("Go on?"), 2).kind);
  EXPECT_EQ("prompts.rules[0]", decide({rule}, asked("Go on?"), 2).rule);
}

TEST(Policy, ASecretIsAPersonsToAnswer) {
  detect::Asked secret = asked("Password:");
  secret.prompt.secret = true;
  EXPECT_EQ(Kind::ask, decide({answers("x")}, secret).kind);
  EXPECT_EQ(Kind::ask, decide({does(config::RuleAction::ignore)}, secret).kind);
}

TEST(Policy, AnExpressionThatCannotBeReadIsNamed) {
  config::PromptRule rule = answers("y");
  rule.text = "(";
  const auto policy = Policy::make({rule});
  ASSERT_FALSE(policy);
  EXPECT_NE(std::string::npos, policy.error().message().find("prompts.rules[0]"));
}

}  // namespace
}  // namespace session
