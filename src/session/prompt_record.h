// SPDX-License-Identifier: Apache-2.0
// A question as the store keeps it, and how tend knows it as JSON.
#pragma once
#include <boost/json/object.hpp>
#include <string>

#include "session/question.h"
#include "store/prompts.h"

namespace session {

// A hash of what is asked, wherever it stands on the screen.
std::string region_of(const detect::Prompt& prompt);

struct Asker {
  std::string session;
  std::string name;
  int64_t pty = 0;
  int64_t run = 0;
};
store::PromptRecord record_of(const Question& question, const Asker& asker);

boost::json::object to_json(const detect::Explanation& why);

}  // namespace session
