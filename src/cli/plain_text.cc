// SPDX-License-Identifier: Apache-2.0
#include "cli/plain_text.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace cli {
namespace {

constexpr size_t kMostColumns = 1 << 16;  // of one line; then it is broken
constexpr size_t kMostParameters = 64;

size_t length_by_lead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

bool is_c1(std::string_view character) {
  return character.size() == 2 && character[0] == '\xC2' && static_cast<unsigned char>(character[1]) < 0xA0;
}

}  // namespace

std::string PlainText::feed(std::string_view bytes) {
  for (const char c : bytes) take(c);
  return std::exchange(lines_, {});
}

std::string PlainText::unfinished() {
  // A line that is being rewritten is given out once, when it is complete.
  if (rewritten_) return {};
  std::string text;
  for (size_t i = given_; i < cells_.size(); i++) text += cells_[i];
  given_ = cells_.size();
  return text;
}

std::string PlainText::finish() {
  if (!cells_.empty()) end_line();
  return std::exchange(lines_, {});
}

void PlainText::take(char c) {
  // Cancelled, or begun anew, wherever it stands.
  if (c == '\x18' || c == '\x1a') {
    state_ = State::text;
    return;
  }
  switch (state_) {
    case State::text:
      return take_text(c);
    case State::escape:
      parameters_.clear();
      if (c == '[')
        state_ = State::control;
      else if (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_')
        state_ = State::string;
      else if (c >= ' ' && c <= '/')
        state_ = State::intermediate;
      else
        state_ = c == '\x1b' ? State::escape : State::text;
      return;
    case State::intermediate:
      if (c < ' ' || c > '/') state_ = State::text;
      return;
    case State::control:
      if (c == '\x1b') {
        state_ = State::escape;
      } else if (c >= '@' && c <= '~') {
        state_ = State::text;
        take_control(c);
      } else if (c >= ' ') {
        if (parameters_.size() < kMostParameters) parameters_ += c;
      } else {
        take_text(c);
      }
      return;
    case State::string:
      if (c == '\a') state_ = State::text;
      if (c == '\x1b') state_ = State::string_escape;
      return;
    case State::string_escape:
      state_ = State::escape;
      if (c == '\\')
        state_ = State::text;
      else
        take(c);
      return;
  }
}

void PlainText::take_text(char c) {
  if (!partial_.empty()) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) {
      partial_ += c;
      if (partial_.size() < partial_length_) return;
      if (is_c1(partial_)) return partial_.clear();
      return put(std::exchange(partial_, {}));
    }
    partial_.clear();
    put("\uFFFD");
  }
  if (c == '\x1b') {
    state_ = State::escape;
  } else if (c == '\n' || c == '\v' || c == '\f') {
    end_line();
  } else if (c == '\r') {
    column_ = 0;
  } else if (c == '\b') {
    column_ -= column_ > 0 ? 1 : 0;
  } else if (c == '\t') {
    put("\t");
  } else if (static_cast<unsigned char>(c) >= 0x80) {
    partial_length_ = length_by_lead(static_cast<unsigned char>(c));
    if (partial_length_ == 0) return put("\uFFFD");
    partial_ = c;
  } else if (c >= ' ' && c != '\x7f') {
    put(std::string(1, c));
  }
}

int PlainText::parameter(int usual) const {
  const std::string_view first = std::string_view(parameters_).substr(0, parameters_.find(';'));
  return base::parse_number<int>(first, 1, static_cast<int>(kMostColumns)).value_or(usual);
}

void PlainText::take_control(char final) {
  if (!parameters_.empty() && parameters_[0] >= '<') return;  // private ones say nothing of lines
  switch (final) {
    case 'C':
      return move_to(column_ + static_cast<size_t>(parameter(1)));
    case 'D':
      column_ -= std::min(column_, static_cast<size_t>(parameter(1)));
      return;
    case 'G':
      return move_to(static_cast<size_t>(parameter(1)) - 1);
    case 'K':
      if (parameter(0) == 0 && column_ < cells_.size()) {
        change(column_);
        cells_.resize(column_);
      } else if (parameter(0) == 2) {
        change(0);
        cells_.clear();
      }
      return;
    case 'A':
    case 'B':
    case 'E':
    case 'F':
    case 'H':
    case 'd':
    case 'f':
      if (!cells_.empty()) end_line();
      column_ = 0;
      return;
    default:
      return;
  }
}

void PlainText::change(size_t from) {
  if (from < given_) rewritten_ = true;
}

// Blanks are there only once something stands behind them.
void PlainText::move_to(size_t column) { column_ = std::min(column, kMostColumns); }

void PlainText::put(std::string character) {
  if (column_ >= kMostColumns) end_line();
  if (column_ > cells_.size()) cells_.resize(column_, " ");
  if (column_ == cells_.size()) {
    cells_.push_back(std::move(character));
  } else if (cells_[column_] != character) {
    change(column_);
    cells_[column_] = std::move(character);
  }
  column_++;
}

void PlainText::end_line() {
  // What was given out of it and is not true any more stays on a line of its own.
  const size_t from = rewritten_ ? 0 : std::min(given_, cells_.size());
  if (rewritten_) lines_ += '\n';
  for (size_t i = from; i < cells_.size(); i++) lines_ += cells_[i];
  lines_ += '\n';
  cells_.clear();
  column_ = given_ = 0;
  rewritten_ = false;
}

}  // namespace cli
