// SPDX-License-Identifier: Apache-2.0
#include "session/policy.h"

#include <algorithm>
#include <fmt/format.h>
#include <re2/re2.h>

namespace session {
namespace {

static_assert(static_cast<int>(detect::Type::unknown) == static_cast<int>(config::PromptType::unknown));

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_command(const std::string& wanted, const std::vector<std::string>& command) {
  return !command.empty() && (command[0] == wanted || file_name(command[0]) == wanted);
}

bool is_below(std::string folder, std::string_view cwd) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return cwd == folder || folder == "/" || (cwd.starts_with(folder) && cwd[folder.size()] == '/');
}

}  // namespace

base::Result<std::shared_ptr<const Policy>> Policy::make(const std::vector<config::PromptRule>& rules) {
  auto policy = std::make_shared<Policy>();
  for (const config::PromptRule& each : rules) {
    Rule rule{each, fmt::format("prompts.rules[{}]", policy->rules_.size()), {}};
    if (each.text) {
      auto text = std::make_shared<const RE2>(*each.text, RE2::Quiet);
      if (!text->ok())
        return base::fail(base::Code::invalid_param, 0, fmt::format("{}: {}", rule.name, text->error()));
      rule.text = std::move(text);
    }
    policy->rules_.push_back(std::move(rule));
  }
  return policy;
}

bool Policy::fits(const Rule& rule, const Facts& facts) {
  const config::PromptRule& wants = rule.rule;
  const detect::Prompt& prompt = facts.asked.prompt;
  return (!wants.command || is_command(*wants.command, facts.command)) &&
         (!wants.cwd || is_below(*wants.cwd, facts.cwd)) &&
         (!wants.type || static_cast<int>(*wants.type) == static_cast<int>(prompt.type)) &&
         facts.asked.confidence >= wants.min_confidence &&
         (!rule.text || RE2::PartialMatch(prompt.question, *rule.text));
}

Decision Policy::decide(const Facts& facts) const {
  if (facts.asked.prompt.secret) return {};
  const auto found =
      std::find_if(rules_.begin(), rules_.end(), [&](const Rule& each) { return fits(each, facts); });
  if (found == rules_.end()) return {};
  if (found->rule.action)
    return {*found->rule.action == config::RuleAction::ignore ? Decision::Kind::ignore : Decision::Kind::ask,
            found->name};
  // One that has done all it may leaves the question to a person.
  if (found->rule.max && facts.answers(found->name) >= *found->rule.max)
    return {Decision::Kind::ask, found->name};
  return {Decision::Kind::answer, found->name, found->rule.answer.value_or("")};
}

std::vector<std::string> Policy::bounded() const {
  std::vector<std::string> names;
  for (const Rule& each : rules_)
    if (each.rule.max) names.push_back(each.name);
  return names;
}

}  // namespace session
