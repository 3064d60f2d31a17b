// SPDX-License-Identifier: Apache-2.0
// Patterns: what questions look like, as regular expressions (RE2, so that no text takes more than linear
// time) over the line a person would answer at. One table; each row stands beside a line that it must match
// and one that it must not, and the tests hold it to both. Users add rows of their own.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "detect/prompt.h"

namespace re2 {
class RE2;
}

namespace detect {

enum class Trait : uint8_t {
  none,
  secret,   // what is asked for is not shown to others
  any_key,  // one key is enough, without Enter
};

struct PatternRow {
  std::string_view name;
  Type type;
  double confidence;
  std::string_view expression;
  std::string_view example;
  std::string_view counter_example;
  Trait trait = Trait::none;
};

// What tend brings along.
std::span<const PatternRow> pattern_table();

struct OwnPattern {
  Type type = Type::free_text;
  std::string expression;
  double confidence = 0.9;
  Trait trait = Trait::none;
};

class Patterns {
 public:
  // The table alone.
  Patterns();
  // The table and the user's own, which come first; an error names the one that RE2 does not take.
  static base::Result<Patterns> with(const std::vector<OwnPattern>& own);
  Patterns(Patterns&&) noexcept;
  Patterns& operator=(Patterns&&) noexcept;
  ~Patterns();

  struct Found {
    Match match;
    Trait trait = Trait::none;
  };
  // Those that match, the most certain first; of equal ones the earlier row.
  std::vector<Found> find(std::string_view line) const;

 private:
  struct Row;
  std::vector<Row> rows_;
};

// "[Y/n]", "(yes/no/[fingerprint])", "[y,n,q,a,d,e,?]" at the end of a question: what may be answered.
struct Options {
  std::vector<Choice> choices;
  std::optional<std::string> fallback;  // the one that is written in capitals
  bool yes_no = false;                  // "yes" and "no" are among them
};
std::optional<Options> bracketed_options(std::string_view line);

// What a yes or no is sent as, where no options stand behind the question: "Type 'yes' in capital letters".
std::vector<Choice> spelt_answers(std::string_view line);

// "(default: x)", "[x]:", "name: (x)": what Enter alone would give.
std::optional<std::string> default_answer(std::string_view line);
// "(max 20 chars)".
std::optional<uint32_t> length_limit(std::string_view line);

}  // namespace detect
