// SPDX-License-Identifier: Apache-2.0
#include "loop/typist.h"

#include <algorithm>
#include <utility>

namespace loop {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSettled{400};     // without output
constexpr milliseconds kSilent{1500};     // one that shows nothing reads by now
constexpr milliseconds kLongest{10'000};  // one whose screen never rests gets it anyway

}  // namespace

Typist::Typist(Station& station, std::string session, std::string text)
    : station_(station), session_(std::move(session)), text_(std::move(text)), typed_(text_.empty()) {
  // A newline at its end would be a second Enter.
  while (text_.ends_with('\n')) text_.pop_back();
}

void Typist::started(base::Moment now) { started_ = now; }

void Typist::output(std::string_view bytes, vt::Size size, base::Moment now) {
  if (typed_) return;
  if (!screen_)
    screen_ = std::make_unique<vt::Screen>(size, vt::Options{.scrollback_rows = 0, .cell = {}, .theme = {}});
  screen_->feed(bytes);
  last_output_ = now;
}

std::optional<base::Moment> Typist::due() const {
  // Without a daemon it waits for the next one.
  if (typed_ || !station_.line.up()) return {};
  if (!last_output_) return started_ + kSilent;
  return std::min(*last_output_ + kSettled, started_ + kLongest);
}

void Typist::turn(base::Moment now) {
  if (const auto at = due(); !at || now < *at) return;
  typed_ = true;
  const bool paste = screen_ && screen_->modes()[vt::Mode::bracketed_paste];
  screen_.reset();
  // Not again on another daemon: it may have arrived, and twice is worse than not at all.
  const uint64_t asked = station_.line.ask("pty.write",
                                           {{"session", session_},
                                            {"pty", 1},
                                            {"data", paste ? "\x1b[200~" + text_ + "\x1b[201~" : text_},
                                            {"enter", true}},
                                           DaemonLine::Again::no);
  station_.line.forget(asked);
}

}  // namespace loop
