// SPDX-License-Identifier: Apache-2.0
// The bytes that answer a prompt: what a person would press for this kind of question.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "detect/prompt.h"

namespace detect {

struct Answer {
  std::optional<std::string> text = {};
  std::optional<uint32_t> choice = {};  // counted from 1
};

// Neither text nor choice: Enter alone, where that is an answer. The error says what would be one.
base::Result<std::string> answer_bytes(const Prompt& prompt, const Answer& answer);

}  // namespace detect
