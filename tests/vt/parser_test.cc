// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vt/parser_feed.h"

namespace vt {
namespace {

// Writes down what it is told; runs of text are joined, as they may be cut anywhere.
class Log final : public Parser::Actions {
 public:
  void print(const char* text, TextRun run) override {
    if (!printing_) out_ += "print ";
    out_.append(text, run.size);
    printing_ = true;
  }
  void execute(unsigned char control) override { add(fmt::format("execute {:02x}", control)); }
  void escape(const Sequence& sequence) override { add("escape " + between(sequence) + sequence.final); }
  void control(const Sequence& sequence) override {
    add("control " + numbers(sequence) + between(sequence) + sequence.final);
  }
  void system_command(std::string_view text, Terminator terminator) override {
    add(fmt::format("system {} {}", text, terminator == Terminator::bell ? "BEL" : "ST"));
  }
  void device_control(const Sequence& sequence, std::string_view text) override {
    add(fmt::format("device {}{}{} {}", numbers(sequence), between(sequence), sequence.final, text));
  }
  std::string take() {
    add("");
    return std::exchange(out_, {});
  }

 private:
  void add(const std::string& what) {
    if (printing_) out_ += '\n';
    printing_ = false;
    if (!what.empty()) (out_ += what) += '\n';
  }
  static std::string between(const Sequence& s) { return {s.intermediates.data(), s.intermediate_count}; }
  static std::string numbers(const Sequence& s) {
    std::string out;
    if (s.prefix != 0) out += s.prefix;
    for (size_t i = 0; i < s.count; i++)
      out += fmt::format("{}{}", i == 0 ? "" : s.is_sub(i) ? ":" : ";", s.values[i]);
    return out + ' ';
  }

  std::string out_;
  bool printing_ = false;
};

std::string parse(std::string_view bytes) {
  Parser parser;
  Log log;
  parser.feed(bytes, log);
  return log.take();
}

TEST(Parser, TellsTextControlsAndSequencesApart) {
  EXPECT_EQ("print ab\nexecute 0a\ncontrol 1;31 m\nescape 7\nprint c\n", parse("ab\n\x1b[1;31m\0337c"));
  EXPECT_EQ("control ?25 h\ncontrol 0 !p\nescape (0\n", parse("\x1b[?25h\x1b[!p\x1b(0"));
  EXPECT_EQ("system 0;x BEL\nsystem 2;y ST\nescape \\\n", parse("\x1b]0;x\a\x1b]2;y\x1b\\"));
  EXPECT_EQ("device 1 $q m\nescape \\\n", parse("\x1bP1$qm\x1b\\"));
}

TEST(Parser, TellsSubParametersAndMissingOnesApart) {
  EXPECT_EQ("control 38:2:-1:1:2:3;0;4 m\n", parse("\x1b[38:2::1:2:3;;4m"));
}

TEST(Parser, ReadsQuicklyWhatItReadsSlowly) {
  // Long enough behind the sequence for the quick way, which single bytes never take.
  const std::string rest(64, '.');
  for (const std::string sequence :
       {"\x1b[m", "\x1b[0m", "\x1b[1;22;333;4444m", "\x1b[55555m", "\x1b[?1049h", "\x1b[>4;2m", "\x1b[;;H",
        "\x1b[38;2;255;254;253;48;2;1;2;3m", "\x1b[1:2m", "\x1b[1 q", "\x1b[1\n2m", "\x1b[1;2<m",
        "\x1b[123456789012345678901234567890123456789m", "\x1b[9999A", "\x1b[12;\1773H"}) {
    Parser parser;
    Log log;
    for (const char c : sequence + rest) parser.feed({&c, 1}, log);
    EXPECT_EQ(log.take(), parse(sequence + rest));
  }
}

TEST(Parser, KnowsHowToComeToWhereItIs) {
  for (const std::string start :
       {"\x1b", "\x1b[", "\x1b[?1;2", "\x1b[1:2 ", "\x1b]0;abc", "\x1b]x", "\x1bP1;2", "\x1bP1$qab",
        "\x1b_abc", "\x1b(", "\x1b[1<", "\x1b[1;;", "\x1b\xe4"}) {
    Parser parser;
    Log log;
    parser.feed(start, log);
    Parser other;
    other.feed(parser.pending(), log);
    EXPECT_EQ(parser.pending(), other.pending()) << start.substr(1);
  }
}

}  // namespace
}  // namespace vt
