// SPDX-License-Identifier: Apache-2.0
#include "exec/typed.h"

#include <algorithm>
#include <fmt/format.h>
#include <random>

namespace exec {
namespace {

using base::Code;
using base::fail;
using base::Result;

constexpr size_t kLeastSentinel = 8;
constexpr size_t kMostSentinel = 64;
// A terminal in line mode keeps 4,095 bytes of a line, busybox 1,023; and line editors slow down with its
// length.
constexpr size_t kMostLine = 500;

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }
bool is_plain(char c) { return !is_control(c) && static_cast<unsigned char>(c) < 0x80; }

// One word of many pieces, in lines of a bounded length: behind a closed quote a backslash joins two lines.
class Word {
 public:
  Word(std::string_view open, std::string_view close) : open_(open), close_(close), text_(open) {}

  void put(std::string_view piece) {
    if (line_ + piece.size() > kMostLine) {
      text_ += close_;
      text_ += "\\\r";
      text_ += open_;
      line_ = 0;
    }
    text_ += piece;
    line_ += piece.size();
  }
  // A newline that was typed as one.
  void put_newline() {
    text_ += '\r';
    line_ = 0;
  }
  std::string take() { return std::move(text_) + std::string(close_); }

 private:
  std::string_view open_;
  std::string_view close_;
  std::string text_;
  size_t line_ = 0;
};

// $'…' of bash, zsh, ksh and busybox.
std::string escaped_word(std::string_view text) {
  Word word("$'", "'");
  for (const char c : text) {
    if (c == '\n')
      word.put("\\n");
    else if (c == '\\' || c == '\'')
      word.put(std::string{'\\', c});
    else if (!is_plain(c) || c == '!')
      word.put(fmt::format("\\{:03o}", static_cast<unsigned char>(c)));
    else
      word.put({&c, 1});
  }
  return word.take();
}

// '…' for a shell that reads the terminal's lines: they hold newlines, and what the terminal would act on
// goes behind its key for that.
std::string quoted_word(std::string_view text) {
  constexpr char kLiteralNext = '\x16';
  Word word("'", "'");
  for (const char c : text) {
    if (c == '\n')
      word.put_newline();
    else if (c == '\'')
      word.put("'\\''");
    else if (is_control(c) && c != '\t')
      word.put(std::string{kLiteralNext, c});
    else
      word.put({&c, 1});
  }
  return word.take();
}

// fish: escapes stand outside of quotes.
std::string fish_word(std::string_view text) {
  Word word("'", "'");
  for (const char c : text) {
    if (c == '\\' || c == '\'')
      word.put(std::string{'\\', c});
    else if (!is_plain(c))
      word.put(fmt::format("'\\x{:02x}'", static_cast<unsigned char>(c)));
    else
      word.put({&c, 1});
  }
  return word.take();
}

// The sentinel in two words.
std::string halves(std::string_view sentinel) {
  return fmt::format("{} {}", sentinel.substr(0, 4), sentinel.substr(4));
}

std::string print_begin(std::string_view sentinel) {
  return fmt::format("printf '\\033]7717;%s%s;begin\\007' {}", halves(sentinel));
}

// Nothing of it is traced.
std::string print_end(std::string_view sentinel) {
  return fmt::format(R"({{ printf '\033]7717;%s%s;%s\007' {} "$?"; }} 2>/dev/null)", halves(sentinel));
}

}  // namespace

std::string new_sentinel() {
  std::random_device random;
  return fmt::format("__KR_DONE_{:08x}__", static_cast<uint32_t>(random()));
}

Result<void> check_sentinel(std::string_view sentinel) {
  const bool known = std::all_of(sentinel.begin(), sentinel.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!known || sentinel.size() < kLeastSentinel || sentinel.size() > kMostSentinel)
    return fail(Code::invalid_param, 0, "a sentinel is 8 to 64 letters, digits and underscores");
  return {};
}

std::string mark_start(std::string_view sentinel) { return fmt::format("\x1b]7717;{};", sentinel); }

Result<std::string> typed(Shell shell, std::string_view command, std::string_view sentinel) {
  if (command.size() > kMostCommand)
    return fail(
        Code::invalid_param, 0,
        fmt::format("a command has {} KiB at most; put a longer one into a file", kMostCommand >> 10));
  if (command.find('\0') != std::string_view::npos)
    return fail(Code::invalid_param, 0, "a command cannot hold a zero byte");
  const std::string begin = print_begin(sentinel);
  const std::string end = print_end(sentinel);
  // A blank in front keeps it out of the history, where the shell is told to do so.
  switch (shell) {
    case Shell::bash:
      return fmt::format(" command eval {}; {}\r", escaped_word(fmt::format("{}\n{}", begin, command)), end);
    case Shell::posix:
      // busybox asks for the cursor's position, and takes some answers (1;5) for the beginning of a key: it
      // then swallows what is typed next, up to sixteen bytes in all.
      return fmt::format("{:16}command eval {}; {}\r", "",
                         escaped_word(fmt::format("{}\n{}", begin, command)), end);
    case Shell::plain:
      return fmt::format(" command eval {}; {}\r", quoted_word(fmt::format("{}\n{}", begin, command)), end);
    case Shell::zsh:
      return fmt::format(" {}; eval {}; {}\r", begin, escaped_word(command), end);
    case Shell::ksh:
      return fmt::format(" {}; command eval {}; {}\r", begin, escaped_word(command), end);
    case Shell::fish:
      return fmt::format(" {}; eval {}; printf '\\033]7717;%s%s;%s\\007' {} $status\r", begin,
                         fish_word(command), halves(sentinel));
    case Shell::none:
      break;
  }
  return fail(Code::internal, 0, "no shell");
}

}  // namespace exec
