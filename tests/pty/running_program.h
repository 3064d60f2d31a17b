// SPDX-License-Identifier: Apache-2.0
// A program in a PTY of pty's own making, without a keeper: opened, spawned and pumped by the test itself.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "pty/journal.h"
#include "pty/pty.h"
#include "pty/pump.h"
#include "support/temp_dir.h"
#include "support/wait.h"

namespace pty {

Command command(std::vector<std::string> argv);

class RunningProgram {
 public:
  explicit RunningProgram(const Command& command, Size size = {});
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  int master() const { return master_.get(); }
  pid_t pid() const { return pid_; }
  Pump& pump() { return *pump_; }

  void type(std::string_view keys) const;
  bool expect(std::string_view text);
  // Until nobody has the terminal open; all the output there was.
  std::string output_to_the_end();
  std::optional<ExitStatus> wait_exit();

 private:
  bool pump_all();
  std::string everything() const;

  support::TempDir folder_;
  base::Fd master_;
  base::Pipe pipe_;
  std::optional<Journal> journal_;
  std::optional<Pump> pump_;
  pid_t pid_ = 0;
  bool closed_ = false;
  std::optional<ExitStatus> exit_;
};

}  // namespace pty
