// SPDX-License-Identifier: Apache-2.0
// Says what a program was given: descriptors, signal settings, environment, folder, umask, terminal.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

void print_descriptors() {
  DIR* folder = ::opendir("/proc/self/fd");
  std::printf("descriptors:");
  while (const dirent* entry = ::readdir(folder)) {
    const int fd = std::atoi(entry->d_name);
    if (entry->d_name[0] != '.' && fd != ::dirfd(folder)) std::printf(" %d", fd);
  }
  std::printf("\n");
  ::closedir(folder);
}

void print_signals() {
  FILE* status = std::fopen("/proc/self/status", "r");
  char line[256];
  while (std::fgets(line, sizeof line, status) != nullptr) {
    for (const char* name : {"SigBlk", "SigIgn", "SigCgt", "SigPnd"}) {
      if (std::strncmp(line, name, 6) == 0) std::printf("%s", line);
    }
  }
  std::fclose(status);
}

}  // namespace

int main(int, char** argv) {
  print_descriptors();
  print_signals();
  for (char** entry = environ; *entry != nullptr; entry++) std::printf("env: %s\n", *entry);
  char folder[4096];
  std::printf("folder: %s\n", ::getcwd(folder, sizeof folder));
  std::printf("umask: %03o\n", ::umask(0));
  winsize size{};
  ::ioctl(0, TIOCGWINSZ, &size);
  std::printf("size: %dx%d\n", size.ws_col, size.ws_row);
  std::printf("leads its session: %d, its group: %d, the terminal: %d\n", ::getsid(0) == ::getpid(),
              ::getpgrp() == ::getpid(), ::tcgetpgrp(0) == ::getpid());
  std::printf("one terminal on 0 1 2: %d\n", ::isatty(0) && std::string(::ttyname(0)) == ::ttyname(1) &&
                                                 std::string(::ttyname(0)) == ::ttyname(2));
  std::printf("argv0: %s\nend of probe\n", argv[0]);
  return 0;
}
