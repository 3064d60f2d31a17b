// SPDX-License-Identifier: Apache-2.0
// Terminal: a person at a terminal, for tests. It opens a real PTY with the C library alone (nothing of
// tend's), starts a program on it as the leader of a new session, types, reads what appears, looks at the
// line settings. The slave side stays open here too, so that the settings can still be looked at when the
// program has gone.
#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <termios.h>
#include <vector>

#include "support/wait.h"

namespace support {

struct Start {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env = {};  // added to this process's own; "" removes
  std::string cwd = {};
  unsigned short cols = 80;
  unsigned short rows = 24;
};

// A sanitizer's own handlers would answer before the kernel: a test that asks for the exact status of a
// process that a signal ended wants them off. What else the sanitizers were told stays.
std::map<std::string, std::string> plain_signals();

class Terminal {
 public:
  explicit Terminal(const Start& start);
  ~Terminal();  // kills the program's session if it still runs
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  pid_t pid() const { return pid_; }
  int master() const { return master_; }
  int slave() const { return slave_; }

  void type(std::string_view keys);
  void resize(unsigned short cols, unsigned short rows);
  void signal(int signo) const;  // to the program that was started
  void hang_up();                // it cannot be typed at or looked at any more

  // Waits until `text` stands in the output behind everything that was expected before; false at the deadline
  // or when the program has gone without printing it.
  bool expect(std::string_view text, std::chrono::milliseconds deadline = kDeadline);

  // Everything that came so far, expected or not.
  const std::string& output();

  termios settings() const;
  const termios& first_settings() const { return first_settings_; }  // before the program started
  bool is_raw() const;                                               // neither canonical nor echoing
  bool is_sane() const;  // canonical, echoing, signals and output processing on

  // The wait status of the program; nothing at the deadline.
  std::optional<int> wait_exit(std::chrono::milliseconds deadline = kDeadline);

 private:
  bool read_some(int timeout_ms);
  bool reap();

  int master_ = -1;
  int slave_ = -1;
  pid_t pid_ = -1;
  termios first_settings_{};
  std::optional<int> status_;
  std::string output_;
  size_t expected_ = 0;
};

bool same_settings(const termios& a, const termios& b);

}  // namespace support
