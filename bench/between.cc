// SPDX-License-Identifier: Apache-2.0
// between [--screen] COMMAND [ARGUMENT…]: the least that can stand between a terminal and a program. One
// process, one read and one write for each piece, nothing kept. With --screen what passes is fed to a screen
// as well. What a program that does more is held against: the first is the limit of them all, the second that
// of whoever knows what is shown.
#include <array>
#include <cstdio>
#include <cstring>
#include <optional>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "vt/screen.h"

namespace {

// False at the end. What is read is written whole.
bool pass_on(int from, int to, std::optional<vt::Screen>* screen) {
  static std::array<char, 64 << 10> buffer;
  const ssize_t n = ::read(from, buffer.data(), buffer.size());
  if (n <= 0) return false;
  for (ssize_t done = 0; done < n;) {
    const ssize_t written = ::write(to, buffer.data() + done, static_cast<size_t>(n - done));
    if (written < 0) return false;
    done += written;
  }
  if (screen != nullptr && *screen) (*screen)->feed({buffer.data(), static_cast<size_t>(n)});
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  char** command = argv + 1;
  winsize window{};
  ::ioctl(0, TIOCGWINSZ, &window);
  std::optional<vt::Screen> screen;
  if (argc > 1 && std::strcmp(argv[1], "--screen") == 0) {
    command++;
    screen.emplace(vt::Size{window.ws_col > 0 ? window.ws_col : 80, window.ws_row > 0 ? window.ws_row : 24});
  }
  if (*command == nullptr) {
    std::fprintf(stderr, "usage: between [--screen] COMMAND [ARGUMENT…]\n");
    return 2;
  }
  int master = -1;
  const pid_t child = ::forkpty(&master, nullptr, nullptr, &window);
  if (child == 0) {
    ::execvp(*command, command);
    ::_exit(127);
  }
  if (child < 0) return 1;
  termios before{};
  ::tcgetattr(0, &before);
  termios raw = before;
  ::cfmakeraw(&raw);
  ::tcsetattr(0, TCSANOW, &raw);
  std::array<pollfd, 2> ready{{{0, POLLIN, 0}, {master, POLLIN, 0}}};
  for (bool runs = true; runs && ::poll(ready.data(), ready.size(), -1) > 0;) {
    if (ready[0].revents != 0 && !pass_on(0, master, nullptr)) ready[0].fd = -1;
    if (ready[1].revents != 0) runs = pass_on(master, 1, &screen);
  }
  ::tcsetattr(0, TCSANOW, &before);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
