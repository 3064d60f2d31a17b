// SPDX-License-Identifier: Apache-2.0
#include "filter/input_filter.h"

#include <algorithm>
#include <utility>

#include "filter/scan.h"

namespace filter {
namespace {

constexpr std::array<std::string_view, 3> kWords = {"exit", "/exit", "quit"};
constexpr std::array<std::string_view, 2> kControls = {"\x04", "\x1c"};
constexpr unsigned char kCtrlC = 0x03;

bool is_enter(unsigned char key) { return key == '\r' || key == '\n'; }
bool is_printable(unsigned char byte) { return byte >= 0x20 && byte != 0x7f; }

// Sequences are compared as symbols, so that a key in one encoding stands for the same key in all others.
std::string as_symbols(std::string_view bytes) {
  KeyDecoder decoder;
  std::vector<Symbol> symbols;
  for (const char c : bytes) decoder.take(static_cast<unsigned char>(c), symbols);
  std::string text;
  for (const Symbol& each : symbols) text += static_cast<char>(each.value);
  return text + std::string(decoder.waiting());
}

std::vector<std::string> all_sequences(const Rules& rules) {
  std::vector<std::string> all(kControls.begin(), kControls.end());
  if (rules.anchor == Anchor::anywhere) {
    for (const std::string_view word : kWords) {
      all.push_back(std::string(word) + '\r');
      all.push_back(std::string(word) + '\n');
    }
  }
  for (const std::string& each : rules.sequences) {
    if (!each.empty()) all.push_back(as_symbols(each));
  }
  return all;
}

// How much of a word this is the beginning of; 0: of none.
size_t begun_word(std::string_view text) {
  const bool begins = !text.empty() && std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return word.starts_with(text);
  });
  return begins ? text.size() : 0;
}

}  // namespace

InputFilter::InputFilter(const Rules& rules) : InputFilter(rules, all_sequences(rules)) {}

InputFilter::InputFilter(Rules rules, const std::vector<std::string>& sequences)
    : rules_(std::move(rules)), automaton_(sequences) {
  bool in_text = false;  // whether some sequence is nothing but text
  for (const std::string& each : sequences) {
    const size_t text = printable_run(each);
    longest_text_ = std::max(longest_text_, text);
    in_text = in_text || text == each.size();
  }
  for (size_t byte = 0; byte < plain_.size(); byte++) {
    const auto symbol = static_cast<unsigned char>(byte);
    const bool begins_nothing = automaton_.next(Automaton::kRoot, symbol) == Automaton::kRoot;
    plain_[byte] = is_printable(symbol) && (!in_text || begins_nothing);
    if (is_printable(symbol) && !plain_[byte]) all_printable_plain_ = false;
  }
}

Filtered InputFilter::take(std::string_view bytes, base::Moment now) {
  Filtered result = release(now);
  result.bytes.reserve(result.bytes.size() + bytes.size() + held_.size());
  if (!bytes.empty()) last_input_ = now;
  while (!bytes.empty()) {
    if (held_.empty() && state_ == Automaton::kRoot && decoder_.at_ground()) {
      bytes = take_plain(bytes, result.bytes);
      if (bytes.empty()) break;
    }
    symbols_.clear();
    decoder_.take(static_cast<unsigned char>(bytes.front()), symbols_);
    for (Symbol& each : symbols_) take_symbol(std::move(each), now, result);
    bytes.remove_prefix(1);
  }
  return result;
}

size_t InputFilter::plain_run(std::string_view bytes) const {
  if (all_printable_plain_) return printable_run(bytes);
  size_t length = 0;
  while (length < bytes.size() && plain_[static_cast<unsigned char>(bytes[length])]) length++;
  return length;
}

// Behind plain bytes that begin at the root. No sequence ends among them, and only the last of them can be
// the beginning of one.
Automaton::State InputFilter::state_behind(std::string_view plain) const {
  Automaton::State state = Automaton::kRoot;
  for (const char c : plain.substr(plain.size() - std::min(plain.size(), longest_text_)))
    state = automaton_.next(state, static_cast<unsigned char>(c));
  return state;
}

// The fast way, for text on lines that are no word: gives what is left. It begins at the root of the
// automaton.
std::string_view InputFilter::take_plain(std::string_view bytes, std::string& passed) {
  size_t length = 0;
  while (length < bytes.size()) {
    const bool fresh = line_.blank();
    size_t end = length;
    while (fresh && end < bytes.size() && bytes[end] == ' ' && plain_[' ']) end++;
    const bool may_be_word =
        fresh ? begun_word(bytes.substr(end, 1)) > 0 : begun_word(line_.behind_blanks()) > 0;
    if (!may_be_word) end += plain_run(bytes.substr(end));
    const Automaton::State state = state_behind(bytes.substr(length, end - length));
    const bool enter_passes =
        end < bytes.size() && is_enter(static_cast<unsigned char>(bytes[end])) &&
        automaton_.next(state, static_cast<unsigned char>(bytes[end])) == Automaton::kRoot;
    // A line that begins and ends in here, and does not begin as a word, need not be remembered.
    if (fresh && !may_be_word && end > length && enter_passes) {
      line_.apply('\r');
      length = end + 1;
      continue;
    }
    // What may be the beginning of a sequence goes the slow way, with what comes behind it. Should it be
    // taken out, what stands before it counts again.
    const size_t begun = automaton_.depth(state);
    end -= begun;
    if (begun > 0) state_ = state_behind(bytes.substr(length, end - length));
    line_.append(bytes.substr(length, end - length));
    length = end;
    if (may_be_word || begun > 0 || !enter_passes || blocked_line({.value = '\r'}) > 0) break;
    line_.apply('\r');
    length++;
  }
  passed += bytes.substr(0, length);
  return bytes.substr(length);
}

void InputFilter::take_symbol(Symbol symbol, base::Moment now, Filtered& result) {
  const Automaton::State before = state_;
  const Automaton::State next = automaton_.next(before, symbol.value);
  const bool typed = symbol.kind == Symbol::Kind::typed;
  if (const uint32_t length = automaton_.match(next); length > 0) {
    held_.push_back({std::move(symbol), before});
    return take_out(length, result);
  }
  if (typed && symbol.value == kCtrlC && rules_.ctrl_c_debounce.count() > 0) {
    if (last_ctrl_c_ && now - *last_ctrl_c_ < rules_.ctrl_c_debounce) {
      result.debounced++;
      return;
    }
    last_ctrl_c_ = now;
  }
  if (const size_t count = blocked_line(symbol); count > 0) {
    held_.push_back({std::move(symbol), before});
    return take_out(count, result);
  }
  state_ = next;
  held_.push_back({std::move(symbol), before});
  settle(result.bytes);
}

// If this is the Enter behind a word: how many symbols to take out, those of the word among them.
size_t InputFilter::blocked_line(const Symbol& symbol) const {
  if (symbol.kind != Symbol::Kind::typed || !is_enter(symbol.value)) return 0;
  const TypedLine held_line = held_.empty() ? TypedLine() : line_with_held();
  const TypedLine& line = held_.empty() ? line_ : held_line;
  for (const std::string_view word : kWords) {
    const bool whole = line.trimmed() == word;
    if (!whole && !(rules_.anchor == Anchor::anywhere && line.text().ends_with(word))) continue;
    size_t count = 0;
    while (count < word.size() && count < held_.size() &&
           held_[held_.size() - 1 - count].symbol.kind == Symbol::Kind::typed &&
           held_[held_.size() - 1 - count].symbol.value ==
               static_cast<unsigned char>(word[word.size() - 1 - count]))
      count++;
    return count + 1;
  }
  return 0;
}

// The last ones, as far as they have not passed. What is taken out never happened.
void InputFilter::take_out(size_t count, Filtered& result) {
  count = std::min(count, held_.size());
  state_ = held_[held_.size() - count].before;
  held_.erase(held_.end() - static_cast<std::ptrdiff_t>(count), held_.end());
  result.blocked++;
  settle(result.bytes);
}

// What can be no part of a match any more passes.
void InputFilter::settle(std::string& passed) {
  size_t keep = 0;
  if (rules_.partial_hold.count() > 0) keep = std::max<size_t>(automaton_.depth(state_), word_held());
  while (held_.size() > keep) pass_first(passed);
}

void InputFilter::pass_first(std::string& passed) {
  const Symbol& first = held_.front().symbol;
  passed += first.raw;
  if (first.kind == Symbol::Kind::typed) line_.apply(first.value);
  held_.pop_front();
}

// How many of the newest symbols are the beginning of a word, and of a line.
size_t InputFilter::word_held() const {
  size_t typed = 0;
  while (typed < held_.size()) {
    const Symbol& symbol = held_[held_.size() - 1 - typed].symbol;
    if (symbol.kind != Symbol::Kind::typed || !is_printable(symbol.value)) break;
    typed++;
  }
  // Nothing that is only added makes another line a word.
  const bool other_line = !line_.blank() && begun_word(line_.behind_blanks()) == 0;
  if (typed == 0 || (other_line && typed == held_.size())) return 0;
  return std::min(typed, begun_word(line_with_held().behind_blanks()));
}

TypedLine InputFilter::line_with_held() const {
  TypedLine line = line_;
  for (const Held& each : held_)
    if (each.symbol.kind == Symbol::Kind::typed) line.apply(each.symbol.value);
  return line;
}

std::optional<base::Moment> InputFilter::due() const {
  if (!decoder_.waiting().empty()) return last_input_ + kEscapeHold;
  if (held_.empty()) return {};
  return last_input_ + rules_.partial_hold;
}

Filtered InputFilter::release(base::Moment now) {
  Filtered result;
  if (const auto when = due(); !when || *when > now) return result;
  end_escape(now, result);
  while (!held_.empty()) pass_first(result.bytes);
  result.bytes += decoder_.waiting();
  decoder_.let_through();
  return result;
}

// A sequence of the user's own may end where others only begin, as a lone Esc does.
void InputFilter::end_escape(base::Moment now, Filtered& result) {
  Automaton::State state = state_;
  bool matches = false;
  for (const char c : decoder_.waiting()) {
    state = automaton_.next(state, static_cast<unsigned char>(c));
    matches = matches || automaton_.match(state) > 0;
  }
  if (!matches) return;
  symbols_.clear();
  decoder_.give_up_waiting(symbols_);
  for (Symbol& each : symbols_) take_symbol(std::move(each), now, result);
}

bool passes_whole(const Rules& rules, std::string_view bytes) {
  InputFilter filter(rules);
  const Filtered result = filter.take(bytes, base::Moment(std::chrono::hours(1)));
  return result.blocked == 0 && result.debounced == 0;
}

}  // namespace filter
