// SPDX-License-Identifier: Apache-2.0
#include "loop/keys.h"

#include <utility>
#include <vector>

#include "base/strings.h"

namespace loop {
namespace {

constexpr char kEscape = '\x1b';
constexpr char kCtrlC = '\x03';
constexpr char kCtrlBackslash = '\x1c';
constexpr size_t kLongestSequence = 32;  // what is longer is no reserved key

// Of a modifier parameter, which is 1 more than the sum of its bits.
constexpr int kControl = 4;
constexpr int kLocks = 64 | 128;  // caps lock and num lock change nothing

constexpr bool is_parameter(char c) { return c >= '0' && c <= ';'; }
constexpr bool is_final(char c) { return c >= '@' && c <= '~'; }

struct Piece {
  size_t size = 1;
  bool whole = true;  // false: the rest may still come
};

// The control sequence that begins with an ESC, as far as it is one with plain numbers; else the ESC alone.
Piece sequence_at(std::string_view bytes) {
  if (bytes.size() == 1) return {1, false};
  if (bytes[1] != '[') return {};
  size_t at = 2;
  while (at < bytes.size() && is_parameter(bytes[at])) {
    if (++at > kLongestSequence) return {};
  }
  if (at == bytes.size()) return {at, false};
  return is_final(bytes[at]) ? Piece{at + 1, true} : Piece{};
}

// Numbers of one parameter, those behind colons too; -1 for none.
std::vector<int> numbers(std::string_view parameter) {
  std::vector<int> out;
  for (const std::string_view part : base::split(parameter, ':'))
    out.push_back(base::parse_number<int>(part, 0, 0x10FFFF).value_or(-1));
  return out;
}

bool is_control_alone(int modifiers) { return modifiers > 0 && ((modifiers - 1) & ~kLocks) == kControl; }

}  // namespace

CtrlC::Action CtrlC::press(base::Moment now) {
  const bool again = first_ && now - *first_ <= kWindow;
  first_ = now;
  return again ? Action::terminate : Action::forward_and_start_window;
}

// CSI 99;5u and CSI 27;5;99~. With the kitty protocol's extras: the key on a Latin layout behind the key's
// own code (CSI 1089::99;5u), and the kind of event behind the modifiers; only a press counts, not holding
// the key down nor letting it go.
Keys::Key Keys::key_of(std::string_view sequence) {
  if (sequence.size() < 4) return Key::other;
  const char final = sequence.back();
  const auto parameters = base::split(sequence.substr(2, sequence.size() - 3), ';');
  if (parameters.size() < 2) return Key::other;
  const std::vector<int> modifiers = numbers(parameters[1]);
  const std::vector<int> first = numbers(parameters[0]);
  if (!is_control_alone(modifiers[0])) return Key::other;

  int code = -1;
  if (final == 'u' && (modifiers.size() < 2 || modifiers[1] <= 1)) code = first[first.size() > 2 ? 2 : 0];
  if (final == '~' && first[0] == 27 && parameters.size() == 3) code = numbers(parameters[2])[0];
  if (code == 'c') return Key::ctrl_c;
  return code == '\\' ? Key::ctrl_backslash : Key::other;
}

Stop Keys::decide(Key key, base::Moment now) {
  if (key == Key::ctrl_backslash) return Stop::kill;
  if (key == Key::ctrl_c && ctrl_c_.press(now) == CtrlC::Action::terminate) return Stop::terminate;
  return Stop::none;
}

void Keys::note_paste(std::string_view sequence) {
  if (sequence == "\x1b[200~") pasting_ = true;
  if (sequence == "\x1b[201~") pasting_ = false;
}

Routed Keys::type(std::string_view bytes, base::Moment now) {
  if (pasting_ && now - typed_ > kPasteStall) pasting_ = false;
  typed_ = now;
  const std::string all = std::exchange(held_, {}).append(bytes);
  const std::string_view rest(all);

  Routed out;
  for (size_t at = 0; at < rest.size();) {
    Key key = Key::other;
    std::string_view piece = rest.substr(at, 1);
    if (piece[0] == kEscape) {
      const Piece found = sequence_at(rest.substr(at));
      piece = rest.substr(at, found.size);
      if (!found.whole) {
        held_ = piece;
        return out;
      }
      if (!pasting_) key = key_of(piece);
      note_paste(piece);
    } else if (!pasting_) {
      if (piece[0] == kCtrlC) key = Key::ctrl_c;
      if (piece[0] == kCtrlBackslash) key = Key::ctrl_backslash;
    }
    out.stop = decide(key, now);
    if (out.stop != Stop::none) return out;
    out.forward += piece;
    at += piece.size();
  }
  return out;
}

std::string Keys::release() { return std::exchange(held_, {}); }

}  // namespace loop
