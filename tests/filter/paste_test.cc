// SPDX-License-Identifier: Apache-2.0
#include "filter/paste.h"

#include <gtest/gtest.h>

namespace filter {
namespace {

TEST(HarmlessPaste, HasNoControlCharacters) {
  EXPECT_EQ(harmless_paste("one\ttwo"), "one\ttwo");
  EXPECT_EQ(harmless_paste("a\x1b[201~rm\x04\x03\x7f\x08"), "a[201~rm");
  EXPECT_EQ(harmless_paste("a\nb\r\nc\rd"), "a\rb\rc\rd");
  // U+009B is a CSI of 8 bits; U+00A0, which begins with the same byte, is a blank.
  EXPECT_EQ(harmless_paste("\xc2\x9b"
                           "31m\xc2\xa0"),
            "31m\xc2\xa0");
  EXPECT_EQ(harmless_paste("\x9b"
                           "31m"),
            "31m");
  EXPECT_EQ(harmless_paste("\xe2\x82\xac \xf0\x9f\x98\x80"), "\xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST(PasteGuard, CleansWhatIsBetweenTheBrackets) {
  PasteGuard guard;
  EXPECT_EQ(guard.take("\x04\x1b[200~a\x04\x1b[31mb\nc\x1b[201~\x04"), "\x04\x1b[200~a[31mb\nc\x1b[201~\x04");
}

TEST(PasteGuard, OpensAndClosesOverAndOver) {
  PasteGuard guard;
  EXPECT_EQ(guard.take("\x1b[200~\x1b\x1b[201~\x1b[A\x1b\x1b[200~\x03\x1b[201~"),
            "\x1b[200~\x1b[201~\x1b[A\x1b\x1b[200~\x1b[201~");
}

}  // namespace
}  // namespace filter
