// SPDX-License-Identifier: Apache-2.0
#include "loop/iteration.h"

#include <sys/stat.h>
#include <unistd.h>

#include "loop/child.h"
#include "loop/lines.h"

namespace loop {
namespace {

constexpr vt::Size kPlainSize{80, 24};  // of no consequence: lines of a pipe end where they end

}  // namespace

std::vector<std::string> own_environment() {
  std::vector<std::string> env;
  for (char** each = environ; *each != nullptr; each++) env.emplace_back(*each);
  return env;
}

mode_t own_umask() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}

How how_of(Wish wish) {
  if (wish == Wish::kill) return How::killed;
  return wish == Wish::interrupt ? How::interrupted : How::stopped;
}

base::Result<IterationEnd> run_headless(const Workplace& place, const Task& task, Ear& ear) {
  Station& station = place.station;
  Lines lines(kPlainSize, [&](std::string_view line) { ear.line(line); });
  const base::Moment begin = station.now();
  const ChildRun run{.command = {.argv = task.invocation.argv,
                                 .env = own_environment(),
                                 .cwd = place.plan.cwd,
                                 .umask = own_umask()},
                     .input = task.invocation.input,
                     .deadline = task.deadline,
                     .output = [&](std::string_view bytes) {
                       station.printer.bytes(bytes);
                       lines.feed_plain(bytes);
                     }};
  auto ended = run_child(station, run);
  IterationEnd end;
  end.lasted = station.now() - begin;
  if (!ended) {
    if (ended.error().code != base::Code::pty_spawn_failed && ended.error().code != base::Code::invalid_param)
      return base::fail(ended);
    end.how = How::spawn_failed;
    end.reason = ended.error().message();
    return end;
  }
  lines.pause();
  end.exit = ended->exit;
  if (ended->cut == Cut::wish) end.how = how_of(station.wish());
  if (ended->cut == Cut::deadline) end.how = How::runtime;
  return end;
}

}  // namespace loop
