// SPDX-License-Identifier: Apache-2.0
// A terminal that is painted, and the sizes of both.
#include "cli/attachment.h"

namespace cli {
namespace {

constexpr std::chrono::milliseconds kFrame{33};

}  // namespace

void Attachment::paint() {
  const base::Moment now = clock_.now();
  if (now - painted_at_ < kFrame) {
    paint_at_ = painted_at_ + kFrame;
    return;
  }
  paint_at_.reset();
  painted_at_ = now;
  ask_for_screen();
}

void Attachment::ask_for_screen() {
  if (!terminal_.is_terminal() || !client_ || screen_asked_ || attach_asked_) return;
  screen_asked_ = client_->send("pty.resync", {{"cols", window_.cols}, {"rows", window_.rows}});
}

void Attachment::send_window() {
  if (!terminal_.is_terminal()) return;
  const bool was_painted = painted();
  window_ = terminal_.size();
  if (was_painted || painted()) ask_for_screen();
  if (!client_ || attach_asked_) return;
  if (options_.loop && options_.loop->resizes)
    client_->notify("pty.resize",
                    {{"session", session_}, {"pty", pty_}, {"cols", window_.cols}, {"rows", window_.rows}});
  else if (options_.follow_window)
    client_->notify("pty.window", {{"cols", window_.cols}, {"rows", window_.rows}});
}

}  // namespace cli
