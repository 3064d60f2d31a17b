// SPDX-License-Identifier: Apache-2.0
// PlainLines: the lines of a pipe: a line ends with a newline, and one that is begun again with a carriage
// return was one too. Colours and the like are left out.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "vt/parser.h"

namespace loop {

class PlainLines final : private vt::Parser::Actions {
 public:
  using Take = std::function<void(std::string_view line)>;
  static constexpr size_t kLongest = size_t{64} * 1024;  // what is longer comes in several

  explicit PlainLines(Take& take) : take_(take) {}

  void feed(std::string_view bytes);
  void pause();

 private:
  friend vt::Parser;
  void print(const char* text, vt::TextRun run) override;
  void execute(unsigned char control) override;
  void escape(const vt::Sequence&) override {}
  void control(const vt::Sequence&) override {}
  void system_command(std::string_view, vt::Terminator) override {}
  void device_control(const vt::Sequence&, std::string_view) override {}
  void finish();

  Take& take_;
  vt::Parser parser_;
  std::string line_;
  bool returned_ = false;  // a carriage return came last
  size_t paused_ = 0;      // how much of the line was given already because nothing followed
};

}  // namespace loop
