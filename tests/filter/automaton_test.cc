// SPDX-License-Identifier: Apache-2.0
#include "filter/automaton.h"

#include <gtest/gtest.h>
#include <random>

namespace filter {
namespace {

TEST(Automaton, FindsTheLongestThatEndsAtEachPlace) {
  const std::vector<std::string> sequences = {"he", "she", "his", "hers"};
  const Automaton automaton(sequences);
  Automaton::State state = Automaton::kRoot;
  std::vector<uint32_t> found;
  for (const char c : std::string("ushers")) {
    state = automaton.next(state, static_cast<unsigned char>(c));
    found.push_back(automaton.match(state));
  }
  EXPECT_EQ(found, (std::vector<uint32_t>{0, 0, 0, 3, 0, 4}));
}

// Against the plainest way there is.
TEST(Automaton, AgreesWithLookingAtEveryPlace) {
  std::mt19937 random(7);
  const auto word = [&](size_t most) {
    std::string text;
    for (size_t i = 1 + random() % most; i > 0; i--) text += static_cast<char>('a' + random() % 3);
    return text;
  };
  for (int round = 0; round < 300; round++) {
    std::vector<std::string> sequences;
    for (size_t i = 1 + random() % 6; i > 0; i--) sequences.push_back(word(5));
    const Automaton automaton(sequences);
    const std::string text = word(60);
    Automaton::State state = Automaton::kRoot;
    for (size_t end = 1; end <= text.size(); end++) {
      state = automaton.next(state, static_cast<unsigned char>(text[end - 1]));
      const std::string seen = text.substr(0, end);
      size_t longest = 0;
      size_t begun = 0;
      for (const std::string& each : sequences) {
        if (seen.ends_with(each)) longest = std::max(longest, each.size());
        for (size_t n = 1; n <= each.size(); n++)
          if (seen.ends_with(each.substr(0, n))) begun = std::max(begun, n);
      }
      ASSERT_EQ(automaton.match(state), longest) << seen;
      ASSERT_EQ(automaton.depth(state), begun) << seen;
    }
  }
}

}  // namespace
}  // namespace filter
