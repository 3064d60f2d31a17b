// SPDX-License-Identifier: Apache-2.0
// Tokens: from a file that nobody else may read, or from a variable of the environment. They go into requests
// and nowhere else: not into a log, an error, or a command line.
#pragma once
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace channel {

// The file goes before the variable. What is around the token (spaces, a newline) is no part of it; one with
// anything in it but printable ASCII is none. `setting` and `variable` are for the error.
struct TokenPlace {
  std::optional<std::string> file;
  std::string_view setting;   // channels.telegram.token_file
  std::string_view variable;  // TEND_TELEGRAM_TOKEN
};
base::Result<std::string> read_token(const TokenPlace& place);

// For Kind::check: NAME as it was typed, or from the file that NAME_file names.
base::Result<std::string> given_token(const boost::json::object& given, std::string_view name);

// "***" in place of the token, wherever it stands.
std::string without(std::string_view token, std::string text);

}  // namespace channel
