// SPDX-License-Identifier: Apache-2.0
#include "loop/limits.h"

#include <memory>
#include <re2/re2.h>
#include <vector>

#include "base/strings.h"
#include "loop/bare_line.h"
#include "loop/limit_table.h"
#include "loop/limit_time.h"

namespace loop {
namespace {

constexpr size_t kLongestLine = 4096;  // more is no message
constexpr int kMostLines = 3;          // that a message is wrapped to, behind its first

// What agents draw before an error: marks that are neither letter nor digit nor quotation, and the word.
constexpr std::string_view kBefore = R"((?i)^(?:[^\pL\pN"'`(\[{]{1,6})?(?:error: ?)?)";

std::unique_ptr<RE2> compile(std::string_view expression) {
  RE2::Options options;
  options.set_log_errors(false);
  return std::make_unique<RE2>(std::string(kBefore).append(expression), options);
}

const std::vector<std::unique_ptr<RE2>>& expressions() {
  static const auto kAll = [] {
    std::vector<std::unique_ptr<RE2>> all;
    for (const LimitRow& row : limit_table()) all.push_back(compile(row.expression));
    return all;
  }();
  return kAll;
}

}  // namespace

std::optional<UsageLimit> find_limit(config::Backend backend, std::string_view line, base::WallTime now) {
  if (line.size() > kLongestLine) return {};
  const std::string_view bare = bare_line(line);
  const auto rows = limit_table();
  for (size_t i = 0; i < rows.size(); i++) {
    if (rows[i].backend != backend) continue;
    const RE2& expression = *expressions()[i];
    re2::StringPiece told;
    const re2::StringPiece text(bare.data(), bare.size());
    const bool matches = expression.NumberOfCapturingGroups() == 0
                             ? RE2::PartialMatch(text, expression)
                             : RE2::PartialMatch(text, expression, &told);
    if (!matches) continue;
    UsageLimit limit{std::string(base::trim(line))};
    if (!told.empty()) limit.resets_at = time_told({told.data(), told.size()}, now);
    return limit;
  }
  return {};
}

bool LimitWatch::line(std::string_view line, base::WallTime now) {
  if (auto limit = find_limit(backend_, line, now)) {
    may_go_on_ = kMostLines;
    text_ = limit->message;
    found_ = std::move(limit);
    return true;
  }
  const std::string_view bare = bare_line(line);
  if (may_go_on_ == 0 || bare.empty()) return false;
  may_go_on_--;
  text_.append(1, ' ').append(bare);
  // The break may be in the middle of the time ("11:51", "PM."): what follows counts if it changes that.
  const auto limit = find_limit(backend_, text_, now);
  if (!limit || limit->resets_at == found_->resets_at) return false;
  found_ = limit;
  return true;
}

}  // namespace loop
