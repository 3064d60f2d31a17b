// SPDX-License-Identifier: Apache-2.0
// raw_program [SCENARIO]: holds its terminal in raw mode and does what keys tell it, as a client would:
// polls input and events, reads and writes only while the terminal is its own. Prints what it sees.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <termios.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "term/raw_mode.h"
#include "term/window_size.h"

namespace {

int failing_signal = 0;  // sigaction fails for it
int raise_behind = 0;    // raised behind the next tcsetattr

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the names that ld --wrap makes
extern "C" {
int __real_sigaction(int signo, const struct sigaction* action, struct sigaction* before);
int __real_tcsetattr(int fd, int when, const termios* modes);

int __wrap_sigaction(int signo, const struct sigaction* action, struct sigaction* before) {
  if (signo == failing_signal && action != nullptr) {
    errno = EAGAIN;
    return -1;
  }
  return __real_sigaction(signo, action, before);
}

int __wrap_tcsetattr(int fd, int when, const termios* modes) {
  const int result = __real_tcsetattr(fd, when, modes);
  if (raise_behind != 0) ::raise(std::exchange(raise_behind, 0));
  return result;
}
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

void say(const std::string& text) {
  const std::string line = text + "\r\n";
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::_Exit(9);
}

// Beside the terminal, for what happens while it is not ours.
void note(const std::string& text) {
  const char* path = std::getenv("RAW_LOG");
  if (path == nullptr) return;
  const int fd = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string line = text + "\n";
  if (::write(fd, line.data(), line.size()) < 0) std::_Exit(9);
  ::close(fd);
}

void need(const base::Result<void>& result) {
  if (result) return;
  say("failed: " + result.error().message());
  std::exit(7);
}

void print_size() {
  const term::WindowSize size = term::window_size(STDIN_FILENO);
  say("size " + std::to_string(size.cols) + "x" + std::to_string(size.rows));
}

bool is_cooked() {
  termios now{};
  return ::tcgetattr(STDIN_FILENO, &now) == 0 && (now.c_lflag & ICANON) != 0;
}

// Without std::string: this one runs in signal context.
void previous_handler(int signo) {
  char line[] = "previous .. cooked\r\n";
  line[9] = static_cast<char>('0' + signo / 10);
  line[10] = static_cast<char>('0' + signo % 10);
  if (!is_cooked()) std::memcpy(line + 12, "raw   ", 6);
  if (::write(STDOUT_FILENO, line, sizeof line - 1) < 0) std::_Exit(9);
}

void handle(int signo, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  ::sigaction(signo, &action, nullptr);
}

char* page_without_access() {
  return static_cast<char*>(::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

char* page_behind_the_end_of_a_file() {
  const int fd = ::memfd_create("empty", MFD_CLOEXEC);
  return static_cast<char*>(::mmap(nullptr, 4096, PROT_WRITE, MAP_SHARED, fd, 0));
}

void poke(volatile char* at) { *at = 1; }

int overflow(int depth) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : overflow(depth + 1) + frame[0];
}

void fork_child(char key) {
  const pid_t child = ::fork();
  if (child == 0 && key == 'k') std::exit(0);
  if (child == 0)
    for (;;) ::pause();
  if (key == 'K') ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  say("child " + std::to_string(status));
}

// What was typed while nobody read is a line for whoever reads next.
[[noreturn]] void leave_with_input_waiting(term::RawMode& raw) {
  say("not reading");
  int waiting = 0;
  while (::ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting < 6) ::poll(nullptr, 0, 1);
  need(raw.leave());
  char line[64] = {};
  if (std::fgets(line, sizeof line, stdin) == nullptr) std::exit(8);
  say(std::string("line: ") + line);
  std::exit(0);
}

void leave_something_on(term::RawMode& raw) {
  const std::string output = "\x1b[?1049h\x1b[?2004h\x1b[?1003;1006h\x1b[>5u";
  raw.leftovers().feed(output);
  say(output + "on");
}

void redraw(term::RawMode& raw) {
  const std::string again = raw.leftovers().redo();
  raw.leftovers().feed(again);
  say(again + "continued");
}

// Until nobody takes any more. The kernel moves bytes on behind our back, so one refusal is not the last.
void fill_the_terminal() {
  const int fd = ::open("/dev/tty", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  const std::string bytes(4096, 'x');
  pollfd room{fd, POLLOUT, 0};
  while (::poll(&room, 1, 300) > 0)
    while (::write(fd, bytes.data(), bytes.size()) > 0) {
    }
  ::close(fd);
  note("full");
}

void obey(term::RawMode& raw, char key) {
  switch (key) {
    case 'q':
      need(raw.leave());
      say("left");
      std::exit(0);
    case 'T':
      need(raw.leave());
      ::raise(SIGTERM);
      say("survived");
      std::exit(0);
    case 'e':
      std::exit(3);
    case 'z':
      return raw.suspend();
    case 'S':
      return static_cast<void>(::raise(SIGSTOP));
    case 's':
      return poke(page_without_access());
    case 'b':
      return poke(page_behind_the_end_of_a_file());
    case 'o':
      return static_cast<void>(overflow(1));
    case 'a':
      std::abort();
    case 'k':
    case 'K':
      return fork_child(key);
    case 'm':
      return leave_something_on(raw);
    case 'p':
      leave_with_input_waiting(raw);
    case 'w':
      return fill_the_terminal();
    default:
      say(std::string("key ") + key);
  }
}

void look(term::RawMode& raw) {
  const term::Events events = raw.take_events();
  if (!raw.holds_terminal()) return note("background");
  if (events.continued) redraw(raw);
  if (events.resized) print_size();
}

[[noreturn]] void serve(term::RawMode& raw) {
  for (;;) {
    pollfd watched[] = {{raw.events_fd(), POLLIN, 0}, {raw.holds_terminal() ? STDIN_FILENO : -1, POLLIN, 0}};
    if (::poll(watched, 2, -1) < 0) continue;
    if (watched[0].revents != 0) look(raw);
    char key = 0;
    if (watched[1].revents == 0 || !raw.holds_terminal()) continue;
    if (::read(STDIN_FILENO, &key, 1) != 1) std::exit(4);
    obey(raw, key);
  }
}

// Two threads that enter and leave without end, for a signal to strike at any moment.
[[noreturn]] void toggle() {
  const auto work = [] {
    for (;;) {
      auto raw = term::RawMode::open(STDIN_FILENO);
      need(raw->enter());
      need(raw->leave());
    }
  };
  const std::jthread first(work);
  const std::jthread second(work);
  say("ready");
  for (;;) ::pause();
}

// The terminal under its other name is the same terminal.
void enter_through_dev_tty(const term::RawMode& first) {
  const int fd = ::open("/dev/tty", O_RDWR | O_CLOEXEC);
  {
    auto second = term::RawMode::open(fd);
    need(second->enter());
  }
  say(is_cooked() || !first.holds_terminal() ? "cooked too early" : "still raw");
  ::close(fd);
}

void fail_halfway(term::RawMode& raw) {
  failing_signal = SIGINT;
  if (const auto entered = raw.enter(); !entered) say("refused: " + entered.error().message());
  for (int signo = 1; signo < 32; signo++) {
    struct sigaction now{};
    ::sigaction(signo, nullptr, &now);
    if (now.sa_handler != SIG_DFL) say("signal " + std::to_string(signo) + " is still handled");
  }
  say(is_cooked() ? "rolled back" : "still raw");
  std::exit(0);
}

void wait_for_word() {
  sigset_t word;
  sigemptyset(&word);
  sigaddset(&word, SIGUSR2);
  ::sigprocmask(SIG_BLOCK, &word, nullptr);
  say("waiting");
  int signo = 0;
  sigwait(&word, &signo);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string scenario = argc > 1 ? argv[1] : "";
  // ThreadSanitizer makes its memory for signals in a thread's first blocking call, and loses a signal that
  // arrives in just that moment. Let it be over before anybody sends one.
  ::poll(nullptr, 0, 0);
  if (scenario == "late") wait_for_word();
  if (scenario == "toggle") toggle();
  if (scenario == "chained")
    for (const int signo : {SIGTERM, SIGTSTP, SIGWINCH}) handle(signo, previous_handler);
  auto raw = term::RawMode::open(STDIN_FILENO);
  if (!raw) {
    say("failed: " + raw.error().message());
    return 7;
  }
  if (scenario == "halfway") fail_halfway(*raw);
  if (scenario == "struck") raise_behind = SIGTERM;
  need(raw->enter());
  if (scenario == "devtty") enter_through_dev_tty(*raw);
  print_size();
  say("ready");
  serve(*raw);
}
