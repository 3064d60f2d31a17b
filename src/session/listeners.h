// SPDX-License-Identifier: Apache-2.0
// Listeners: functions to call when something has changed. Whoever listens holds the handle, and hears
// nothing any more once it is gone, even in the middle of a call that would have reached it next.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace session {

class Listeners {
 public:
  using Handle = std::shared_ptr<std::function<void()>>;

  [[nodiscard]] Handle add(std::function<void()> call) {
    auto handle = std::make_shared<std::function<void()>>(std::move(call));
    all_.push_back(handle);
    return handle;
  }

  bool empty() const { return all_.empty(); }

  void call() {
    if (all_.empty()) return;
    std::erase_if(all_, [](const auto& each) { return each.expired(); });
    const auto now = all_;  // a call may add others
    for (const auto& each : now) {
      if (const Handle held = each.lock()) (*held)();
    }
  }

 private:
  std::vector<std::weak_ptr<std::function<void()>>> all_;
};

}  // namespace session
