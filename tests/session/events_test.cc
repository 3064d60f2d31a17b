// SPDX-License-Identifier: Apache-2.0
#include "session/events.h"

#include <gtest/gtest.h>

namespace session {
namespace {

TEST(Events, AreNumberedFromTheFirst) {
  Events events(100);
  EXPECT_EQ(100U, events.first());
  EXPECT_EQ(nullptr, events.after(0));
  events.publish({.kind = "a"});
  events.publish({.kind = "b"});
  EXPECT_EQ(100U, events.after(99)->number);
  EXPECT_EQ("b", events.after(100)->kind);
  EXPECT_EQ(nullptr, events.after(101));
  EXPECT_EQ(102U, events.next());
}

TEST(Events, TheLastThousandAreKept) {
  Events events(1);
  for (int i = 0; i < 2500; i++) events.publish({.kind = "x"});
  EXPECT_EQ(1501U, events.first());
  EXPECT_EQ(1501U, events.after(0)->number) << "what is gone is passed over";
  EXPECT_EQ(2501U, events.next());
}

TEST(Listeners, HearUntilTheirHandleGoes) {
  Listeners listeners;
  int calls = 0;
  auto handle = listeners.add([&] { calls++; });
  listeners.call();
  handle.reset();
  listeners.call();
  EXPECT_EQ(1, calls);
}

TEST(Listeners, ThatGoInTheMiddleOfACallAreNotCalledAnyMore) {
  Listeners listeners;
  int calls = 0;
  Listeners::Handle second;
  Listeners::Handle first = listeners.add([&] { second.reset(); });
  second = listeners.add([&] { calls++; });
  listeners.call();
  EXPECT_EQ(0, calls);
}

TEST(Listeners, MayRemoveThemselvesAndAddOthers) {
  Listeners listeners;
  int calls = 0;
  Listeners::Handle added;
  Listeners::Handle self;
  self = listeners.add([&] {
    self.reset();
    added = listeners.add([&] { calls++; });
  });
  listeners.call();
  EXPECT_EQ(0, calls) << "from the next call on";
  listeners.call();
  EXPECT_EQ(1, calls);
}

TEST(Listeners, MayCallAgainFromWithin) {
  Listeners listeners;
  int depth = 0;
  auto handle = listeners.add([&] {
    if (++depth < 3) listeners.call();
  });
  listeners.call();
  EXPECT_EQ(3, depth);
}

}  // namespace
}  // namespace session
