// SPDX-License-Identifier: Apache-2.0
#include "cli/loop_router.h"

#include <algorithm>
#include <array>

namespace cli {
namespace {

constexpr std::array<std::string_view, 3> kCtrlC = {"\x03", "\x1b[99;5u", "\x1b[27;5;99~"};
constexpr size_t kLongestKey = 10;

}  // namespace

bool LoopRouter::has_ctrl_c(std::string_view keys) {
  recent_ += keys;
  const bool found = std::any_of(kCtrlC.begin(), kCtrlC.end(), [&](std::string_view form) {
    return recent_.find(form) != std::string::npos;
  });
  if (found) recent_.clear();
  if (recent_.size() > kLongestKey) recent_.erase(0, recent_.size() - kLongestKey);
  return found;
}

Routed LoopRouter::route(std::string_view keys, bool runs) {
  const loop::Routed told = keys_.type(keys, clock_.now());
  Routed routed;
  const bool agent_s = runs && keyboard_ != Keyboard::of_runner;
  const bool ctrl_c = has_ctrl_c(told.forward);
  if (told.stop == loop::Stop::kill)
    routed.control = kQuitKey;
  else if (told.stop == loop::Stop::terminate || (!agent_s && ctrl_c))
    routed.control = kInterruptKey;
  if (runs && keyboard_ == Keyboard::of_agent) routed.forward = told.forward;
  routed.holds = keys_.holding();
  return routed;
}

std::string LoopRouter::release(bool runs) {
  if (std::string held = keys_.release(); runs && keyboard_ == Keyboard::of_agent) return held;
  return {};
}

}  // namespace cli
