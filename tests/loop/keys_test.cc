// SPDX-License-Identifier: Apache-2.0
#include "loop/keys.h"

#include <gtest/gtest.h>

namespace {

using loop::CtrlC;
using loop::Keys;
using loop::Routed;
using loop::Stop;
using namespace std::chrono_literals;
using namespace std::string_view_literals;

struct Typist {
  base::ManualClock clock;
  Keys keys;
  std::string forwarded;

  Stop type(std::string_view bytes) {
    const Routed routed = keys.type(bytes, clock.now());
    forwarded += routed.forward;
    return routed.stop;
  }
};

// The seed's test_double_ctrl_c_within_window.
TEST(CtrlC, DoubleCtrlCWithinWindow) {
  base::ManualClock clock;
  CtrlC state;
  EXPECT_EQ(state.press(clock.now()), CtrlC::Action::forward_and_start_window);
  clock.advance(500ms);
  EXPECT_EQ(state.press(clock.now()), CtrlC::Action::terminate);
}

// The seed's test_ctrl_c_window_expires.
TEST(CtrlC, CtrlCWindowExpires) {
  base::ManualClock clock;
  CtrlC state;
  state.press(clock.now());
  clock.advance(2s);
  EXPECT_EQ(state.press(clock.now()), CtrlC::Action::forward_and_start_window);
}

TEST(CtrlC, AnExpiredWindowIsFollowedByAFreshOne) {
  base::ManualClock clock;
  CtrlC state;
  state.press(clock.now());
  clock.advance(1001ms);
  EXPECT_EQ(state.press(clock.now()), CtrlC::Action::forward_and_start_window);
  clock.advance(1000ms);
  EXPECT_EQ(state.press(clock.now()), CtrlC::Action::terminate);
}

TEST(CtrlC, FurtherOnesRightAfterTheSecondSayTheSame) {
  base::ManualClock clock;
  CtrlC state;
  state.press(clock.now());
  for (int i = 0; i < 3; i++) {
    clock.advance(300ms);
    EXPECT_EQ(state.press(clock.now()), CtrlC::Action::terminate);
  }
  clock.advance(2s);
  EXPECT_EQ(state.press(clock.now()), CtrlC::Action::forward_and_start_window);
}

TEST(Keys, AllElseIsTheAgents) {
  Typist typist;
  const std::string_view all = "y\r\x01\x02\x04\x1a\x1d\x7f\x1b[A\x1bOP\x1b[1;5C\x1b[<0;3;4M\x1b[?1;2c\0é"sv;
  EXPECT_EQ(typist.type(all), Stop::none);
  EXPECT_EQ(typist.forwarded, all);
  EXPECT_FALSE(typist.keys.holding());
}

TEST(Keys, TheFirstCtrlCIsForwardedAndTheSecondIsNot) {
  Typist typist;
  EXPECT_EQ(typist.type("a\x03"), Stop::none);
  typist.clock.advance(900ms);
  EXPECT_EQ(typist.type("b\x03zzz"), Stop::terminate);
  EXPECT_EQ(typist.forwarded,
            "a\x03"
            "b");
}

TEST(Keys, TwoInOneReadAreTwo) {
  Typist typist;
  EXPECT_EQ(typist.type("\x03\x03"), Stop::terminate);
  EXPECT_EQ(typist.forwarded, "\x03");
}

TEST(Keys, CtrlBackslashEndsAtOnce) {
  Typist typist;
  EXPECT_EQ(typist.type("x\x1cy"), Stop::kill);
  EXPECT_EQ(typist.forwarded, "x");
  EXPECT_EQ(typist.type("\x03\x1c"), Stop::kill);
}

TEST(Keys, AreKnownAsTheKeyboardProtocolsWriteThem) {
  for (const std::string key :
       {"\x1b[99;5u", "\x1b[27;5;99~", "\x1b[99;5:1u", "\x1b[99;69u", "\x1b[99;133u", "\x1b[1089::99;5u"}) {
    Typist typist;
    EXPECT_EQ(typist.type(key), Stop::none) << key;
    EXPECT_EQ(typist.forwarded, key);
    EXPECT_EQ(typist.type("\x03"), Stop::terminate) << key;
  }
  for (const std::string key :
       {"\x1b[92;5u", "\x1b[27;5;92~", "\x1b[92;5:1u", "\x1b[92;197u", "\x1b[92:124;5u"}) {
    Typist typist;
    EXPECT_EQ(typist.type(key), Stop::kill) << key;
    EXPECT_EQ(typist.forwarded, "");
  }
}

TEST(Keys, LikeThemAreOthers) {
  for (const std::string key :
       {"\x1b[99;6u", "\x1b[99u", "\x1b[99;1u", "\x1b[99;5:3u", "\x1b[99;5:2u", "\x1b[92;5:3u", "\x1b[92;7u",
        "\x1b[27;6;92~", "\x1b[98;5u", "\x1b[92;5~", "\x1b[27;5~", "\x1b[;u", "\x1b[u", "\x1b[99;5 u"}) {
    Typist typist;
    EXPECT_EQ(typist.type(key + key), Stop::none) << key;
    EXPECT_EQ(typist.forwarded, key + key);
  }
}

// Letting go of the key in between is how the kitty protocol tells two presses apart.
TEST(Keys, ReleasesBetweenPressesAreForwarded) {
  Typist typist;
  EXPECT_EQ(typist.type("\x1b[99;5u\x1b[99;5:3u"), Stop::none);
  EXPECT_EQ(typist.forwarded, "\x1b[99;5u\x1b[99;5:3u");
  EXPECT_EQ(typist.type("\x1b[99;5u"), Stop::terminate);
}

TEST(Keys, ASequenceInPiecesIsTheSameKey) {
  const std::string_view key = "\x1b[27;5;92~";
  for (size_t cut = 1; cut < key.size(); cut++) {
    Typist typist;
    EXPECT_EQ(typist.type(key.substr(0, cut)), Stop::none);
    EXPECT_TRUE(typist.keys.holding());
    EXPECT_EQ(typist.type(key.substr(cut)), Stop::kill);
    EXPECT_EQ(typist.forwarded, "");
  }
}

TEST(Keys, WhatIsHeldBackGoesOnWhenNothingFollows) {
  Typist typist;
  EXPECT_EQ(typist.type("a\x1b"), Stop::none);
  EXPECT_EQ(typist.forwarded, "a");
  EXPECT_TRUE(typist.keys.holding());
  EXPECT_EQ(typist.keys.release(), "\x1b");
  EXPECT_FALSE(typist.keys.holding());
  EXPECT_EQ(typist.keys.release(), "");
}

TEST(Keys, WhatIsHeldBackComesBeforeTheRest) {
  Typist typist;
  typist.type("\x1b");
  typist.type("[1");
  typist.type(";5A\x1b");
  typist.type("\x1b");
  typist.type("x");
  EXPECT_EQ(typist.forwarded, "\x1b[1;5A\x1b\x1bx");
}

TEST(Keys, AnEndlessSequenceIsNotHeldBackForEver) {
  Typist typist;
  const std::string digits(1000, '1');
  typist.type("\x1b[" + digits);
  EXPECT_FALSE(typist.keys.holding());
  EXPECT_EQ(typist.forwarded, "\x1b[" + digits);
}

TEST(Keys, WhatIsPastedIsNoKey) {
  const std::string paste = "\x1b[200~a\x03\x03\x1c\x1b[92;5u\x1b[201~";
  Typist typist;
  EXPECT_EQ(typist.type(paste), Stop::none);
  EXPECT_EQ(typist.forwarded, paste);
  EXPECT_EQ(typist.type("\x1c"), Stop::kill);
  for (size_t cut = 1; cut < paste.size(); cut++) {
    Typist slow;
    EXPECT_EQ(slow.type(paste.substr(0, cut)), Stop::none);
    EXPECT_EQ(slow.type(paste.substr(cut)), Stop::none);
    EXPECT_EQ(slow.forwarded, paste);
    EXPECT_EQ(slow.type("\x1c"), Stop::kill);
  }
}

TEST(Keys, APasteThatWasCutOffDoesNotTakeTheKeysAway) {
  Typist typist;
  typist.type("\x1b[200~half of it");
  typist.clock.advance(Keys::kPasteStall + 1ms);
  EXPECT_EQ(typist.type("\x1c"), Stop::kill);
}

}  // namespace
