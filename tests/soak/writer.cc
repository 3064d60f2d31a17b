// SPDX-License-Identifier: Apache-2.0
// writer LINES PAUSE_US CODE: numbered lines, in bursts with pauses between them, and then this exit code.
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int lines = std::atoi(argv[1]);
  const auto pause = static_cast<useconds_t>(std::atoi(argv[2]));
  for (int i = 0; i < lines; i++) {
    std::printf("%08d the quick brown fox jumps over the lazy dog\n", i);
    if (i % 50 != 49) continue;
    std::fflush(stdout);
    ::usleep(pause);
  }
  std::fflush(stdout);
  return std::atoi(argv[3]);
}
