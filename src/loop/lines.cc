// SPDX-License-Identifier: Apache-2.0
#include "loop/lines.h"

#include <utility>

#include "loop/plain_lines.h"
#include "loop/screen_lines.h"

namespace loop {

class Lines::State {
 public:
  State(vt::Size size, Take take) : take_(std::move(take)), screen(size, take_), plain(take_) {}

 private:
  Take take_;

 public:
  ScreenLines screen;
  PlainLines plain;
};

Lines::Lines(vt::Size size, Take take) : state_(std::make_unique<State>(size, std::move(take))) {}
Lines::~Lines() = default;

void Lines::feed(std::string_view bytes) { state_->screen.feed(bytes); }
void Lines::feed_plain(std::string_view bytes) { state_->plain.feed(bytes); }
void Lines::resize(vt::Size size) { state_->screen.resize(size); }

void Lines::pause() {
  state_->screen.pause();
  state_->plain.pause();
}

}  // namespace loop
