// SPDX-License-Identifier: Apache-2.0
#include "config/yaml.h"

#include <gtest/gtest.h>
#include <ostream>

namespace config {
namespace {

using Kind = YamlNode::Kind;

TEST(Yaml, IsATreeThatKnowsItsLines) {
  const auto root = parse_yaml("a: 1\nb:\n  - \"x\"\n  - ~\n", "f");
  ASSERT_TRUE(root);
  ASSERT_EQ(Kind::map, root->kind);
  ASSERT_EQ(2U, root->keys.size());
  EXPECT_EQ("a", root->keys[0].text);
  EXPECT_EQ(Kind::plain, root->items[0].kind);
  EXPECT_EQ(1, root->items[0].line);
  EXPECT_EQ(4, root->items[0].column);
  const YamlNode& list = root->items[1];
  ASSERT_EQ(Kind::list, list.kind);
  EXPECT_EQ(Kind::quoted, list.items[0].kind);
  EXPECT_EQ(3, list.items[0].line);
  EXPECT_EQ(Kind::null, list.items[1].kind);
}

TEST(Yaml, OfNothingIsNull) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "\xEF\xBB\xBF"}) {
    const auto root = parse_yaml(text, "f");
    ASSERT_TRUE(root) << text;
    EXPECT_EQ(Kind::null, root->kind) << text;
  }
}

TEST(Yaml, ExpandsAliases) {
  const auto root = parse_yaml("a: &x [1, 2]\nb: *x\n", "f");
  ASSERT_TRUE(root);
  EXPECT_EQ(2U, root->items[1].items.size());
  EXPECT_EQ(2, root->items[1].line);
}

struct Bad {
  const char* what;
  std::string text;
  std::string message;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.what; }

std::string repeated(const std::string& text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; i++) all += text;
  return all;
}

// Nine levels, nine times each: 3·10^8 values if it were expanded.
std::string bomb() {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int level = 1; level < 9; level++) {
    const std::string below = "*a" + std::to_string(level - 1);
    text += "a" + std::to_string(level) + ": &a" + std::to_string(level) + " [" + repeated(below + ", ", 8) +
            below + "]\n";
  }
  return text;
}

class Refuses : public testing::TestWithParam<Bad> {};

TEST_P(Refuses, WithAPlace) {
  const auto root = parse_yaml(GetParam().text, "f");
  ASSERT_FALSE(root);
  EXPECT_EQ(GetParam().message, root.error().message());
}

INSTANTIATE_TEST_SUITE_P(
    Yaml, Refuses,
    testing::Values(
        Bad{"NoEnd", "a: [1, 2\nb: 3\n", "f:2:2: is not YAML: end of sequence flow not found"},
        Bad{"NoAnchor", "a: *b\n", "f:1:4: is not YAML: the referenced anchor is not defined"},
        Bad{"TwoDocuments", "a: 1\n---\nb: 2\n", "f:2:1: a second document begins; there may be only one"},
        Bad{"Tag", "a: !!int 1\n", "f:1:4: tags are not used here"},
        Bad{"TagOfAMap", "a: !x {}\n", "f:1:4: tags are not used here"},
        Bad{"Itself", "a: &x\n  - *x\n", "f:2:5: an alias stands inside of what it stands for"},
        Bad{"NotUtf8", "a: 1\nb: \xFF\n", "f:2:4: is not UTF-8"},
        Bad{"Utf16",
            std::string("\xFF\xFE"
                        "a\0",
                        4),
            "f:1:1: is not UTF-8"},
        Bad{"ZeroByte", std::string("a: \0", 4), "f:1:4: has a zero byte"},
        Bad{"TooLarge", std::string(kMostBytes + 1, ' '), "f: is too large (1 MiB at most)"},
        Bad{"TooDeep", std::string(17, '[') + std::string(17, ']'),
            "f:1:17: is nested too deeply (16 levels at most)"},
        Bad{"VeryDeep", std::string(kMostBytes, '['), "f:1:9: is nested too deeply (16 levels at most)"},
        Bad{"DeepByAliases", "a: &a [[[[[[[1]]]]]]]\nb: &b [[[[[[[*a]]]]]]]\nc: [*b]\n",
            "f:3:5: is nested too deeply (16 levels at most)"},
        Bad{"TooMany", "a: [" + repeated("1, ", 20'000) + "1]\n",
            "f:1:59996: has too many values (20,000 at most, aliases expanded)"},
        Bad{"Bomb", bomb(), "f:5:10: has too many values (20,000 at most, aliases expanded)"},
        Bad{"LongBomb", "a: &a " + std::string(500'000, 'x') + "\nb: [" + repeated("*a, ", 100) + "]\n",
            "f:2:29: is too large (4 MiB at most, aliases expanded)"}),
    [](const auto& bad) { return bad.param.what; });

}  // namespace
}  // namespace config
