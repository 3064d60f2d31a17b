// SPDX-License-Identifier: Apache-2.0
#include "filter/key_decoder.h"

#include <utility>

#include "base/strings.h"

namespace filter {
namespace {

constexpr unsigned char kEscape = 0x1b;
constexpr unsigned char kBell = 0x07;
constexpr unsigned char kDelete = 0x7f;
constexpr unsigned char kEraseWord = 0x17;
constexpr size_t kLongest = 48;     // sequence that may be a key
constexpr size_t kMostText = 4096;  // of an answer of the terminal, as to a question for its colours
constexpr size_t kMouseBytes = 3;

constexpr unsigned kShift = 1;
constexpr unsigned kControl = 4;
constexpr unsigned kLocks = 64 | 128;
constexpr unsigned kRelease = 3;

struct Numbers {
  unsigned first = 0;
  unsigned second = 0;
};

// "A:B", of which B may be left out; A too where `usual` says what it is then.
std::optional<Numbers> numbers(std::string_view text, unsigned usual) {
  constexpr unsigned kMost = 0x10ffff;
  const auto parts = base::split(text, ':');
  Numbers result{usual, 0};
  if (!parts[0].empty()) {
    const auto first = base::parse_number<unsigned>(parts[0], 0, kMost);
    if (!first) return {};
    result.first = *first;
  }
  if (parts.size() > 1 && !parts[1].empty()) {
    const auto second = base::parse_number<unsigned>(parts[1], 0, kMost);
    if (!second) return {};
    result.second = *second;
  }
  return result;
}

std::optional<unsigned char> with_control(unsigned code) {
  if ((code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || (code >= '[' && code <= '_') ||
      code == '@')
    return static_cast<unsigned char>(code & 0x1f);
  if (code == '\r' || code == '\n') return static_cast<unsigned char>(code);
  if (code == kDelete) return kEraseWord;
  return {};
}

std::optional<unsigned char> plain(unsigned code, bool shifted) {
  if (code >= 0x80 || code == kEscape) return {};
  if (shifted && code >= 'a' && code <= 'z') return static_cast<unsigned char>(code - 'a' + 'A');
  return static_cast<unsigned char>(code);
}

}  // namespace

std::optional<unsigned char> key_of(std::string_view body, char last) {
  const auto fields = base::split(body, ';');
  std::string_view code_field;
  std::string_view modifier_field;
  if (last == 'u') {
    code_field = fields[0];
    if (fields.size() > 1) modifier_field = fields[1];
  } else if (last == '~' && fields.size() == 3 && fields[0] == "27") {
    code_field = fields[2];
    modifier_field = fields[1];
  } else {
    return {};
  }
  const auto code = numbers(code_field, 0);
  const auto modifiers = numbers(modifier_field, 1);
  if (!code || !modifiers || code->first == 0 || modifiers->first == 0 || modifiers->second == kRelease)
    return {};
  const unsigned held = (modifiers->first - 1) & ~kLocks;
  if ((held & ~(kShift | kControl)) != 0) return {};
  return (held & kControl) != 0 ? with_control(code->first) : plain(code->first, (held & kShift) != 0);
}

void KeyDecoder::take(unsigned char byte, std::vector<Symbol>& symbols) {
  switch (state_) {
    case State::ground:
      return on_ground(byte, symbols);
    case State::escape:
      return on_escape(byte, symbols);
    case State::csi:
      return on_csi(byte, symbols);
    case State::ss3:
      pending_ += static_cast<char>(byte);
      if (byte == 'M') return give_key('\r', symbols);
      if (byte >= 0x20 && byte < kDelete) return give_bytes(symbols);
      pending_.pop_back();
      return give_up(byte, symbols);
    case State::text:
      return on_text(byte, symbols);
    case State::text_escape:
      if (byte == '\\') {
        pending_ += '\\';
        return give_bytes(symbols);
      }
      state_ = State::escape;
      return on_escape(byte, symbols);
    case State::mouse:
      if (byte < 0x20) return give_up(byte, symbols);
      symbols.push_back({byte, Symbol::Kind::escape, std::string(1, static_cast<char>(byte))});
      if (--left_ == 0) state_ = State::ground;
      return;
  }
}

void KeyDecoder::on_ground(unsigned char byte, std::vector<Symbol>& symbols) {
  if (byte != kEscape) {
    symbols.push_back({byte, Symbol::Kind::typed, std::string(1, static_cast<char>(byte))});
    return;
  }
  pending_ = '\x1b';
  passed_ = 0;
  state_ = State::escape;
}

void KeyDecoder::on_escape(unsigned char byte, std::vector<Symbol>& symbols) {
  switch (byte) {
    case '[':
      pending_ += '[';
      state_ = State::csi;
      return;
    case 'O':
      pending_ += 'O';
      state_ = State::ss3;
      return;
    // What the terminal itself answers: its colours, its name.
    case ']':
    case 'P':
    case 'X':
    case '^':
    case '_':
      pending_ += static_cast<char>(byte);
      give_bytes(symbols);
      state_ = State::text;
      left_ = kMostText;
      return;
    // Alt+Backspace.
    case kDelete:
    case '\b':
      pending_ += static_cast<char>(byte);
      return give_key(kEraseWord, symbols);
    // Alt and a key, or Esc and then a key: nobody can tell, and what is typed behind an Esc counts.
    default:
      return give_up(byte, symbols);
  }
}

void KeyDecoder::on_csi(unsigned char byte, std::vector<Symbol>& symbols) {
  const bool parameter = byte >= 0x20 && byte < 0x40;
  const bool last = byte >= 0x40 && byte < kDelete;
  if ((!parameter && !last) || pending_.size() >= kLongest) return give_up(byte, symbols);
  pending_ += static_cast<char>(byte);
  if (parameter) return;
  const std::string_view body = std::string_view(pending_).substr(2, pending_.size() - 3);
  if (const auto key = key_of(body, static_cast<char>(byte))) return give_key(*key, symbols);
  const bool mouse = body.empty() && byte == 'M';
  give_bytes(symbols);
  if (!mouse) return;
  state_ = State::mouse;
  left_ = kMouseBytes;
}

// Up to BEL or ESC \. Nobody's answer has an Enter in it, or any other control byte.
void KeyDecoder::on_text(unsigned char byte, std::vector<Symbol>& symbols) {
  if (byte == kEscape) {
    pending_ = '\x1b';
    passed_ = 0;
    state_ = State::text_escape;
    return;
  }
  if (byte < 0x20 && byte != kBell) return give_up(byte, symbols);
  symbols.push_back({byte, Symbol::Kind::escape, std::string(1, static_cast<char>(byte))});
  if (byte == kBell || --left_ == 0) state_ = State::ground;
}

void KeyDecoder::give_key(unsigned char value, std::vector<Symbol>& symbols) {
  symbols.push_back({value, Symbol::Kind::typed, pending_.substr(passed_)});
  pending_.clear();
  passed_ = 0;
  state_ = State::ground;
}

void KeyDecoder::give_bytes(std::vector<Symbol>& symbols) {
  for (size_t i = 0; i < pending_.size(); i++) {
    symbols.push_back({static_cast<unsigned char>(pending_[i]), Symbol::Kind::escape,
                       i < passed_ ? std::string() : std::string(1, pending_[i])});
  }
  pending_.clear();
  passed_ = 0;
  state_ = State::ground;
}

void KeyDecoder::give_up(unsigned char byte, std::vector<Symbol>& symbols) {
  give_bytes(symbols);
  on_ground(byte, symbols);
}

}  // namespace filter
