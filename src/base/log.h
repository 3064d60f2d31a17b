// SPDX-License-Identifier: Apache-2.0
// The front of the log: rooms say what happened, the program decides where it goes by setting one sink at its
// start, before it has a second thread. Without a sink nothing is formatted or written.
#pragma once
#include <fmt/core.h>
#include <functional>
#include <string_view>
#include <utility>

namespace base::log {

enum class Level { debug, info, warning, error };

std::string_view level_name(Level level);

using Sink = std::function<void(Level, std::string_view line)>;

// An empty sink turns the log off.
void set_sink(Sink sink, Level least);

bool enabled(Level level);
void write(Level level, std::string_view line);

template <typename... Args>
void say(Level level, fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(level)) write(level, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace base::log
