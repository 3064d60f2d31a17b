// SPDX-License-Identifier: Apache-2.0
// sandbox_bench: what a sandbox adds to the start of a session: `tend run --sandbox` beside `tend run`,
// beside `tend run` with bwrap in it and the same options, and beside bwrap alone. From the command to the
// first byte that the program in it has written.
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "measure.h"

namespace {

using bench::median;
using bench::now;

constexpr int kRounds = 60;
constexpr double kMostOver = 30;  // milliseconds

struct Way {
  std::string name;
  std::vector<std::string> command;
  std::vector<double> times = {};  // milliseconds
};

// How long it took to the first byte of output, or less than nothing if it failed.
double run(const std::vector<std::string>& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  std::vector<char*> argv;
  for (const std::string& each : command) argv.push_back(const_cast<char*>(each.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDWR, 0);
  ::posix_spawn_file_actions_adddup2(&files, ends[1], 1);
  const double begin = now();
  pid_t pid = 0;
  int status = 1;
  const bool started = ::posix_spawnp(&pid, argv[0], &files, nullptr, argv.data(), environ) == 0;
  ::close(ends[1]);
  char byte = 0;
  const bool heard = started && ::read(ends[0], &byte, 1) == 1;
  const double took = (now() - begin) * 1e3;
  if (started) ::waitpid(pid, &status, 0);
  ::close(ends[0]);
  ::posix_spawn_file_actions_destroy(&files);
  return status == 0 && heard ? took : -1;
}

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<std::string> bwrap_with_the_same(const std::string& home, const std::string& work) {
  return {"bwrap",       "--unshare-all",
          "--share-net", "--ro-bind",
          "/",           "/",
          "--dev",       "/dev",
          "--proc",      "/proc",
          "--tmpfs",     "/tmp",
          "--tmpfs",     "/run",
          "--tmpfs",     "/var/tmp",
          "--tmpfs",     home,
          "--bind",      work,
          work,          "--chdir",
          work,          "--hostname",
          "box",         "--cap-drop",
          "ALL"};
}

}  // namespace

int main(int, char** argv) {
  if (!bench::is_installed("bwrap")) {
    std::puts("bwrap is not installed: scripts/setup bench");
    return 1;
  }
  const auto here = std::filesystem::absolute(argv[0]).parent_path();
  const std::string tend = (here.parent_path() / "tend").string();
  std::string folder = (std::filesystem::temp_directory_path() / "tend-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  const std::string home = folder + "/home";
  const std::string work = home + "/project";
  std::filesystem::create_directories(work);
  ::setenv("TEND_HOME", (folder + "/tend").c_str(), 1);
  ::setenv("HOME", home.c_str(), 1);
  std::filesystem::current_path(work);

  const std::vector<std::string> word = {"echo", "x"};
  const auto bwrap = bwrap_with_the_same(home, work);
  std::vector<Way> ways = {{"tend run", {tend, "run", "--", "echo", "x"}},
                           {"tend run --sandbox", {tend, "run", "--sandbox", "--", "echo", "x"}},
                           {"tend run -- bwrap", std::vector<std::string>{tend, "run", "--"} + bwrap + word},
                           {"bwrap", bwrap + word}};
  bool good = true;
  // In turns; the first round starts the daemon and is not counted.
  for (int round = 0; round <= kRounds && good; round++) {
    for (Way& each : ways) {
      const double took = run(each.command);
      good = good && took >= 0;
      if (round > 0 && took >= 0) each.times.push_back(took);
    }
  }
  run({tend, "daemon", "stop", "--kill"});
  std::filesystem::current_path("/");
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!good) {
    std::puts("one of them failed");
    return 1;
  }
  std::printf("%-22s %10s %10s\n", "to first output, ms", "median", "p90");
  for (const Way& each : ways)
    std::printf("%-22s %10.2f %10.2f\n", each.name.c_str(), median(each.times),
                bench::quantile(each.times, 0.9));
  const double over = median(ways[1].times) - median(ways[0].times);
  const double ratio = median(ways[2].times) / median(ways[1].times);
  std::printf("over plain: %.2f ms (goal: < %.0f) %s\n", over, kMostOver,
              over < kMostOver ? "met" : "MISSED");
  std::printf("beside a session with bwrap in it: %.2f times as fast (goal: ahead) %s\n", ratio,
              ratio > 1 ? "met" : "MISSED");
  std::printf("what it adds beside what bwrap adds: %.2f ms, %.2f ms\n", over,
              median(ways[2].times) - median(ways[0].times));
  return 0;
}
