// SPDX-License-Identifier: Apache-2.0
// What a loop says of itself: to the daemon, to its record, on its terminal, and at its end.
#include <fmt/format.h>

#include "loop/looping.h"
#include "loop/text.h"

namespace loop {
namespace {

using base::Result;
using std::chrono::seconds;

// For what is said at the end to arrive.
constexpr seconds kPatience{2};

}  // namespace

void Looping::report(std::string_view phase, const std::string& text) {
  json::object about{
      {"session", place_.session}, {"mode", name_of(mode_)}, {"iteration", iteration_}, {"phase", phase}};
  station_.line.keep("loop.report", about);
  if (!text.empty()) {
    about["text"] = "tend loop: " + text;
    station_.printer.line("tend loop: " + text);
  }
  station_.line.say("loop.report", std::move(about));
}

void Looping::record(std::string_view kind, json::object fields) {
  auto kept = place_.record.add(kind, std::move(fields));
  if (!kept && !std::exchange(told_of_record_, true))
    station_.printer.line("tend loop: " + kept.error().message());
}

Result<int> Looping::finish(Why why) {
  const base::Duration lasted = station_.now() - begin_;
  const std::string summary = outcome_.summary(why, lasted, folder_);
  record("ended", {{"why", name_of(why)},
                   {"exit_code", exit_code_of(why)},
                   {"iterations", outcome_.iterations()},
                   {"duration_ms", in_milliseconds(lasted)},
                   {"summary", summary}});
  station_.printer.line(std::string_view(summary).substr(0, summary.size() - 1));
  report("ended");
  settle();
  return exit_code_of(why);
}

Result<int> Looping::break_off(base::Error error) {
  const base::Duration lasted = station_.now() - begin_;
  record("ended", {{"why", "error"},
                   {"exit_code", 1},
                   {"iterations", outcome_.iterations()},
                   {"duration_ms", in_milliseconds(lasted)},
                   {"summary", fmt::format("tend loop: {}\n  logs: {}\n", error.message(), folder_)}});
  report("ended");
  settle();
  return std::unexpected(std::move(error));
}

void Looping::settle() {
  const base::Moment end = station_.now() + kPatience;
  while (station_.line.up() && !station_.line.quiet() && station_.now() < end) {
    if (!station_.wait(end)) break;
  }
  station_.printer.finish(kPatience);
}

}  // namespace loop
