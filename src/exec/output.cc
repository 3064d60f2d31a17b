// SPDX-License-Identifier: Apache-2.0
#include "exec/output.h"

#include <algorithm>
#include <utility>

namespace exec {
namespace {

constexpr char kEscape = '\x1b';

bool is_final(char c) { return c >= '@' && c <= '~'; }

}  // namespace

void Plain::feed(std::string_view bytes, std::string& out) {
  while (!bytes.empty()) {
    if (state_ == State::text) {
      const size_t count = std::min(bytes.find(kEscape), bytes.size());
      out += bytes.substr(0, count);
      bytes.remove_prefix(count);
      if (bytes.empty()) return;
    }
    take(bytes.front(), out);
    bytes.remove_prefix(1);
  }
}

// A newline ends what no terminal would take for a sequence any more, so that one that was broken off does
// not take the rest of the output with it.
void Plain::take(char c, std::string& out) {
  if (c == kEscape) {
    state_ = state_ == State::string ? State::string_escape : State::escape;
    return;
  }
  if (c == '\n' && state_ != State::string && state_ != State::string_escape) {
    state_ = State::text;
    out += c;
    return;
  }
  switch (state_) {
    case State::text:
      out += c;
      break;
    case State::escape:
      if (c == '[')
        state_ = State::control;
      else if (c == ']')
        state_ = State::command;
      else if (c == 'P' || c == '_' || c == '^' || c == 'X')
        state_ = State::string;
      else if (c >= ' ' && c <= '/')
        state_ = State::intermediate;
      else
        state_ = State::text;
      break;
    case State::intermediate:
      if (c >= '0' && c <= '~') state_ = State::text;
      break;
    case State::control:
      if (is_final(c)) state_ = State::text;
      break;
    case State::command:
    case State::string:
      if (c == '\a' || c == '\x18' || c == '\x1a') state_ = State::text;
      break;
    case State::string_escape:
      // ESC and backslash end it; ESC and anything else ends it too, and begins another sequence.
      state_ = State::escape;
      if (c == '\\')
        state_ = State::text;
      else
        take(c, out);
      break;
  }
}

// "\r\n" was "\n" before it went through the terminal, and "\r\r\n" was "\r\n".
std::string_view Output::add(std::string_view bytes) {
  std::string undone;
  if (keep_ == Keep::everything) {
    undone = bytes;
  } else {
    std::string text;
    text.reserve(bytes.size() + 1);
    if (std::exchange(held_return_, false)) text += '\r';
    plain_.feed(bytes, text);
    undone.reserve(text.size());
    for (size_t from = 0; from < text.size();) {
      const size_t at = std::min(text.find('\r', from), text.size());
      undone.append(text, from, at - from);
      if (at == text.size()) break;
      if (at + 1 == text.size())
        held_return_ = true;
      else if (text[at + 1] != '\n')
        undone += '\r';
      from = at + 1;
    }
  }
  return keep(std::move(undone));
}

std::string_view Output::finish() { return keep(std::exchange(held_return_, false) ? "\r" : ""); }

bool Output::remove_end(std::string_view text) {
  if (!kept_.ends_with(text)) return false;
  kept_.resize(kept_.size() - text.size());
  count_ -= text.size();
  return true;
}

std::string_view Output::keep(std::string fresh) {
  fresh_ = std::move(fresh);
  count_ += fresh_.size();
  const std::string_view all = fresh_;
  kept_ += all.substr(all.size() - std::min(all.size(), most_));
  if (kept_.size() > 2 * most_) kept_.erase(0, kept_.size() - most_);
  return fresh_;
}

}  // namespace exec
