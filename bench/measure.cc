// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <algorithm>
#include <cstdlib>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sstream>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

namespace bench {

double now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<size_t>(part * static_cast<double>(values.size())))];
}

bool is_installed(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

OuterTerminal::OuterTerminal(const std::string& command_line) {
  const winsize size{24, 80, 0, 0};
  pid_ = ::forkpty(&master_, nullptr, nullptr, &size);
  if (pid_ == 0) {
    termios raw{};
    ::tcgetattr(0, &raw);
    ::cfmakeraw(&raw);
    ::tcsetattr(0, TCSANOW, &raw);
    ::setenv("TERM", "xterm-256color", 1);
    ::setenv("LC_ALL", "C.UTF-8", 1);
    ::unsetenv("TMUX");
    ::unsetenv("STY");
    ::execl("/bin/sh", "sh", "-c", command_line.c_str(), nullptr);
    ::_exit(127);
  }
}

OuterTerminal::~OuterTerminal() {
  ::kill(-pid_, SIGHUP);
  ::close(master_);
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void OuterTerminal::type(std::string_view keys) const {
  [[maybe_unused]] const ssize_t n = ::write(master_, keys.data(), keys.size());
}

bool OuterTerminal::wait_for(std::string_view text) {
  for (;;) {
    const size_t at = tail_.find(text);
    if (at != std::string::npos) {
      tail_.erase(0, at + text.size());
      return true;
    }
    if (tail_.size() > text.size()) tail_.erase(0, tail_.size() - text.size());
    if (!read_some()) return false;
  }
}

bool OuterTerminal::has_seen(std::string_view text) {
  read_some();
  if (tail_.find(text) != std::string::npos) return true;
  if (tail_.size() > text.size()) tail_.erase(0, tail_.size() - text.size());
  return false;
}

bool wait_for_all(const std::vector<std::unique_ptr<OuterTerminal>>& terminals, std::string_view text) {
  std::vector<pollfd> waits;
  for (const auto& each : terminals) waits.push_back({each->master(), POLLIN, 0});
  for (size_t left = terminals.size(); left > 0;) {
    if (::poll(waits.data(), waits.size(), 10'000) <= 0) return false;
    for (size_t i = 0; i < waits.size(); i++) {
      if (waits[i].revents == 0 || !terminals[i]->has_seen(text)) continue;
      waits[i].fd = -1;
      left--;
    }
  }
  return true;
}

void OuterTerminal::wait_for_end() {
  while (read_some()) tail_.clear();
}

bool OuterTerminal::read_some() {
  static char buffer[65536];
  pollfd wait{master_, POLLIN, 0};
  if (::poll(&wait, 1, 10'000) <= 0) return false;
  const ssize_t n = ::read(master_, buffer, sizeof buffer);
  if (n <= 0) return false;
  tail_.append(buffer, static_cast<size_t>(n));
  return true;
}

}  // namespace bench
