// SPDX-License-Identifier: Apache-2.0
// mark FIFO [SECONDS]: says that it runs, and stays for a while. What is started to see how long starting
// takes.
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int fd = ::open(argv[1], O_WRONLY);
  [[maybe_unused]] const auto n = ::write(fd, "x", 1);
  ::close(fd);
  if (argc > 2) ::sleep(static_cast<unsigned>(std::atoi(argv[2])));
  return 0;
}
