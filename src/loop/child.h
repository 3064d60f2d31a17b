// SPDX-License-Identifier: Apache-2.0
// A child of the runner's own, with pipes in place of a terminal: a headless agent, or the command that
// verifies a promise. It leads a session of its own, and the runner is the subreaper of all it starts: when
// it has ended, or is ended, so is everything that it left behind.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "loop/station.h"
#include "pty/pty.h"

namespace loop {

struct Child {
  pid_t pid = 0;
  base::Fd output;  // of both kinds; nonblocking
  base::Fd input;   // nonblocking; nothing where it reads the empty device
};

enum class ChildInput { none, pipe };

// Whatever keeps the program from running is the error here.
base::Result<Child> start_child(const pty::Command& command, ChildInput input);

enum class Cut { none, wish, deadline };

struct ChildEnd {
  pty::ExitStatus exit;
  Cut cut = Cut::none;  // who ended it, if it did not end by itself
};

// Runs it to the end of all its processes.
struct ChildRun {
  pty::Command command;
  std::string input = {};
  base::Moment deadline{};
  std::function<void(std::string_view)> output;
};
base::Result<ChildEnd> run_child(Station& station, const ChildRun& run);

}  // namespace loop
