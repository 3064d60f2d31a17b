// SPDX-License-Identifier: Apache-2.0
#include "random_sequence.h"

#include <fmt/format.h>

namespace vt_test {

uint32_t RandomSequence::number(uint32_t bound) {
  // splitmix64: good enough here, and the same with every standard library.
  state_ += 0x9E3779B97F4A7C15;
  uint64_t z = state_;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return static_cast<uint32_t>((z ^ z >> 31) >> 16) % bound;
}

std::string_view RandomSequence::pick(std::initializer_list<std::string_view> choices) {
  return choices.begin()[number(static_cast<uint32_t>(choices.size()))];
}

std::string RandomSequence::parameter() {
  switch (number(8)) {
    case 0:
      return "";
    case 1:
      return "0";
    case 2:
      return grammar_ == Grammar::everything ? "99999999999" : "999";
    default:
      return std::to_string(1 + number(12));
  }
}

std::string RandomSequence::make(int items) {
  std::string out;
  for (; items > 0; items--) item(out);
  return out;
}

void RandomSequence::item(std::string& out) {
  const uint32_t kind = number(100);
  if (kind < 36) return text(out);
  if (kind < 48) return control_character(out);
  if (kind < 60) return cursor_sequence(out);
  if (kind < 72) return edit_sequence(out);
  if (kind < 82) return rendition(out);
  if (kind < 88) return mode(out);
  if (kind < 92) return escape(out);
  if (kind < 95) return system(out);
  if (grammar_ == Grammar::agreed) return text(out);
  if (kind < 97) return query(out);
  broken(out);
}

void RandomSequence::text(std::string& out) {
  const uint32_t kind = number(10);
  if (kind < 5) {
    for (uint32_t n = 1 + number(14); n > 0; n--) out += static_cast<char>(' ' + number(95));
  } else if (kind < 7) {
    for (uint32_t n = 1 + number(5); n > 0; n--)
      out += pick({"日", "本", "語", "한", "글", "あ", "ｶ", "é", "ß", "→", "█"});
  } else if (kind < 8 && grammar_ == Grammar::agreed) {
    // What is more than a base and its marks needs graphemes, which xterm.js has in an add-on only.
    out += pick({"😀", "🚀", "✅", "e\u0301", "n\u0303o\u0308"});
  } else if (kind < 8) {
    out += pick({"😀", "🚀", "✅", "👍🏽", "👩‍💻", "🇩🇪", "❤️", "👨‍👩‍👧‍👦", "e\u0301",
                 "n\u0303o\u0308", "각", "ก็", "नि"});
  } else if (grammar_ == Grammar::everything && kind < 9) {
    out += pick({"\u0301", "\u200d", "\ufe0f", "🇩", "🏽", "\u1100", "\u1161", "\u11a8", "\u200b", "\u0085",
                 "\ufeff", "ี"});
  } else {
    out += std::string(1 + number(30), static_cast<char>('a' + number(26)));
  }
}

void RandomSequence::control_character(std::string& out) {
  const std::string_view shift = grammar_ == Grammar::everything ? pick({"\x0e", "\x0f"}) : "\f";
  out += pick({"\r", "\n", "\r\n", "\r\n", "\b", "\t", "\n", "\v", shift});
}

void RandomSequence::cursor_sequence(std::string& out) {
  switch (number(4)) {
    case 0:
      out += fmt::format("\x1b[{};{}{}", parameter(), parameter(), pick({"H", "H", "f"}));
      break;
    case 1:
      out += fmt::format("\x1b[{};{}r", parameter(), parameter());
      break;
    default:
      out += fmt::format("\x1b[{}{}", parameter(),
                         pick({"A", "B", "C", "D", "E", "F", "G", "I", "Z", "`", "a", "d", "e"}));
  }
}

void RandomSequence::edit_sequence(std::string& out) {
  // ED 1 in the last column of the last row makes xterm.js throw.
  const std::string_view up = grammar_ == Grammar::everything ? "1J" : "1K";
  switch (number(8)) {
    case 0:
      out += fmt::format("\x1b[{}", pick({"J", "K", "1K", "2K", "2J", "0K", up}));
      break;
    case 1:
      out += fmt::format("\x1b[?{}", pick({"J", "K", "1K", "2K", "2J", up}));
      break;
    case 2:
      if (grammar_ == Grammar::everything)
        out += fmt::format("\x1b[{}{}", parameter(), pick({"b", "3J", " @", " A", "'}", "'~"}));
      else
        out += fmt::format("{}\x1b[{}b", static_cast<char>('a' + number(26)), 1 + number(9));
      break;
    case 3:
      // What is left of a wide character that is overwritten is protected in xterm.js.
      if (grammar_ == Grammar::everything)
        out += fmt::format("\x1b[{}\"q", pick({"0", "1", "2"}));
      else
        out += "\r\x1b[2K\x1b[1\"qP\x1b[0\"q";
      break;
    default:
      out += fmt::format("{}\x1b[{}{}", grammar_ == Grammar::agreed ? "\r" : "", parameter(),
                         pick({"@", "P", "X", "L", "M", "S", "T", "X"}));
      break;
  }
}

std::string RandomSequence::color() {
  switch (number(4)) {
    case 0:
      return fmt::format("8;5;{}", number(256));
    case 1:
      return fmt::format("8;2;{};{};{}", number(256), number(256), number(256));
    case 2:
      return fmt::format("8:2::{}:{}:{}", number(256), number(256), number(256));
    default:
      return fmt::format("8:5:{}", number(256));
  }
}

void RandomSequence::rendition(std::string& out) {
  out += "\x1b[";
  for (uint32_t n = 1 + number(3); n > 0; n--) {
    switch (number(6)) {
      case 0:
        break;
      case 1:
        out += fmt::format("{}{}", pick({"3", "4"}), color());
        break;
      case 2:
        out += fmt::format("{}{}", pick({"3", "4", "9", "10"}), number(8));
        break;
      case 3:
        out += pick({"4:3", "4:1", "21", "24", "58;5;9", "58:2::1:2:3", "59", "53", "55", "4"});
        break;
      default:
        out += pick({"0", "1", "2", "3", "5", "7", "8", "9", "22", "23", "25", "27", "28", "29", "39", "49"});
    }
    if (n > 1) out += ';';
  }
  out += 'm';
}

void RandomSequence::mode(std::string& out) {
  const bool all = grammar_ == Grammar::everything;
  const std::string_view on = pick({"h", "l"});
  switch (number(all ? 6 : 3)) {
    case 0:
      // Inserting in the middle of a wide character leaves half of it in xterm.js.
      if (all)
        out += fmt::format("\x1b[{}{}", pick({"4", "4", "20"}), on);
      else
        out += fmt::format("\r\x1b[4h{}\x1b[4l", std::string(1 + number(5), '+'));
      break;
    case 1:
      out += fmt::format("\x1b[?{}{}", pick({"45", "25", "1", all ? "6" : "1", all ? "7" : "25"}), on);
      break;
    case 2:
      // The saved cursor of xterm.js moves with the text and forgets the underline.
      out += fmt::format("\x1b[?{}{}", pick({"47", "1047", all ? "1049" : "47", all ? "1048" : "47"}), on);
      break;
    case 3:
      out += fmt::format("\x1b[?{}{}",
                         pick({"1000", "1002", "1003", "9", "1006", "1015", "1016", "1005", "1004", "2004"}),
                         on);
      break;
    case 4:
      out += fmt::format("\x1b[?{}{}",
                         pick({"5", "12", "66", "67", "1007", "2026", "2027", "2031", "2048", "9001"}), on);
      break;
    default:
      out += fmt::format("\x1b[{}", pick({">1u", ">31u", "<u", "<3u", "=5u", "=3;2u", "=1;3u", ">4;2m", ">4m",
                                          "3 q", "6 q", "0 q", "!p"}));
  }
}

void RandomSequence::escape(std::string& out) {
  if (grammar_ == Grammar::agreed) {
    // The pattern (DECALN) of xterm.js has all of the pen but the shape of its underline.
    out +=
        pick({"\033D", "\x1bM", "\033E", "\x1bH", "\x1b(0", "\x1b(B", "\x1b[g", "\x1b[3g", "\x1b[24m\x1b#8"});
    return;
  }
  out += pick({"\0337",  "\0338",  "\033D",   "\x1bM",  "\033E",  "\x1bH",  "\x1b(0", "\x1b(B",
               "\x1b)0", "\x1b*0", "\x1b+A",  "\x1bN",  "\x1bO",  "\x1bn",  "\x1bo",  "\x1b=",
               "\x1b>",  "\x1b[g", "\x1b[3g", "\x1b#8", "\x1b[s", "\x1b[u", "\x1b%G"});
  if (number(40) == 0) out += "\033c";
}

void RandomSequence::system(std::string& out) {
  const std::string_view end = pick({"\a", "\x1b\\"});
  switch (number(grammar_ == Grammar::everything ? 8 : 1)) {
    case 0:
      out += fmt::format("\x1b]{};title {}{}", pick({"0", "1", "2"}), number(9), end);
      break;
    case 1:
      out += fmt::format("\x1b]8;{};http://example.org/{}{}", pick({"", "id=a", "id=b:x=y"}), number(5), end);
      break;
    case 2:
      out += fmt::format("\x1b]8;;{}", end);
      break;
    case 3:
      out += fmt::format("\x1b]133;{}{}", pick({"A", "B", "C", "D;0", "D;130", "D", "A;aid=1"}), end);
      break;
    case 4:
      out += fmt::format("\x1b]{};rgb:{:02x}/80/ff{}", pick({"4;7", "10", "11", "12", "4;200"}), number(256),
                         end);
      break;
    case 5:
      out += fmt::format("\x1b]{}{}", pick({"104", "104;7", "110", "111", "112"}), end);
      break;
    case 6:
      out += fmt::format("\x1b[{};{}t", pick({"22", "23"}), number(3));
      break;
    default:
      out += fmt::format("\x1b]7;file://host/tmp/{}{}", number(9), end);
      break;
  }
}

void RandomSequence::query(std::string& out) {
  out += pick({"\x1b[c", "\x1b[>c", "\x1b[=c", "\x1b[5n", "\x1b[6n", "\x1b[?6n", "\x1b[?996n", "\x1b[?2026$p",
               "\x1b[4$p", "\x1b[>q", "\x1b]10;?\a", "\x1b]4;1;?\a", "\x1b[?u", "\x1bP$qm\x1b\\",
               "\x1bP+q544e\x1b\\", "\x1b[14t", "\x1b[16t", "\x1b[18t"});
}

void RandomSequence::broken(std::string& out) {
  switch (number(8)) {
    case 0:
      out += static_cast<char>(0x80 + number(128));
      break;
    case 1:
      out +=
          pick({"\xe4\xb8", "\xf0\x9f\x91", "\xc3", "\xed\xa0\x80", "\xc0\xaf", "\xf5\x80", "\xe0\x80\x80"});
      break;
    case 2:
      out += fmt::format("\x1b[{};{};", parameter(), parameter());
      break;
    case 3:
      out += pick(
          {"\x1b", "\x1b[", "\x1b[?", "\x1b]", "\x1bP", "\x1b_", "\x1b(", "\x1bP1$", "\x1b[1<", "\x1b]8;;x"});
      break;
    case 4:
      out += pick({"\x18", "\x1a", "\x7f", "\x07", "\x1b\\"});
      break;
    case 5:
      out += "\x1b[" + std::string(number(40), ';') + "m";
      break;
    case 6:
      out += "\x1b[" + std::string(number(4), '!') + "~";
      break;
    default:
      out += fmt::format("\x1b_{}\x1b\\", "apc");
      break;
  }
}

std::string escaped(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else if (c == '\\' || c == '"')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

}  // namespace vt_test
