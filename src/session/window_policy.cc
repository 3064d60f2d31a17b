// SPDX-License-Identifier: Apache-2.0
#include "session/window_policy.h"

#include <algorithm>

namespace session {

std::optional<pty::Size> choose_size(config::Resize policy, std::span<const Window> writers) {
  if (writers.empty() || policy == config::Resize::fixed) return {};
  pty::Size size = writers.front().size;
  switch (policy) {
    case config::Resize::smallest:
      for (const Window& each : writers) {
        size.cols = std::min(size.cols, each.size.cols);
        size.rows = std::min(size.rows, each.size.rows);
      }
      break;
    case config::Resize::latest:
      size = std::max_element(writers.begin(), writers.end(), [](const Window& a, const Window& b) {
               return a.active < b.active;
             })->size;
      break;
    case config::Resize::leader:
      size = std::min_element(writers.begin(), writers.end(), [](const Window& a, const Window& b) {
               return a.attached < b.attached;
             })->size;
      break;
    case config::Resize::fixed:
      break;
  }
  size.cols = std::clamp<uint16_t>(size.cols, 1, pty::kMostCells);
  size.rows = std::clamp<uint16_t>(size.rows, 1, pty::kMostCells);
  return size;
}

}  // namespace session
