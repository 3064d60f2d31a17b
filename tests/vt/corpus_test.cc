// SPDX-License-Identifier: Apache-2.0
// The laws of laws_test.cc over the recordings of real programs: after every chunk a snapshot gives the same
// screen, which then goes on as if nothing had happened; and any chunking gives the same screen.
#include <algorithm>
#include <gtest/gtest.h>

#include "recording.h"
#include "vt/screen.h"
#include "vt/snapshot.h"

namespace vt_test {
namespace {

using vt::Include;
using vt::Screen;

constexpr size_t kScrollback = 300;

vt::Options options() {
  vt::Options result;
  result.scrollback_rows = kScrollback;
  return result;
}

void play(Screen& screen, const Event& event) {
  if (event.kind == Event::Kind::output) screen.feed(event.bytes);
  if (event.kind == Event::Kind::resize) screen.resize({event.cols, event.rows});
}

// Plays the rest of the recording on both.
void play_on(Screen& a, Screen& b, const Recording& recording, size_t from) {
  for (size_t i = from; i < recording.events.size(); i++) {
    play(a, recording.events[i]);
    play(b, recording.events[i]);
  }
}

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, ASnapshotGivesTheSameScreenAfterEveryChunk) {
  const Recording recording = load_recording(GetParam());
  Screen screen({recording.cols, recording.rows}, options());
  for (size_t i = 0; i < recording.events.size(); i++) {
    play(screen, recording.events[i]);
    Screen whole(screen.size(), options());
    whole.feed(snapshot(screen, Include::scrollback));
    ASSERT_TRUE(screen == whole) << "after event " << i;
    Screen visible(screen.size(), options());
    visible.feed(snapshot(screen, Include::screen));
    ASSERT_TRUE(screen.same_but_scrollback(visible)) << "after event " << i;
  }
}

TEST_P(Corpus, GoesOnFromASnapshotAsIfNothingHadHappened) {
  const Recording recording = load_recording(GetParam());
  constexpr size_t kPlaces = 12;
  const size_t step = std::max<size_t>(1, recording.events.size() / kPlaces);
  for (size_t cut = step; cut < recording.events.size(); cut += step) {
    Screen a({recording.cols, recording.rows}, options());
    for (size_t i = 0; i < cut; i++) play(a, recording.events[i]);
    Screen b(a.size(), options());
    b.feed(snapshot(a, Include::scrollback));
    play_on(a, b, recording, cut);
    ASSERT_TRUE(a == b) << "cut after event " << cut;
  }
}

TEST_P(Corpus, AnyChunkingGivesTheSameScreen) {
  const Recording recording = load_recording(GetParam());
  Screen whole({recording.cols, recording.rows}, options());
  Screen single({recording.cols, recording.rows}, options());
  Screen sevens({recording.cols, recording.rows}, options());
  for (size_t i = 0; i < recording.events.size(); i++) {
    const Event& event = recording.events[i];
    play(whole, event);
    if (event.kind == Event::Kind::output) {
      for (const char c : event.bytes) single.feed({&c, 1});
      for (size_t at = 0; at < event.bytes.size(); at += 7)
        sevens.feed(std::string_view(event.bytes).substr(at, 7));
    } else {
      play(single, event);
      play(sevens, event);
    }
    ASSERT_TRUE(whole == single) << "after event " << i;
    ASSERT_TRUE(whole == sevens) << "after event " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Recordings, Corpus, testing::ValuesIn(recording_names()), [](const auto& param) {
  std::string name = param.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace vt_test
