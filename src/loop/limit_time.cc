// SPDX-License-Identifier: Apache-2.0
#include "loop/limit_time.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <re2/re2.h>
#include <string>
#include <strings.h>

#include "base/strings.h"

namespace loop {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

constexpr std::chrono::days kLongest{400};  // what is further away is no limit's end

// The zone of this process, for as long as it lives.
class Zone {
 public:
  explicit Zone(const std::string& name) : set_(!name.empty()) {
    if (!set_) return;
    const char* const before = std::getenv("TZ");
    if (before != nullptr) before_ = before;
    ::setenv("TZ", name.c_str(), 1);
    ::tzset();
  }
  ~Zone() {
    if (!set_) return;
    if (before_)
      ::setenv("TZ", before_->c_str(), 1);
    else
      ::unsetenv("TZ");
    ::tzset();
  }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

 private:
  bool set_;
  std::optional<std::string> before_;
};

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

int number(const std::string& digits) { return digits.empty() ? -1 : std::atoi(digits.c_str()); }

struct Told {
  int year = -1;
  int month = -1;  // from 0
  int day = -1;
  int hour = -1;
  int minute = 0;
  std::string zone;
};

int month_named(std::string_view name) {
  constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                     "jul", "aug", "sep", "oct", "nov", "dec"};
  for (size_t i = 0; i < kMonths.size(); i++)
    if (::strncasecmp(name.data(), kMonths[i].data(), 3) == 0) return static_cast<int>(i);
  return -1;
}

int hour_of(int hour, const std::string& half) {
  if (half.empty()) return hour;
  return hour % 12 + (half[0] == 'p' || half[0] == 'P' ? 12 : 0);
}

// GMT-3 as POSIX wants it, who counts the other way round.
std::string fixed_zone(const std::string& offset) {
  if (offset.empty()) return "UTC0";
  return (offset[0] == '-' ? "UTC+" : "UTC-") + offset.substr(1);
}

std::optional<Told> read_date(std::string_view text) {
  static const RE2 kDay(
      R"((?i)^(?:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* (\d{1,2})(?:st|nd|rd|th)?)"
      R"((?:,? (20\d\d))?|(\d\d)/(\d\d))(?:,? ?(?:at )?))");
  static const RE2 kTime(R"((?i)^(\d{1,2})(?::(\d\d))? ?([ap])\.?m\b\.?|^(\d{1,2}):(\d\d)\b)");
  static const RE2 kZone(
      R"(^ ?(?:\(([A-Za-z][A-Za-z0-9_+/-]{1,60})\)|(?:GMT|UTC)([+-]\d{1,2}(?::\d\d)?)?\b))");
  re2::StringPiece rest = piece(text);
  Told told;
  std::string month, day, year, month_number, day_number;
  const bool dated = RE2::Consume(&rest, kDay, &month, &day, &year, &month_number, &day_number);
  if (dated) {
    told.month = month.empty() ? number(month_number) - 1 : month_named(month);
    told.day = number(month.empty() ? day_number : day);
    told.year = number(year);
  }
  std::string hour, minute, half, hour24, minute24;
  const bool timed = RE2::Consume(&rest, kTime, &hour, &minute, &half, &hour24, &minute24);
  if (timed) {
    told.hour = hour24.empty() ? hour_of(number(hour), half) : number(hour24);
    told.minute = std::max(0, number(hour24.empty() ? minute : minute24));
  }
  std::string named, offset;
  if (RE2::PartialMatch(rest, kZone, &named, &offset)) told.zone = named.empty() ? fixed_zone(offset) : named;
  if (!dated && !timed) return {};
  if (told.hour > 24 || told.minute > 59 || told.day > 31 || told.month > 11) return {};
  return told;
}

std::optional<base::WallTime> resolve(const Told& told, base::WallTime now) {
  const Zone zone(told.zone);
  const std::time_t at = system_clock::to_time_t(std::chrono::time_point_cast<system_clock::duration>(now));
  std::tm local{};
  if (::localtime_r(&at, &local) == nullptr) return {};
  const auto made = [&](int more_days, int more_years) {
    std::tm tm{};
    tm.tm_year = (told.year > 0 ? told.year - 1900 : local.tm_year) + more_years;
    tm.tm_mon = told.month >= 0 ? told.month : local.tm_mon;
    tm.tm_mday = (told.day > 0 ? told.day : local.tm_mday) + more_days;
    tm.tm_hour = std::max(told.hour, 0);
    tm.tm_min = told.minute;
    tm.tm_isdst = -1;
    return ::mktime(&tm);
  };
  constexpr std::time_t kDay = std::time_t{24} * 60 * 60;
  std::time_t moment = made(0, 0);
  if (told.day < 0 && moment <= at) moment = made(1, 0);
  // A day that has just gone by was meant; one that is long ago comes again.
  if (told.day > 0 && told.year < 0 && moment < at - 7 * kDay) moment = made(0, 1);
  return base::WallTime(seconds(moment));
}

std::optional<base::Duration> read_duration(std::string_view text) {
  static const RE2 kPart(R"((?i)^ ?(\d{1,7}(?:\.\d{1,9})?) ?)"
                         R"((ms|milliseconds?|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s))");
  if (text.starts_with("less than a minute")) return std::chrono::minutes(1);
  re2::StringPiece rest = piece(text);
  double total = 0;
  bool any = false;
  std::string count, unit;
  while (RE2::Consume(&rest, kPart, &count, &unit)) {
    const char u = static_cast<char>(std::tolower(static_cast<unsigned char>(unit[0])));
    const bool milli = unit == "ms" || unit.starts_with("milli");
    const double length = milli ? 0.001 : u == 'd' ? 86400 : u == 'h' ? 3600 : u == 'm' ? 60 : 1;
    total += std::strtod(count.c_str(), nullptr) * length;
    any = true;
  }
  if (!any || total > std::chrono::duration<double>(kLongest).count()) return {};
  return std::chrono::duration_cast<base::Duration>(std::chrono::duration<double>(total));
}

// Seconds since 1970, or milliseconds.
std::optional<base::WallTime> read_epoch(std::string_view text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits != 10 && digits != 13) return {};
  constexpr int64_t kMost = std::chrono::duration_cast<seconds>(base::Duration::max()).count();
  const auto value =
      base::parse_number<int64_t>(text.substr(0, digits), 0, digits == 10 ? kMost : kMost * 1000);
  if (!value) return {};
  return base::WallTime(digits == 10 ? base::Duration(seconds(*value)) : std::chrono::milliseconds(*value));
}

}  // namespace

std::optional<base::WallTime> time_told(std::string_view text, base::WallTime now) {
  std::optional<base::WallTime> moment = read_epoch(text);
  if (!moment) {
    if (const auto told = read_date(text)) moment = resolve(*told, now);
  }
  if (!moment) {
    if (const auto duration = read_duration(text)) moment = now + *duration;
  }
  if (moment && *moment - now > kLongest) return {};
  return moment;
}

}  // namespace loop
