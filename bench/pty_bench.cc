// SPDX-License-Identifier: Apache-2.0
// pty_bench: starting a program, and moving its output into the journal, beside the plainest way of doing so.
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <pty.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/ids.h"
#include "measure.h"
#include "pty/journal.h"
#include "pty/keeper_link.h"
#include "pty/pty.h"
#include "pty/pump.h"

namespace {

using bench::median;
using bench::now;
using bench::quantile;

constexpr int kStarts = 200;
constexpr int kRounds = 7;
constexpr size_t kFlood = 64 << 20;

pty::Command command(std::vector<std::string> argv) {
  return {.argv = std::move(argv), .env = {"PATH=/usr/bin:/bin", "TERM=xterm"}, .cwd = "/"};
}

void wait_readable(int fd) {
  pollfd wait{fd, POLLIN, 0};
  ::poll(&wait, 1, 10'000);
}

// Until the first byte of a program that prints one.
double start_plain() {
  const double begin = now();
  int master = -1;
  const pid_t pid = ::forkpty(&master, nullptr, nullptr, nullptr);
  if (pid == 0) {
    ::execl("/bin/echo", "echo", "x", nullptr);
    ::_exit(127);
  }
  wait_readable(master);
  const double took = now() - begin;
  ::waitpid(pid, nullptr, 0);
  ::close(master);
  return took * 1e3;
}

double start_spawn() {
  const double begin = now();
  const base::Fd master = pty::open_master({}).value();
  const pid_t pid = pty::spawn(master.get(), command({"/bin/echo", "x"})).value();
  wait_readable(master.get());
  const double took = now() - begin;
  ::waitpid(pid, nullptr, 0);
  return took * 1e3;
}

// With a keeper of its own, from nothing.
double start_kept(const std::string& keeper, const std::string& folder) {
  const std::string session = base::new_id();
  const double begin = now();
  auto link =
      pty::KeeperLink::launch({keeper, session, folder + "/" + session, folder}, {.end_when_alone = true})
          .value();
  const uint32_t request = link.spawn(0, {.size = {},
                                          .journal_capacity = pty::Journal::kDefaultCapacity,
                                          .command = command({"/bin/echo", "x"})});
  auto answer = link.wait_for(request, std::chrono::seconds(10)).value();
  wait_readable(std::get<pty::HeldPty>(answer.what).master.get());
  const double took = (now() - begin) * 1e3;
  // Its end is not part of the start, nor of the next one's.
  (void)link.wait_for(link.shut_down({}), std::chrono::seconds(10));
  return took;
}

struct Flood {
  base::Fd master = pty::open_master({}).value();
  pid_t pid =
      pty::spawn(master.get(),
                 command({"sh", "-c", "stty raw; exec head -c " + std::to_string(kFlood) + " /dev/zero"}))
          .value();
  ~Flood() { ::waitpid(pid, nullptr, 0); }
};

double flood_plain() {
  const Flood flood;
  static char buffer[65536];
  size_t moved = 0;
  const double begin = now();
  while (moved < kFlood) {
    const ssize_t n = ::read(flood.master.get(), buffer, sizeof buffer);
    if (n > 0)
      moved += static_cast<size_t>(n);
    else if (errno == EAGAIN)
      wait_readable(flood.master.get());
    else
      break;
  }
  return static_cast<double>(moved) / 1e6 / (now() - begin);
}

double flood_pumped(const std::string& folder) {
  const Flood flood;
  const base::Fd where(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const base::Fd file = pty::Journal::create(where.get(), "flood", pty::Journal::kDefaultCapacity).value();
  ::unlinkat(where.get(), "flood", 0);
  pty::Journal journal = pty::Journal::map(file.get(), pty::Journal::Access::write).value();
  const base::Pipe pipe = base::make_pipe().value();
  pty::Pump pump(flood.master.get(), {pipe.read_end.get(), pipe.write_end.get()}, journal);
  size_t moved = 0;
  const double begin = now();
  while (moved < kFlood) {
    const auto step = pump.step();
    if (!step || step->state == pty::Pump::State::closed) break;
    if (step->state == pty::Pump::State::empty) wait_readable(flood.master.get());
    moved += step->count;
  }
  return static_cast<double>(moved) / 1e6 / (now() - begin);
}

void print_start(const char* what, const std::vector<double>& times, double plain) {
  std::printf("  %-34s %6.2f ms  p99 %6.2f ms   %5.2f × forkpty\n", what, median(times),
              quantile(times, 0.99), median(times) / plain);
}

}  // namespace

int main(int, char** argv) {
  const auto here = std::filesystem::absolute(argv[0]).parent_path();
  const std::string keeper = (here.parent_path() / "tend-keeper").string();
  std::string folder = (std::filesystem::temp_directory_path() / "tend-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;

  std::vector<double> plain;
  std::vector<double> spawned;
  std::vector<double> kept;
  for (int i = 0; i < kStarts; i++) {
    plain.push_back(start_plain());
    spawned.push_back(start_spawn());
    kept.push_back(start_kept(keeper, folder));
  }
  std::printf("start of a program, until its first byte (median of %d, in turns)\n", kStarts);
  print_start("forkpty and exec", plain, median(plain));
  print_start("pty::spawn", spawned, median(plain));
  print_start("with a new keeper", kept, median(plain));

  std::vector<double> read;
  std::vector<double> pumped;
  for (int i = 0; i < kRounds; i++) {
    read.push_back(flood_plain());
    pumped.push_back(flood_pumped(folder));
  }
  std::printf("output of a program that floods (median of %d, in turns)\n", kRounds);
  std::printf("  %-34s %6.0f MB/s\n", "plain read loop, 64 KiB", median(read));
  std::printf("  %-34s %6.0f MB/s   %5.2f × plain read\n", "pump into the journal", median(pumped),
              median(pumped) / median(read));
  std::filesystem::remove_all(folder);
  return 0;
}
