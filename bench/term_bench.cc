// SPDX-License-Identifier: Apache-2.0
// What the room `term` costs, each figure beside the bare system call measured in the same run.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <pty.h>
#include <string>
#include <sys/ioctl.h>
#include <termios.h>
#include <vector>

#include "base/fd.h"
#include "term/leftovers.h"
#include "term/raw_mode.h"
#include "term/window_size.h"

namespace {

using Seconds = std::chrono::duration<double>;

// The median of many rounds, in microseconds: one round that the scheduler spoils does not show.
template <typename Work>
double median_us(int rounds, const Work& work) {
  std::vector<double> times;
  times.reserve(static_cast<size_t>(rounds));
  for (int i = 0; i < rounds; i++) times.push_back(work());
  std::ranges::nth_element(times, times.begin() + rounds / 2);
  return times[static_cast<size_t>(rounds) / 2];
}

template <typename Step>
double time_us(const Step& step) {
  const auto start = std::chrono::steady_clock::now();
  step();
  return Seconds(std::chrono::steady_clock::now() - start).count() * 1e6;
}

void print_row(const char* what, double ours, double bare, const char* beside, double target) {
  std::printf("%-24s %10.2f %10.2f %7.1fx   %-26s %8.0f  %s\n", what, ours, bare, ours / bare, beside, target,
              ours < target ? "ok" : "MISSED");
}

void check(const base::Result<void>& result) {
  if (result) return;
  std::fprintf(stderr, "%s\n", result.error().message().c_str());
  std::exit(1);
}

double bare_change_us(int fd) {
  return time_us([fd] {
    termios now{};
    ::tcgetattr(fd, &now);
    ::tcsetattr(fd, TCSADRAIN, &now);
  });
}

void bench_raw_mode(int fd) {
  constexpr int kRounds = 2000;
  auto raw = term::RawMode::open(fd);
  if (!raw) std::exit(1);
  const double bare = median_us(kRounds, [fd] { return bare_change_us(fd); });
  const double enter = median_us(kRounds, [&] {
    const double took = time_us([&] { check(raw->enter()); });
    check(raw->leave());
    return took;
  });
  const double leave = median_us(kRounds, [&] {
    check(raw->enter());
    return time_us([&] { check(raw->leave()); });
  });
  print_row("raw mode, enter", enter, bare, "tcgetattr + tcsetattr", 1000);
  print_row("raw mode, leave", leave, bare, "tcgetattr + tcsetattr", 1000);
}

void bench_window_size(int fd) {
  const double ours = median_us(20000, [fd] { return time_us([fd] { term::window_size(fd); }); });
  const double bare = median_us(20000, [fd] {
    return time_us([fd] {
      winsize size{};
      ::ioctl(fd, TIOCGWINSZ, &size);
    });
  });
  print_row("window size", ours, bare, "ioctl", 100);
}

void bench_handler(int fd, int signo, const char* what) {
  struct sigaction empty{};
  struct sigaction before{};
  empty.sa_handler = [](int) {};
  ::sigaction(signo, &empty, &before);
  const auto strike = [signo] { return time_us([signo] { ::raise(signo); }); };
  const double bare = median_us(20000, strike);
  ::sigaction(signo, &before, nullptr);
  auto raw = term::RawMode::open(fd);
  check(raw->enter());
  const double ours = median_us(20000, strike);
  check(raw->leave());
  print_row(what, ours, bare, "empty handler", 10);
}

double megabytes_per_second(const std::string& text, const auto& scan) {
  const double us = median_us(200, [&] { return time_us([&] { scan(text); }); });
  return static_cast<double>(text.size()) / us;
}

void bench_scanner(const char* what, const std::string& piece, double target) {
  std::string text;
  while (text.size() < 262'144) text += piece;
  term::Leftovers leftovers;
  const double ours = megabytes_per_second(text, [&](const std::string& bytes) { leftovers.feed(bytes); });
  const double bare = megabytes_per_second(text, [](const std::string& bytes) {
    const size_t found = bytes.find('\x01');     // memchr inside
    asm volatile("" : : "r"(found) : "memory");  // else the compiler looks once for all rounds
  });
  std::printf("%-24s %10.0f %10.0f %7.2fx   %-26s %8.0f  %s\n", what, ours, bare, ours / bare,
              "memchr of an absent byte", target, ours > target ? "ok" : "MISSED");
}

}  // namespace

int main() {
  int ends[2] = {-1, -1};
  if (::openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) != 0) return 1;
  const base::Fd master(ends[0]);
  const base::Fd slave(ends[1]);
  std::printf("%-24s %10s %10s %8s   %-26s %8s\n", "microseconds, median", "tend", "bare", "ratio", "bare is",
              "target <");
  bench_raw_mode(slave.get());
  bench_window_size(slave.get());
  bench_handler(slave.get(), SIGWINCH, "SIGWINCH, to return");
  bench_handler(slave.get(), SIGCONT, "SIGCONT, to return");
  std::printf("\n%-24s %10s %10s %8s   %-26s %8s\n", "megabytes per second", "tend", "bare", "ratio",
              "bare is", "target >");
  bench_scanner("plain text", "the quick brown fox jumps over the lazy dog\r\n", 1000);
  bench_scanner("coloured text", "\x1b[32m+ a line of a diff, as git shows it\x1b[m\r\n", 100);
  bench_scanner("a redraw", "\x1b[12;5H\x1b[1;38;5;208mword\x1b[0m \x1b[?25l\x1b[K\x1b[?25h", 50);
}
