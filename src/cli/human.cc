// SPDX-License-Identifier: Apache-2.0
#include "cli/human.h"

#include <array>
#include <boost/json/array.hpp>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fmt/format.h>

#include "base/strings.h"
#include "wire/params.h"

namespace cli {

using std::chrono::seconds;

std::optional<base::WallTime> parse_time(std::string_view text) {
  std::tm utc{};
  const std::string copy(text);
  const char* rest = ::strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &utc);
  if (rest == nullptr) return {};
  std::chrono::microseconds fraction{0};
  if (*rest == '.') {
    const std::string_view digits = std::string_view(rest + 1).substr(0, 6);
    fraction = std::chrono::microseconds(base::parse_number<int64_t>(digits, 0, 999'999).value_or(0));
  }
  return base::WallTime(seconds(::timegm(&utc)) + fraction);
}

std::string local_time(base::WallTime time) {
  const std::time_t whole = std::chrono::duration_cast<seconds>(time.time_since_epoch()).count();
  std::tm local{};
  ::localtime_r(&whole, &local);
  std::array<char, 64> buffer{};
  const size_t length = std::strftime(buffer.data(), buffer.size(), "%Y-%m-%d %H:%M:%S", &local);
  return {buffer.data(), length};
}

std::string duration(seconds span) {
  const int64_t s = span.count();
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min", s / 60);
  if (s < 86'400)
    return s % 3600 < 60 ? fmt::format("{} h", s / 3600)
                         : fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
  return s % 86'400 < 3600 ? fmt::format("{} d", s / 86'400)
                           : fmt::format("{} d {} h", s / 86'400, s % 86'400 / 3600);
}

std::string ago(base::WallTime then, base::WallTime now) {
  const auto span = std::chrono::duration_cast<seconds>(now - then);
  return span < seconds(1) ? "now" : duration(span) + " ago";
}

std::string amount_of_bytes(uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    unit++;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

std::string command_line(const wire::json::value& words) {
  std::string line;
  if (!words.is_array()) return line;
  for (const wire::json::value& each : words.get_array()) {
    if (!line.empty()) line += ' ';
    if (each.is_string()) line += base::shell_quote(std::string_view(each.get_string()));
  }
  return line;
}

std::string short_path(std::string_view path) {
  const char* home = std::getenv("HOME");
  const std::string_view prefix = home != nullptr ? home : "";
  if (prefix.size() > 1 && path.starts_with(prefix)) {
    const std::string_view rest = path.substr(prefix.size());
    if (rest.empty() || rest[0] == '/') return "~" + std::string(rest);
  }
  return std::string(path);
}

std::string how_it_ended(const wire::json::object& pty) {
  if (const auto signal = wire::integer(pty, "signal"); signal && *signal != 0) {
    const char* name = ::sigabbrev_np(static_cast<int>(*signal));
    return name != nullptr ? fmt::format("killed by SIG{}", name)
                           : fmt::format("killed by signal {}", *signal);
  }
  if (const auto code = wire::integer(pty, "exit_code")) return fmt::format("exited (code {})", *code);
  return {};
}

}  // namespace cli
