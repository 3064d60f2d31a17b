// SPDX-License-Identifier: Apache-2.0
#include "detect/patterns.h"

#include <algorithm>
#include <cctype>
#include <re2/re2.h>
#include <utility>

#include "detect/view.h"

namespace detect {
namespace {

constexpr size_t kLongestLine = 4096;  // more is no question
constexpr int64_t kMemoryPerPattern = 4 << 20;

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

RE2::Options quiet() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMemoryPerPattern);
  return options;
}

bool same_word(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
  });
}

bool is_yes(std::string_view token) { return same_word(token, "y") || same_word(token, "yes"); }
bool is_no(std::string_view token) { return same_word(token, "n") || same_word(token, "no"); }

struct Token {
  std::string text;
  bool bracketed = false;
};

std::vector<Token> split_options(std::string_view text) {
  std::vector<Token> tokens;
  std::string token;
  const auto close = [&] {
    std::string_view word = trim(token);
    // "[fingerprint]" inside the list is a word that stands for itself.
    const bool bracketed = word.size() > 2 && word.front() == '[' && word.back() == ']';
    if (bracketed) word = word.substr(1, word.size() - 2);
    if (!word.empty()) tokens.push_back({std::string(word), bracketed});
    token.clear();
  };
  const char separator = text.find(',') != std::string_view::npos   ? ','
                         : text.find('|') != std::string_view::npos ? '|'
                                                                    : '/';
  for (const char c : text) {
    if (c == separator)
      close();
    else
      token += c;
  }
  close();
  return tokens;
}

}  // namespace

struct Patterns::Row {
  std::string name;
  Type type;
  double confidence;
  Trait trait;
  std::unique_ptr<RE2> expression;
};

Patterns::Patterns() {
  for (const PatternRow& each : pattern_table())
    rows_.push_back({std::string(each.name), each.type, each.confidence, each.trait,
                     std::make_unique<RE2>(piece(each.expression), quiet())});
}

Patterns::Patterns(Patterns&&) noexcept = default;
Patterns& Patterns::operator=(Patterns&&) noexcept = default;
Patterns::~Patterns() = default;

base::Result<Patterns> Patterns::with(const std::vector<OwnPattern>& own) {
  Patterns patterns;
  std::vector<Row> rows;
  for (size_t i = 0; i < own.size(); i++) {
    auto expression = std::make_unique<RE2>(piece(own[i].expression), quiet());
    const std::string name = "detector.patterns[" + std::to_string(i) + "]";
    if (!expression->ok()) return base::fail(base::Code::invalid_param, 0, name + ": " + expression->error());
    rows.push_back({name, own[i].type, own[i].confidence, own[i].trait, std::move(expression)});
  }
  std::move(patterns.rows_.begin(), patterns.rows_.end(), std::back_inserter(rows));
  patterns.rows_ = std::move(rows);
  return patterns;
}

std::vector<Patterns::Found> Patterns::find(std::string_view line) const {
  std::vector<Found> found;
  if (line.empty() || line.size() > kLongestLine) return found;
  for (const Row& each : rows_) {
    if (!RE2::PartialMatch(piece(line), *each.expression)) continue;
    Found next{{each.name, each.type, each.confidence}, each.trait};
    const auto place = std::upper_bound(found.begin(), found.end(), next, [](const Found& a, const Found& b) {
      return a.match.confidence > b.match.confidence;
    });
    found.insert(place, std::move(next));
  }
  return found;
}

// "[y]es, [n]o, [A]ll", "(r)etry/(a)bort": the letters that stand for words.
std::optional<Options> lettered_options(std::string_view line) {
  static const RE2 kWords(
      R"((?:^|\s)((?:[\[(]\w[\])]\w+)(?:(?:\s*[,/|]\s*|\s+)(?:or\s+)?[\[(]\w[\])]\w+)+)[\s?:>.]*$)", quiet());
  static const RE2 kWord(R"([\[(](\w)[\])](\w+))", quiet());
  std::string words;
  if (!RE2::PartialMatch(piece(line), kWords, &words)) return {};
  Options options;
  bool yes = false;
  bool no = false;
  re2::StringPiece rest(words);
  std::string letter;
  std::string tail;
  while (RE2::FindAndConsume(&rest, kWord, &letter, &tail)) {
    const std::string word = letter + tail;
    yes = yes || same_word(word, "yes");
    no = no || same_word(word, "no");
    options.choices.push_back({.label = word, .key = letter, .send = letter});
  }
  options.yes_no = yes && no;
  return options;
}

// "[Yn]".
std::optional<Options> joined_options(std::string_view line) {
  static const RE2 kJoined(R"((?:^|\s)[\[(]([yY])([nN])[\])][\s?:>.]*$)", quiet());
  std::string yes;
  std::string no;
  if (!RE2::PartialMatch(piece(line), kJoined, &yes, &no)) return {};
  Options options{.choices = {{"Yes", "y", "y"}, {"No", "n", "n"}}, .fallback = {}, .yes_no = true};
  if ((yes == "Y") != (no == "N")) options.fallback = yes == "Y" ? "y" : "n";
  return options;
}

std::optional<Options> bracketed_options(std::string_view line) {
  if (auto joined = joined_options(line)) return joined;
  if (auto lettered = lettered_options(line)) return lettered;
  static const RE2 kList(R"([\[(<]((?:\[?[\w?!#*+]{1,20}\]?)(?:\s?[/|,]\s?\[?[\w?!#*+/]{1,20}\]?)+)[\])>]\s*)"
                         R"((?:[\[(](?:default\s*[:=]?\s*)?(\w+)[\])])?[\s?:>.]*$)",
                         quiet());
  static const RE2 kBare(R"((?i)(?:^|[^\w/])((?:y|yes)/(?:n|no))[\s?:>]*$)", quiet());
  std::string list;
  std::string fallback;
  if (!RE2::PartialMatch(piece(line), kList, &list, &fallback) &&
      !RE2::PartialMatch(piece(line), kBare, &list))
    return {};
  const std::vector<Token> tokens = split_options(list);
  if (tokens.size() < 2) return {};

  Options options;
  bool yes = false;
  bool no = false;
  size_t capitals = 0;
  std::string capital;
  for (const auto& [token, bracketed] : tokens) {
    yes = yes || is_yes(token);
    no = no || is_no(token);
    // "([y]/n)".
    if (bracketed && fallback.empty() && (is_yes(token) || is_no(token))) fallback = token;
    if (std::isupper(static_cast<unsigned char>(token.front())) != 0) {
      capitals++;
      capital = token;
    }
    options.choices.push_back({.label = token, .key = token, .send = token});
  }
  options.yes_no = yes && no;
  if (!fallback.empty())
    options.fallback = fallback;
  else if (capitals == 1)
    options.fallback = capital;
  if (options.yes_no) {
    // A capital says what Enter gives; what is typed is the letter.
    const auto lower = [](std::string& text) {
      if (!is_yes(text) && !is_no(text)) return;
      for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    };
    for (Choice& each : options.choices) {
      lower(each.key);
      lower(each.send);
      if (is_yes(each.label)) each.label = "Yes";
      if (is_no(each.label)) each.label = "No";
    }
    if (options.fallback) lower(*options.fallback);
  }
  return options;
}

std::vector<Choice> spelt_answers(std::string_view line) {
  static const RE2 kWord(R"((?i)\b(?:type|enter)\s+['"\[<(]?yes\b)", quiet());
  static const RE2 kCapitals(R"((?i)\b(?:capital|upper ?case)|\b(?-i:YES)\b)", quiet());
  if (!RE2::PartialMatch(piece(line), kWord)) return {{"Yes", "y", "y"}, {"No", "n", "n"}};
  if (RE2::PartialMatch(piece(line), kCapitals)) return {{"Yes", "YES", "YES"}, {"No", "NO", "NO"}};
  return {{"Yes", "yes", "yes"}, {"No", "no", "no"}};
}

std::optional<std::string> default_answer(std::string_view line) {
  static const RE2 kNamed(R"((?i)[\[(]\s*default(?:\s+is)?\s*[:=]?\s*([^\])]+?)\s*[\])][\s:?>]*$)", quiet());
  static const RE2 kSquare(R"(\[([^\]\[/|,]+|(?:[/~.]|\w+://)[^\]\[|,]*)\][\s:?>]*$)", quiet());
  static const RE2 kRound(R"((?:[:?]\s*\(([^()]+)\)\s*|\s\(([^()\s]+)\)\s*:\s*)$)", quiet());
  static const RE2 kHint(
      R"((?i)^(?:max|up to|at most|\d+\s*-\s*\d+|empty for|leave|optional|press|hidden|no echo|will|not))",
      quiet());
  std::string value;
  std::string other;
  if (RE2::PartialMatch(piece(line), kNamed, &value)) return value;
  if (!RE2::PartialMatch(piece(line), kSquare, &value) &&
      !RE2::PartialMatch(piece(line), kRound, &value, &other))
    return {};
  if (value.empty()) value = other;
  if (RE2::PartialMatch(value, kHint)) return {};
  return value;
}

std::optional<uint32_t> length_limit(std::string_view line) {
  static const RE2 kLimit(
      R"((?i)\b(?:max(?:imum)?|up to|at most|limit)\.?:?\s*(?:of\s+)?(\d{1,6})\s*(?:char|letter|symbol|digit|byte))",
      quiet());
  static const RE2 kBehind(
      R"((?i)\b(\d{1,6})\s*(?:char|letter|symbol|digit)\w*\s*(?:max|or (?:less|fewer)|at most))", quiet());
  uint32_t limit = 0;
  if (RE2::PartialMatch(piece(line), kLimit, &limit) || RE2::PartialMatch(piece(line), kBehind, &limit))
    return limit;
  return {};
}

}  // namespace detect
