// SPDX-License-Identifier: Apache-2.0
#include "channel/token.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/strings.h"
#include "wire/params.h"

namespace channel {
namespace {

using base::Code;
using base::fail;
using base::Result;

constexpr size_t kMostToken = 4096;

Result<std::string> read_private(const std::string& path) {
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return fail(Code::invalid_param, errno, "cannot read " + path);
  struct stat about{};
  if (::fstat(file.get(), &about) != 0) return fail(Code::invalid_param, errno, "cannot look at " + path);
  if (!S_ISREG(about.st_mode)) return fail(Code::invalid_param, 0, path + " is not a file");
  if (about.st_uid != ::geteuid() || (about.st_mode & 077) != 0)
    return fail(Code::invalid_param, 0,
                fmt::format("{} may be read by others: chmod 600 {}", path, base::shell_quote(path)));
  std::array<char, kMostToken + 1> bytes{};
  const ssize_t count = ::read(file.get(), bytes.data(), bytes.size());
  if (count < 0) return fail(Code::invalid_param, errno, "cannot read " + path);
  if (static_cast<size_t>(count) > kMostToken) return fail(Code::invalid_param, 0, path + " is too long");
  return std::string(bytes.data(), static_cast<size_t>(count));
}

Result<std::string> token_in(std::string_view text, const std::string& where) {
  const std::string_view token = base::trim(text);
  const bool good = !token.empty() && token.size() <= kMostToken &&
                    std::all_of(token.begin(), token.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  if (!good) return fail(Code::invalid_param, 0, fmt::format("what {} has is no token", where));
  return std::string(token);
}

}  // namespace

Result<std::string> given_token(const boost::json::object& given, std::string_view name) {
  if (const auto typed = wire::text(given, name)) return token_in(*typed, "standard input");
  const auto file = wire::text(given, fmt::format("{}_file", name));
  if (!file) return fail(Code::invalid_param, 0, fmt::format("there is no {}", name));
  return read_token({.file = file, .setting = name, .variable = ""});
}

Result<std::string> read_token(const TokenPlace& place) {
  std::string text;
  if (place.file) {
    auto read = read_private(*place.file);
    if (!read) return fail(read);
    text = std::move(*read);
  } else if (const char* given = std::getenv(std::string(place.variable).c_str()); given != nullptr) {
    text = given;
  } else {
    return fail(Code::invalid_param, 0,
                fmt::format("there is no token: set {} or {}", place.setting, place.variable));
  }
  return token_in(text, place.file ? *place.file : std::string(place.variable));
}

std::string without(std::string_view token, std::string text) {
  if (token.empty()) return text;
  for (size_t at = text.find(token); at != std::string::npos; at = text.find(token, at))
    text.replace(at, token.size(), "***");
  return text;
}

}  // namespace channel
