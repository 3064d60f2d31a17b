// SPDX-License-Identifier: Apache-2.0
#include "loop/mode.h"

#include <array>
#include <utility>

namespace loop {
namespace {

constexpr std::array kNames{std::pair{Mode::headless, std::string_view("headless")},
                            std::pair{Mode::interactive, std::string_view("pty")},
                            std::pair{Mode::observe, std::string_view("observe")}};

}  // namespace

// --pty on the command line means a person at the keyboard, whatever the settings say.
Mode select_mode(const config::Cli& settings, const ModeFlags& flags) {
  if (flags.no_pty) return Mode::headless;
  if (flags.observe) return Mode::observe;
  if (flags.pty) return Mode::interactive;
  if (!settings.pty_mode) return Mode::headless;
  return settings.pty_interactive ? Mode::interactive : Mode::observe;
}

std::string_view name_of(Mode mode) {
  for (const auto& [each, name] : kNames) {
    if (each == mode) return name;
  }
  return "";
}

std::optional<Mode> mode_named(std::string_view name) {
  for (const auto& [mode, each] : kNames) {
    if (each == name) return mode;
  }
  return {};
}

}  // namespace loop
