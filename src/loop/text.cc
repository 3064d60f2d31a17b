// SPDX-License-Identifier: Apache-2.0
#include "loop/text.h"

#include <ctime>
#include <fmt/format.h>

#include "base/strings.h"
#include "vt/utf8.h"

namespace loop {
namespace {

using std::chrono::duration_cast;
using std::chrono::floor;
using std::chrono::microseconds;
using std::chrono::seconds;

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7f && c < 0xa0); }

std::optional<int> digits(std::string_view text, size_t at, size_t count, int most) {
  return base::parse_number<int>(text.substr(at, count), 0, most);
}

}  // namespace

std::string readable(std::string_view bytes) {
  std::string text;
  const char* end = bytes.data() + bytes.size();
  for (const char* p = bytes.data(); p < end;) {
    const auto decoded = vt::utf8::decode(p, end);
    if (decoded.size == 0) {
      vt::utf8::append(text, vt::utf8::kReplacement);
      break;
    }
    p += decoded.size;
    const char32_t c = decoded.code_point;
    if (c == '\n' || c == '\t' || !is_control(c)) vt::utf8::append(text, c);
  }
  return text;
}

std::string_view last_characters(std::string_view text, size_t most) {
  size_t at = text.size();
  while (at > 0 && most > 0) {
    at--;
    if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) most--;
  }
  return text.substr(at);
}

std::string iso_time(base::WallTime at) {
  const auto whole = floor<seconds>(at.time_since_epoch());
  const auto rest = duration_cast<microseconds>(at.time_since_epoch() - whole);
  const std::time_t stamp = whole.count();
  std::tm parts{};
  ::gmtime_r(&stamp, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, rest.count());
}

std::optional<int64_t> parse_iso_time(std::string_view text) {
  if (text.size() != 27 || text[10] != 'T' || text[19] != '.' || text[26] != 'Z') return {};
  const auto year = digits(text, 0, 4, 9999);
  const auto month = digits(text, 5, 2, 12);
  const auto day = digits(text, 8, 2, 31);
  const auto hour = digits(text, 11, 2, 23);
  const auto minute = digits(text, 14, 2, 59);
  const auto second = digits(text, 17, 2, 60);
  const auto rest = digits(text, 20, 6, 999'999);
  if (!year || !month || !day || !hour || !minute || !second || !rest) return {};
  std::tm parts{};
  parts.tm_year = *year - 1900;
  parts.tm_mon = *month - 1;
  parts.tm_mday = *day;
  parts.tm_hour = *hour;
  parts.tm_min = *minute;
  parts.tm_sec = *second;
  return static_cast<int64_t>(::timegm(&parts)) * 1'000'000 + *rest;
}

std::string local_time(base::WallTime at, base::WallTime now) {
  const auto parts_of = [](base::WallTime time) {
    const std::time_t stamp = floor<seconds>(time.time_since_epoch()).count();
    std::tm parts{};
    ::localtime_r(&stamp, &parts);
    return parts;
  };
  const std::tm then = parts_of(at);
  const std::tm today = parts_of(now);
  std::string clock = fmt::format("{:02}:{:02}", then.tm_hour, then.tm_min);
  if (then.tm_year == today.tm_year && then.tm_yday == today.tm_yday) return clock;
  return fmt::format("{:04}-{:02}-{:02} {}", then.tm_year + 1900, then.tm_mon + 1, then.tm_mday, clock);
}

std::string in_words(base::Duration length) {
  const auto all = std::chrono::round<seconds>(length).count();
  if (all < 60) return fmt::format("{} s", all);
  if (all < 3600) return fmt::format("{} min {} s", all / 60, all % 60);
  return fmt::format("{} h {} min", all / 3600, all / 60 % 60);
}

int64_t in_milliseconds(base::Duration length) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(length).count();
}

}  // namespace loop
