// SPDX-License-Identifier: Apache-2.0
#include "running_program.h"

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pty {

Command command(std::vector<std::string> argv) {
  return {.argv = std::move(argv), .env = {"PATH=/usr/bin:/bin", "TERM=xterm-256color"}, .cwd = "/"};
}

RunningProgram::RunningProgram(const Command& command, Size size) {
  const base::Fd folder(::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto file = Journal::create(folder.get(), "journal", Journal::kDefaultCapacity);
  journal_ = Journal::map(file->get(), Journal::Access::write).value();
  pipe_ = base::make_pipe().value();
  master_ = open_master(size).value();
  pid_ = spawn(master_.get(), command).value();
  pump_.emplace(master_.get(), PipeEnds{pipe_.read_end.get(), pipe_.write_end.get()}, *journal_);
}

RunningProgram::~RunningProgram() {
  if (exit_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void RunningProgram::type(std::string_view keys) const { ASSERT_TRUE(base::write_all(master_.get(), keys)); }

bool RunningProgram::expect(std::string_view text) {
  const bool seen = support::wait_until([&] {
    pump_all();
    return everything().find(text) != std::string::npos || closed_;
  });
  const bool found = everything().find(text) != std::string::npos;
  if (!seen || !found) ADD_FAILURE() << "not seen: " << text << "\nin: " << everything();
  return found;
}

std::string RunningProgram::output_to_the_end() {
  EXPECT_TRUE(support::wait_until([&] { return pump_all(); }));
  return everything();
}

std::optional<ExitStatus> RunningProgram::wait_exit() {
  support::wait_until([&] {
    pump_all();
    int status = 0;
    if (!exit_ && ::waitpid(pid_, &status, WNOHANG) == pid_) exit_ = decode_wait_status(status);
    return exit_.has_value();
  });
  return exit_;
}

bool RunningProgram::pump_all() {
  while (!closed_) {
    const auto step = pump_->step();
    EXPECT_TRUE(step);
    if (!step) return true;
    closed_ = step->state == Pump::State::closed;
    if (step->state == Pump::State::empty) return false;
  }
  return true;
}

std::string RunningProgram::everything() const {
  const auto window = journal_->window();
  return std::string(journal_->view(window.begin, window.end));
}

}  // namespace pty
