// SPDX-License-Identifier: Apache-2.0
// The law: what passes, and how often somebody is warned, is the same for every way of cutting the input.
#include <gtest/gtest.h>
#include <random>

#include "filter/input_filter.h"
#include "filter/paste.h"

namespace filter {
namespace {

using namespace std::string_literals;

constexpr base::Moment kStart{std::chrono::hours(1)};

struct Outcome {
  std::string bytes;
  uint32_t blocked = 0;
  uint32_t debounced = 0;
  bool operator==(const Outcome&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Outcome& one) {
  return out << testing::PrintToString(one.bytes) << " " << one.blocked << " " << one.debounced;
}

const std::vector<std::string> kPieces = {"e",           "x",
                                          "i",           "t",
                                          "exit",        "/exit",
                                          "quit",        "q",
                                          "/",           "\r",
                                          "\n",          " ",
                                          "\t",          "\x7f",
                                          "\x15",        "\x17",
                                          "\x03",        "\x04",
                                          "\x1c",        "\x1b",
                                          "[",           "[A",
                                          "\x1b[200~",   "\x1b[201~",
                                          "\x1b[100;5u", "\x1b[27;5;99~",
                                          "\x1b[13u",    "\x1bOM",
                                          "\x1b]11;x",   "\x07",
                                          "\xc3\xa4",    "abc",
                                          "ab",          "\x1b[M",
                                          "100;5u",      "how do I ",
                                          "\0"s,         "\x1b\x7f",
                                          "\x1b\\"};

std::string random_input(std::mt19937& random) {
  std::string input;
  for (size_t i = random() % 24; i > 0; i--) input += kPieces[random() % kPieces.size()];
  return input;
}

Rules random_rules(std::mt19937& random) {
  Rules rules;
  if (random() % 3 == 0) rules.anchor = Anchor::anywhere;
  if (random() % 4 == 0) rules.partial_hold = std::chrono::milliseconds(0);
  switch (random() % 4) {
    case 0:
      rules.sequences = {"abc", "\x1b[A", " exi", "b\r"};
      break;
    // None of them is text alone.
    case 1:
      rules.sequences = {" exi\r", "abcab\x1b[A", "b\r", "t\x15", "it\x17", "how do I \n"};
      break;
    default:
      break;
  }
  return rules;
}

// Cut at random, all at one moment; what waits in the end passes when its time has come.
Outcome filtered(const Rules& rules, std::string_view input, std::mt19937* cuts) {
  InputFilter filter(rules);
  Outcome outcome;
  const auto add = [&](const Filtered& more) {
    outcome.bytes += more.bytes;
    outcome.blocked += more.blocked;
    outcome.debounced += more.debounced;
  };
  while (!input.empty()) {
    const size_t length = cuts != nullptr ? std::min<size_t>(input.size(), (*cuts)() % 4) : input.size();
    add(filter.take(input.substr(0, length), kStart));
    input.remove_prefix(length);
  }
  add(filter.release(kStart + std::chrono::hours(1)));
  return outcome;
}

TEST(Cuts, ChangeNothing) {
  std::mt19937 random(11);
  for (int round = 0; round < 30'000; round++) {
    const Rules rules = random_rules(random);
    const std::string input = random_input(random);
    const Outcome whole = filtered(rules, input, nullptr);
    for (int i = 0; i < 3; i++)
      ASSERT_EQ(whole, filtered(rules, input, &random))
          << testing::PrintToString(input) << " round " << round;
  }
}

// Nothing is made up, put in another order, or lost without a warning.
TEST(Cuts, WhatPassesStandsInTheInput) {
  std::mt19937 random(12);
  for (int round = 0; round < 30'000; round++) {
    const std::string input = random_input(random);
    const Outcome outcome = filtered(random_rules(random), input, &random);
    size_t at = 0;
    for (const char c : outcome.bytes) {
      at = input.find(c, at);
      ASSERT_NE(at, std::string::npos) << testing::PrintToString(input);
      at++;
    }
    if (outcome.blocked + outcome.debounced == 0) {
      ASSERT_EQ(outcome.bytes, input);
    }
    ASSERT_EQ(outcome.bytes.find('\x04'), std::string::npos);
    ASSERT_EQ(outcome.bytes.find('\x1c'), std::string::npos);
  }
}

TEST(Cuts, ChangeNoPaste) {
  std::mt19937 random(13);
  for (int round = 0; round < 20'000; round++) {
    const std::string input = random_input(random);
    PasteGuard whole;
    const std::string expected = whole.take(input);
    PasteGuard cut;
    std::string got;
    for (std::string_view rest = input; !rest.empty();) {
      const size_t length = std::min<size_t>(rest.size(), random() % 4);
      got += cut.take(rest.substr(0, length));
      rest.remove_prefix(length);
    }
    ASSERT_EQ(expected, got) << testing::PrintToString(input);
  }
}

}  // namespace
}  // namespace filter
