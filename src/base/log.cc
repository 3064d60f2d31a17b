// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

namespace base::log {
namespace {

struct State {
  Sink sink;
  Level least = Level::info;
};

State& state() {
  static State the_one;
  return the_one;
}

}  // namespace

std::string_view level_name(Level level) {
  switch (level) {
    case Level::debug:
      return "debug";
    case Level::info:
      return "info";
    case Level::warning:
      return "warning";
    case Level::error:
      return "error";
  }
  return "error";
}

void set_sink(Sink sink, Level least) {
  state().sink = std::move(sink);
  state().least = least;
}

bool enabled(Level level) { return state().sink && level >= state().least; }

void write(Level level, std::string_view line) {
  if (enabled(level)) state().sink(level, line);
}

}  // namespace base::log
