// SPDX-License-Identifier: Apache-2.0
// vt::Screen as a View, and a Screen that is fed from a Recording.
#pragma once
#include <memory>
#include <string>

#include "recording.h"
#include "view.h"
#include "vt/screen.h"

namespace vt_test {

enum class Scrollback { without, with };

// A Screen that keeps its replies.
class Player : private vt::Sink {
 public:
  Player(int cols, int rows, size_t scrollback_rows);

  void play(const Event& event);
  vt::Screen& screen() { return screen_; }
  const std::string& replies() const { return replies_; }
  View view(Scrollback scrollback) const;

 private:
  void reply(std::string_view bytes) override { replies_ += bytes; }

  std::string replies_;
  vt::Screen screen_;
};

}  // namespace vt_test
