// SPDX-License-Identifier: Apache-2.0
#include "loop/outcome.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "loop/text.h"

namespace loop {
namespace {

using std::chrono::seconds;

constexpr size_t kMostInSummary = 10;
constexpr std::array<std::string_view, 8> kHows = {"exit",    "idle",    "interrupted",  "killed",
                                                   "stopped", "runtime", "spawn failed", "limit"};

struct WhyRow {
  Why why;
  std::string_view name;
  int exit_code;
};
constexpr std::array kWhys{
    WhyRow{Why::promise_kept, "promise kept", 0}, WhyRow{Why::failures, "too many failures", 1},
    WhyRow{Why::stopped, "stopped", 1},           WhyRow{Why::iterations, "iterations used up", 5},
    WhyRow{Why::runtime, "time used up", 5},      WhyRow{Why::interrupted, "interrupted", 130},
    WhyRow{Why::limit, "usage limit", 1},
};

constexpr seconds kFirstPause{300};
constexpr seconds kLongestPause{3600};

const WhyRow& row(Why why) {
  return *std::find_if(kWhys.begin(), kWhys.end(), [&](const WhyRow& each) { return each.why == why; });
}

std::string exit_in_words(const pty::ExitStatus& exit) {
  if (exit.signal != 0) return fmt::format("ended by signal {}", exit.signal);
  return fmt::format("exit code {}", exit.code);
}

}  // namespace

std::string_view name_of(How how) { return kHows[static_cast<size_t>(how)]; }
std::string_view name_of(Why why) { return row(why).name; }
int exit_code_of(Why why) { return row(why).exit_code; }

bool is_failure(const IterationEnd& end) {
  if (end.promise_kept) return false;
  if (end.how == How::spawn_failed) return true;
  return end.how == How::exit && end.exit && end.exit->code != 0;
}

std::string in_words(const IterationEnd& end, base::Duration idle_timeout) {
  const std::string after = " after " + in_words(end.lasted);
  switch (end.how) {
    case How::exit:
      return end.exit ? exit_in_words(*end.exit) + after : "ended" + after;
    case How::idle:
      return fmt::format("idle for {}, sent SIGTERM", in_words(idle_timeout));
    case How::interrupted:
      return "interrupted" + after;
    case How::killed:
      return "killed" + after;
    case How::stopped:
      return "stopped" + after;
    case How::runtime:
      return "out of time" + after;
    case How::spawn_failed:
      return "could not be started: " + end.reason;
    case How::limit:
      return "usage limit reached" + after;
  }
  return "";
}

void Outcome::note(int iteration, const IterationEnd& end) {
  last_ = end;
  newest_.push_back({iteration, end});
  if (newest_.size() > kMostInSummary) newest_.erase(newest_.begin());
  // The agent could not work: neither an iteration nor a failure.
  if (end.how == How::limit) return;
  iterations_++;
  failures_ = is_failure(end) ? failures_ + 1 : 0;
}

std::optional<Why> Outcome::over() const {
  if (!last_) return {};
  switch (last_->how) {
    case How::interrupted:
    case How::killed:
      return Why::interrupted;
    case How::stopped:
      return Why::stopped;
    case How::limit:
      if (limits_.on_limit == config::OnLimit::stop) return Why::limit;
      return {};
    default:
      break;
  }
  if (last_->promise_kept) return Why::promise_kept;
  if (failures_ >= limits_.max_consecutive_failures) return Why::failures;
  if (last_->how == How::runtime) return Why::runtime;
  if (iterations_ >= limits_.max_iterations) return Why::iterations;
  return {};
}

std::string Outcome::summary(Why why, base::Duration lasted, const std::string& folder) const {
  std::string text = fmt::format("tend loop: {} after {} {}, {}\n", name_of(why), iterations_,
                                 iterations_ == 1 ? "iteration" : "iterations", in_words(lasted));
  for (const Past& each : newest_) {
    std::string what = each.end.how == How::idle ? "ended as idle after " + in_words(each.end.lasted)
                                                 : in_words(each.end, {});
    if (each.end.promise_kept) what += ", promise kept";
    text += fmt::format("  iteration {}: {}\n", each.iteration, what);
  }
  return text + "  logs: " + folder + "\n";
}

base::WallTime LimitPause::until(std::optional<base::WallTime> resets_at, base::WallTime now) {
  const int times = std::min(times_++, 12);
  if (!resets_at || *resets_at <= now)
    return now + std::min<base::Duration>(kFirstPause * (1 << times), kLongestPause);
  if (times == 0) return *resets_at;
  return std::max<base::WallTime>(*resets_at,
                                  now + std::min<base::Duration>(seconds(1 << times), kLongestPause));
}

}  // namespace loop
