// SPDX-License-Identifier: Apache-2.0
#include "support/terminal.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace support {
namespace {

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::abort();
}

// Made before the fork: a child of a process with threads may find the allocator locked for ever.
struct Program {
  explicit Program(const Start& start) : texts(start.argv) {
    const size_t words = texts.size();
    for (char** each = ::environ; *each != nullptr; each++) {
      const std::string_view text = *each;
      if (!start.env.contains(std::string(text.substr(0, text.find('='))))) texts.emplace_back(text);
    }
    for (const auto& [name, value] : start.env) {
      if (!value.empty()) texts.push_back(name + "=" + value);
    }
    for (size_t i = 0; i < texts.size(); i++) (i < words ? argv : env).push_back(texts[i].data());
    argv.push_back(nullptr);
    env.push_back(nullptr);
  }

  std::vector<std::string> texts;
  std::vector<char*> argv;
  std::vector<char*> env;
};

[[noreturn]] void become(Program& program, const char* cwd, int slave) {
  ::setsid();
  ::ioctl(slave, TIOCSCTTY, 0);
  for (int fd = 0; fd < 3; fd++) ::dup2(slave, fd);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::environ = program.env.data();
  if (*cwd != '\0' && ::chdir(cwd) != 0) ::_exit(126);
  ::execvp(program.argv[0], program.argv.data());
  ::_exit(127);
}

}  // namespace

std::map<std::string, std::string> plain_signals() {
  std::map<std::string, std::string> options;
  for (const char* name : {"ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"}) {
    const char* told = std::getenv(name);
    options[name] = (told != nullptr ? std::string(told) + ":" : std::string()) +
                    "handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0";
  }
  return options;
}

Terminal::Terminal(const Start& start) {
  const winsize size{start.rows, start.cols, 0, 0};
  if (::openpty(&master_, &slave_, nullptr, nullptr, &size) != 0) give_up("openpty");
  ::fcntl(master_, F_SETFD, FD_CLOEXEC);
  ::fcntl(slave_, F_SETFD, FD_CLOEXEC);
  ::fcntl(master_, F_SETFL, O_NONBLOCK);
  first_settings_ = settings();
  Program program(start);
  pid_ = ::fork();
  if (pid_ < 0) give_up("fork");
  if (pid_ == 0) become(program, start.cwd.c_str(), slave_);
}

Terminal::~Terminal() {
  if (!reap()) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(slave_);
  ::close(master_);
}

void Terminal::type(std::string_view keys) {
  while (!keys.empty()) {
    const ssize_t n = ::write(master_, keys.data(), keys.size());
    if (n > 0)
      keys.remove_prefix(static_cast<size_t>(n));
    else if (errno == EAGAIN)
      read_some(10);  // the program may wait for us to read before it reads
    else
      give_up("write to the terminal");
  }
}

void Terminal::resize(unsigned short cols, unsigned short rows) {
  const winsize size{rows, cols, 0, 0};
  if (::ioctl(master_, TIOCSWINSZ, &size) != 0) give_up("TIOCSWINSZ");
}

void Terminal::signal(int signo) const { ::kill(pid_, signo); }

void Terminal::hang_up() { ::close(std::exchange(master_, -1)); }

bool Terminal::expect(std::string_view text, std::chrono::milliseconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  for (;;) {
    const bool gone = reap();
    while (read_some(0)) {
    }
    const size_t at = output_.find(text, expected_);
    if (at != std::string::npos) {
      expected_ = at + text.size();
      return true;
    }
    if (gone || std::chrono::steady_clock::now() > end) {
      std::fprintf(stderr, "expected but not seen: \"%.*s\"; the output ends: \"%s\"\n",
                   static_cast<int>(text.size()), text.data(),
                   output_.substr(output_.size() - std::min<size_t>(output_.size(), 500)).c_str());
      return false;
    }
    read_some(20);
  }
}

const std::string& Terminal::output() {
  while (read_some(0)) {
  }
  return output_;
}

termios Terminal::settings() const {
  termios now{};
  if (::tcgetattr(slave_, &now) != 0) give_up("tcgetattr");
  return now;
}

bool Terminal::is_raw() const { return (settings().c_lflag & (ICANON | ECHO)) == 0; }

bool Terminal::is_sane() const {
  const termios now = settings();
  constexpr tcflag_t kLocal = ICANON | ECHO | ISIG;
  return (now.c_lflag & kLocal) == kLocal && (now.c_oflag & OPOST) != 0 && (now.c_iflag & ICRNL) != 0;
}

std::optional<int> Terminal::wait_exit(std::chrono::milliseconds deadline) {
  wait_until(
      [this] {
        while (read_some(0)) {
        }
        return reap();
      },
      deadline);
  return status_;
}

bool Terminal::read_some(int timeout_ms) {
  pollfd wait{master_, POLLIN, 0};
  if (::poll(&wait, 1, timeout_ms) <= 0) return false;
  char bytes[65536];
  const ssize_t n = ::read(master_, bytes, sizeof bytes);
  if (n <= 0) return false;
  output_.append(bytes, static_cast<size_t>(n));
  return true;
}

bool Terminal::reap() {
  int status = 0;
  if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_.has_value();
}

bool same_settings(const termios& a, const termios& b) {
  return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_cflag == b.c_cflag &&
         a.c_lflag == b.c_lflag && std::equal(std::begin(a.c_cc), std::end(a.c_cc), std::begin(b.c_cc));
}

}  // namespace support
