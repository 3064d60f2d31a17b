// SPDX-License-Identifier: Apache-2.0
// Policy: what becomes of a question before a person is asked: the first rule of prompts.rules that fits
// decides. A secret is always a person's to answer. Pure, but for what it compiles once.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "detect/detector.h"

namespace re2 {
class RE2;
}

namespace session {

struct Decision {
  enum class Kind { ask, ignore, answer } kind = Kind::ask;
  std::string rule = {};   // "prompts.rules[0]"; empty: none fitted
  std::string value = {};  // of an answer
};

class Policy {
 public:
  // Fails with the expression that RE2 does not take.
  static base::Result<std::shared_ptr<const Policy>> make(const std::vector<config::PromptRule>& rules);

  struct Facts {
    std::vector<std::string> command;
    std::string cwd;
    const detect::Asked& asked;
    // How often a rule has answered in this session.
    std::function<int64_t(const std::string& rule)> answers;
  };
  Decision decide(const Facts& facts) const;
  // Names of the rules that have a bound.
  std::vector<std::string> bounded() const;

 private:
  struct Rule {
    config::PromptRule rule;
    std::string name;
    std::shared_ptr<const re2::RE2> text;
  };
  static bool fits(const Rule& rule, const Facts& facts);
  std::vector<Rule> rules_;
};

}  // namespace session
