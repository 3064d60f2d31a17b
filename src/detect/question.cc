// SPDX-License-Identifier: Apache-2.0
#include "detect/question.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "detect/idle_screens.h"
#include "detect/menu.h"

namespace detect {
namespace {

constexpr double kMostConfidence = 0.95;
constexpr double kFurtherMatch = 0.05;
constexpr double kMenuConfidence = 0.75;
constexpr double kCertain = 0.90;
constexpr size_t kMostUnanswered = 2;
constexpr size_t kExcerpt = 200;
constexpr size_t kLongestQuestion = 2000;
constexpr size_t kKeyRows = 2;     // rows below an editor's question that tell what its keys do
constexpr size_t kBlankReach = 3;  // blank lines between a question and the cursor below it

// They show text that is not theirs; what they ask themselves stands in the last row, or in a bar above it.
constexpr auto kShowTexts = std::to_array<std::string_view>(
    {"vim", "vi",     "nvim", "view", "vim.basic", "vim.tiny", "nano",  "emacs", "hx",  "kak",   "micro",
     "joe", "mcedit", "top",  "htop", "btop",      "atop",     "watch", "mc",    "tig", "ranger"});
// They show the screens of others, and only what stands at the cursor may be asked.
constexpr auto kMultiplexers = std::to_array<std::string_view>({"tmux: client", "screen"});
constexpr auto kPagers = std::to_array<std::string_view>({"less", "more", "most", "pg", "man", "pager"});

template <size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A sign that invites to type and says nothing.
bool bare_sign(std::string_view text) {
  const std::string_view sign = trim(text);
  return sign.empty() || sign == ">" || sign == ":" || sign == "?" || sign == "❯" || sign == "›" ||
         sign == "->" || sign == "=>" || sign == ">>" || sign == "$" || sign == "»";
}

// The most certain first; of equal ones the order stays. There are a handful at most.
void sort_by_confidence(std::vector<Match>& matches) {
  for (auto each = matches.begin(); each != matches.end(); ++each) {
    const auto place = std::upper_bound(matches.begin(), each, *each, [](const Match& a, const Match& b) {
      return a.confidence > b.confidence;
    });
    std::rotate(place, each, std::next(each));
  }
}

class Reader {
 public:
  Reader(const View& view, const Evidence& evidence, const Patterns& patterns,
         std::optional<uint64_t> answered)
      : view_(view), evidence_(evidence), patterns_(patterns), answered_(answered) {}

  Reading read() {
    reading_.full_screen = view_.alternate;
    reading_.prompt.excerpt = view_.tail(kExcerpt);
    find_line();
    if (pager()) return std::move(reading_);
    const bool texts = among(kShowTexts, evidence_.command);
    if (!texts) reading_.idle = find_idle_screen(view_);
    const bool at_cursor = among(kMultiplexers, evidence_.command);
    if (texts       ? line_in_last_row() || (cursor_at_button() && buttons())
        : at_cursor ? line_ == view_.cursor_line && line()
                    : menu() || buttons() || line()) {
      reading_.asks = true;
      finish();
      // Editors take the key itself.
      if (texts && (prompt().type == Type::yes_no || prompt().type == Type::multiple_choice))
        prompt().enter = false;
      // And so do other programs of the whole screen that ask in a line.
      const bool raw = !evidence_.canonical && !evidence_.echo;
      if (view_.alternate && raw && prompt().type == Type::yes_no && line_ == view_.cursor_line && at_line_)
        prompt().enter = false;
      if (!texts) find_unanswered();
    } else if (reading_.ends_open) {
      if (!bracketed_options(asked_)) prompt().fallback = default_answer(asked_);
      prompt().limit = length_limit(asked_);
    }
    return std::move(reading_);
  }

 private:
  Prompt& prompt() { return reading_.prompt; }

  // The line where an answer would be typed, and the text that it would answer.
  void find_line() {
    line_ = view_.cursor_line;
    std::string text = view_.before_cursor();
    std::string_view inner = inside_border(text);
    // What a person has not begun to write: a line whose cursor stands at its start asks in the line above.
    size_t above = line_;
    for (size_t n = 0; bare_sign(inner) && above > 0 && n <= kBlankReach; n++) {
      above--;
      if (view_.lines[above].blank()) continue;
      const bool sign_here = !trim(text).empty();
      if (sign_here)
        text.insert(0, 1, ' ');
      else
        text.clear();
      text.insert(0, view_.lines[above].text);
      inner = inside_border(text);
      line_ = above;
      break;
    }
    asked_ = std::string(inner);
    prompt().row = view_.absolute(view_.lines[line_]);
    if (answered_ && prompt().row <= *answered_) {
      asked_.clear();
      prompt().row = view_.absolute(view_.at_cursor());
    }
    prompt().question = asked_.substr(0, kLongestQuestion);
    std::string_view end = trim(asked_);
    // "rm a b?..."
    while (end.ends_with('.') || end.ends_with("…")) end.remove_suffix(end.ends_with('.') ? 1 : 3);
    if (!end.ends_with('?')) end = trim(asked_);
    reading_.ends_open = end.ends_with(':') || end.ends_with('?');
  }

  bool pager() {
    const bool last_row = view_.cursor_line + 1 == view_.lines.size();
    const bool by_name = among(kPagers, evidence_.command);
    if (!last_row && !by_name) return false;
    const std::string_view row = trim(view_.cursor_row);
    for (const auto& each : patterns_.find(row))
      if (each.match.type == Type::pager) prompt().matches.push_back(each.match);
    if (!by_name && (prompt().matches.empty() || evidence_.canonical)) {
      prompt().matches.clear();
      return false;
    }
    // less with a file's name in its last row, or in its help.
    if (prompt().matches.empty()) prompt().matches.push_back({"a pager by its name", Type::pager, kCertain});
    prompt().type = Type::pager;
    prompt().enter = false;
    prompt().question = std::string(row);
    reading_.asks = true;
    add_up();
    return true;
  }

  void take(const std::vector<Patterns::Found>& found) {
    for (const auto& each : found) {
      if (each.match.type == Type::pager) continue;
      prompt().matches.push_back(each.match);
      prompt().secret = prompt().secret || each.trait == Trait::secret;
      if (each.trait == Trait::any_key) prompt().enter = false;
    }
  }

  void add_up() {
    double best = 0;
    for (const Match& each : prompt().matches) best = std::max(best, each.confidence);
    const auto further = static_cast<double>(prompt().matches.size()) - 1;
    prompt().confidence = std::min(kMostConfidence, best + kFurtherMatch * further);
  }

  bool menu() {
    auto found = find_pointer_menu(view_);
    if (!found) return false;
    prompt().row = view_.absolute(view_.lines[found->first]);
    if (answered_ && !view_.alternate && prompt().row <= *answered_) {
      prompt().row = view_.absolute(view_.at_cursor());
      return false;
    }
    prompt().type = Type::multiple_choice;
    prompt().question = question_above(view_, found->first);
    prompt().choices = std::move(found->choices);
    prompt().matches.push_back({"a list with a pointer", Type::multiple_choice, kMenuConfidence});
    if (found->several) prompt().matches.back().name = "a list to tick";
    if (found->chosen < prompt().choices.size()) prompt().fallback = prompt().choices[found->chosen].label;
    take(patterns_.find(last_line_of_question()));
    return true;
  }

  std::string_view last_line_of_question() {
    std::string_view last = prompt().question;
    if (const size_t at = last.rfind('\n'); at != std::string_view::npos) last.remove_prefix(at + 1);
    return last;
  }

  // Of a box: its shape says what it is, and its words whether it is secret.
  void take_traits() {
    for (const auto& each : patterns_.find(last_line_of_question()))
      prompt().secret = prompt().secret || each.trait == Trait::secret;
  }

  // A box with buttons, drawn by a program that takes single keys.
  bool buttons() {
    if (evidence_.canonical) return false;
    auto found = find_buttons(view_);
    if (!found) return false;
    if (auto list = find_boxed_list(view_, found->first)) {
      found = std::move(list);
      prompt().type = Type::multiple_choice;
      prompt().matches.push_back({"a list in a box", prompt().type, kMenuConfidence});
    } else {
      const auto& choices = found->choices;
      const auto is = [&](size_t n, std::string_view name) { return choices[n].label == name; };
      const bool yes_no =
          choices.size() == 2 && ((is(0, "Yes") && is(1, "No")) || (is(0, "No") && is(1, "Yes")));
      const bool input = choices.size() == 2 && view_.cursor_visible && view_.cursor_line < found->first;
      prompt().type = yes_no                ? Type::yes_no
                      : input               ? Type::free_text
                      : choices.size() == 1 ? Type::confirm_enter
                                            : Type::multiple_choice;
      const bool plain = yes_no || choices.size() == 1;
      prompt().matches.push_back({"buttons", prompt().type, plain ? kCertain : kMenuConfidence});
    }
    prompt().row = view_.absolute(view_.lines[found->first]);
    const bool field = prompt().type == Type::free_text;
    prompt().question = question_above(view_, field ? view_.cursor_line : found->first);
    take_traits();
    if (field) {
      // What stands in the field already is what Enter gives.
      const std::string text = view_.before_cursor();
      std::string_view written = inside_border(text);
      while (written.ends_with('_')) written.remove_suffix(1);
      if (!written.empty()) prompt().fallback = written;
      return true;
    }
    prompt().choices = std::move(found->choices);
    if (found->chosen < prompt().choices.size()) prompt().fallback = prompt().choices[found->chosen].label;
    return true;
  }

  // Behind "[ " or "< ", or on the bracket: a box that a program of panels has opened over them.
  bool cursor_at_button() const {
    const std::string before = view_.before_cursor();
    const std::string_view text = trim(before);
    return view_.cursor_visible && (text.ends_with('[') || text.ends_with("[<") || text.ends_with('<'));
  }

  bool line_in_last_row() {
    const size_t below = view_.lines.size() - 1 - view_.cursor_line;
    if (line_ != view_.cursor_line || below > kKeyRows || (below > 0 && !in_bar())) return false;
    return line();
  }

  // A line in inverse: the editor's own, and no text that it shows.
  bool in_bar() const {
    const auto& glyphs = view_.at_cursor().line.glyphs;
    return !glyphs.empty() && glyphs.front().style.has(vt::kInverse);
  }

  bool line() {
    if (asked_.empty() || !at_end_of_line()) return false;
    const auto found = patterns_.find(asked_);
    const auto list = view_.lines.empty() ? std::nullopt : find_keyed_list(view_, line_);
    const auto options = bracketed_options(asked_);
    take(found);
    at_line_ = true;
    if (options && !options->yes_no && prompt().matches.empty())
      prompt().matches.push_back({"options in brackets", Type::multiple_choice, kMenuConfidence});
    // A list of numbers asks nothing by itself; with a line behind it that wants an answer it does.
    const std::string typed_at = view_.before_cursor();
    const bool sign = !trim(typed_at).empty() && bare_sign(typed_at);
    const bool wants = reading_.ends_open || !prompt().matches.empty() || sign;
    if (list && wants) prompt().matches.push_back({"a list of keys", Type::multiple_choice, kMenuConfidence});
    if (prompt().matches.empty()) return prefilled();
    sort_by_confidence(prompt().matches);
    prompt().type = prompt().matches.front().type;
    if (list && wants && prompt().type != Type::yes_no) {
      prompt().type = Type::multiple_choice;
      prompt().choices = list->choices;
      if (const std::string above = question_above(view_, list->first);
          !above.empty() && bare_sign(asked_.substr(0, 2)))
        prompt().question = above;
    } else if (options) {
      prompt().choices = options->choices;
      prompt().fallback = options->fallback;
      if (options->yes_no) prompt().type = Type::yes_no;
    }
    return true;
  }

  // A line editor may put an answer behind its question, to be changed.
  bool prefilled() {
    if (evidence_.canonical || evidence_.echo || evidence_.verdict != Verdict::waits) return false;
    const size_t end = asked_.rfind(": ");
    if (end == std::string::npos) return false;
    const std::string question = asked_.substr(0, end + 1);
    take(patterns_.find(question));
    if (prompt().matches.empty()) return false;
    prompt().type = Type::free_text;
    prompt().fallback = trim(std::string_view(asked_).substr(end + 1));
    prompt().question = question;
    return true;
  }

  // A program that prints questions faster than they are answered has its answers taken in that order. More
  // than a few in a row are a text that is shown, and only the one at the cursor asks.
  void find_unanswered() {
    if (evidence_.verdict != Verdict::waits || !evidence_.canonical || prompt().confidence < kCertain) return;
    std::vector<Prompt> above;
    for (size_t i = line_; i-- > 0 && above.size() <= kMostUnanswered;) {
      const ViewLine& line = view_.lines[i];
      if (line.blank() || (answered_ && view_.absolute(line) <= *answered_)) break;
      const auto found = patterns_.find(trim(line.text));
      if (found.empty() || found.front().match.confidence < kCertain) break;
      View until = view_;
      until.cursor_line = i;
      until.cursor_column = line.line.glyphs.size();
      Reader reader(until, evidence_, patterns_, answered_);
      reader.find_line();
      if (!reader.line()) break;
      reader.finish();
      above.push_back(std::move(reader.reading_.prompt));
    }
    if (above.empty() || above.size() > kMostUnanswered) return;
    reading_.later.assign(std::make_move_iterator(above.rbegin()), std::make_move_iterator(above.rend()));
    reading_.later.push_back(std::move(prompt()));
    prompt() = std::move(reading_.later.front());
    reading_.later.erase(reading_.later.begin());
  }

  // The cursor stands behind the question, or a line below it: nobody answers in the middle of a text.
  bool at_end_of_line() const {
    if (line_ != view_.cursor_line) return true;
    const std::string before = view_.before_cursor();
    return trim(before) == trim(inside_border(view_.at_cursor().text)) ||
           trim(inside_border(before)) == trim(inside_border(view_.at_cursor().text));
  }

  void finish() {
    Prompt& p = prompt();
    sort_by_confidence(p.matches);
    add_up();
    const bool may_have_default =
        p.type == Type::free_text || p.type == Type::yes_no || p.type == Type::multiple_choice;
    if (!p.fallback && may_have_default && !bracketed_options(asked_)) p.fallback = default_answer(asked_);
    if (p.type == Type::yes_no && p.choices.empty()) p.choices = spelt_answers(asked_);
    if (p.type == Type::free_text) p.limit = length_limit(asked_);
    // A terminal that echoes but does not gather lines is how a program asks for one key.
    if (!evidence_.canonical && evidence_.echo && p.type != Type::free_text) p.enter = false;
    if (evidence_.canonical && evidence_.verdict == Verdict::waits) p.enter = true;
    if (p.question.size() > kLongestQuestion) p.question.resize(kLongestQuestion);
  }

  const View& view_;
  const Evidence& evidence_;
  const Patterns& patterns_;
  std::optional<uint64_t> answered_;
  Reading reading_;
  size_t line_ = 0;
  bool at_line_ = false;  // it is asked in a line, and not in a list or a box
  std::string asked_;
};

}  // namespace

Reading read_question(const View& view, const Evidence& evidence, const Patterns& patterns,
                      std::optional<uint64_t> answered) {
  return Reader(view, evidence, patterns, answered).read();
}

}  // namespace detect
