// SPDX-License-Identifier: Apache-2.0
// A person at a real terminal with tend in it: what the terminal shows is followed by a screen model of the
// test's own, so that it can be compared with what the daemon believes.
#pragma once
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "support/temp_dir.h"
#include "support/terminal.h"
#include "support/wait.h"
#include "vt/screen.h"
#include "vt/text_view.h"
#include "wire/client.h"

namespace e2e {

class Person {
 public:
  explicit Person(const support::Start& start)
      : terminal_(start), screen_({start.cols, start.rows}), size_{start.cols, start.rows} {}

  support::Terminal& terminal() { return terminal_; }
  void type(std::string_view keys) { terminal_.type(keys); }

  // What is on the terminal now.
  const vt::Screen& screen() {
    const std::string& output = terminal_.output();
    screen_.feed(std::string_view(output).substr(fed_));
    fed_ = output.size();
    return screen_;
  }
  bool sees(std::string_view text) {
    return support::wait_until([&] {
      for (const std::string& line : vt::lines(screen())) {
        if (line.find(text) != std::string::npos) return true;
      }
      return false;
    });
  }

 private:
  support::Terminal terminal_;
  vt::Screen screen_;
  size_t fed_ = 0;
  vt::Size size_;
};

// An own home with an own daemon, which is ended with all its sessions when the test is over.
class EndToEnd : public testing::Test {
 protected:
  void TearDown() override;

  support::Start tend(std::vector<std::string> arguments) const;
  // Runs it without a terminal, and gives what it printed.
  std::string output_of(std::vector<std::string> arguments);

  wire::json::value ask(std::string_view method, const wire::json::object& params = {});
  // The screen as the daemon has it.
  bool shows_the_same(Person& person, const std::string& session);
  pid_t daemon_pid();
  // Waits until this is in the session's output.
  bool has_printed(const std::string& session, const std::string& text);

  support::TempDir dir_;
};

}  // namespace e2e
