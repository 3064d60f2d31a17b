// SPDX-License-Identifier: Apache-2.0
// exec_bench: how long it takes to run `true` in a shell that is already there and to know its exit status,
// beside what people do today (tmux send-keys and polling capture-pane, pexpect), and how fast much output
// comes.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <optional>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "measure.h"
#include "wire/client.h"

namespace {

using bench::median;
using bench::now;
using bench::quantile;

constexpr int kRounds = 300;
constexpr int kTurns = 5;  // the peers take turns
constexpr size_t kMuch = 10 << 20;

struct Way {
  std::string name;
  std::function<bool(int round)> run;  // once; false if it did not work
  bool ours = false;
  std::vector<double> times = {};
};

// A program, without a shell around it: its output, or nothing if it failed.
std::optional<std::string> output_of(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& each : words) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  pid_t pid = -1;
  const int failed = ::posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; failed == 0 && (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  ::close(ends[0]);
  int status = -1;
  if (failed != 0 || ::waitpid(pid, &status, 0) != pid || status != 0) return {};
  return text;
}

bool run_over(wire::Client& client, const std::string& command, wire::json::object more = {}) {
  more["session"] = "bench";
  more["command"] = command;
  const auto answer = client.call("pty.run", std::move(more));
  return answer && answer->at("exit_code") == 0;
}

bool run_in_tmux(const std::string& socket, int round) {
  const std::string mark = fmt::format("END_{}_", round);
  const std::string line = fmt::format("true; echo {}$?", mark);
  if (!output_of({"tmux", "-S", socket, "send-keys", "-t", "bench", line, "Enter"})) return false;
  for (int i = 0; i < 1000; i++) {
    const auto screen = output_of({"tmux", "-S", socket, "capture-pane", "-p", "-t", "bench"});
    if (screen && screen->find("\n" + mark + "0") != std::string::npos) return true;
  }
  return false;
}

// A python that has a bash in pexpect, and runs `true` in it for every line it reads.
class Pexpect {
 public:
  enum class Delay { usual, none };  // before it sends: 50 ms, unless it is told otherwise

  Pexpect(const std::string& folder, Delay delay) {
    const std::string script = folder + (delay == Delay::none ? "/quick.py" : "/peer.py");
    std::ofstream(script) << "import pexpect, sys\n"
                             "shell = pexpect.spawn('bash', ['--norc'], encoding='utf-8')\n"
                          << (delay == Delay::none ? "shell.delaybeforesend = None\n" : "")
                          << "shell.expect(['[$] ', '# '])\n"
                             "for line in sys.stdin:\n"
                             "  mark = 'END_' + line.strip() + '_'\n"
                             "  shell.sendline('true; echo ' + mark + '$?')\n"
                             "  shell.expect(mark + '0\\r\\n')\n"
                             "  print('ok', flush=True)\n";
    int in[2], out[2];
    if (::pipe(in) != 0 || ::pipe(out) != 0) return;
    if (::fork() == 0) {
      ::dup2(in[0], 0);
      ::dup2(out[1], 1);
      for (const int fd : {in[0], in[1], out[0], out[1]}) ::close(fd);
      ::execlp("python3", "python3", script.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    to_ = in[1];
    from_ = ::fdopen(out[0], "r");
  }
  ~Pexpect() {
    ::close(to_);
    if (from_ != nullptr) std::fclose(from_);
  }
  bool run(int round) const {
    const std::string line = std::to_string(round) + "\n";
    if (::write(to_, line.data(), line.size()) < 0) return false;
    char answer[16];
    return from_ != nullptr && std::fgets(answer, sizeof answer, from_) != nullptr;
  }

 private:
  int to_ = -1;
  FILE* from_ = nullptr;
};

void print_ways(std::vector<Way>& ways) {
  const double own = median(ways.front().times);
  std::printf("`true` in a shell that is there, and its status     median       p99   ratio to pty.run\n");
  for (const Way& each : ways) {
    if (each.times.empty()) {
      std::printf("%-46s not installed here\n", each.name.c_str());
      continue;
    }
    std::printf("%-46s %8.2f ms %6.2f ms  %6.1f\n", each.name.c_str(), median(each.times) * 1e3,
                quantile(each.times, 0.99) * 1e3, median(each.times) / own);
  }
  for (const Way& each : ways) {
    if (each.ours && !each.times.empty())
      std::printf("goal: below 3 ms   %s: %s\n", median(each.times) < 3e-3 ? "reached" : "MISSED",
                  each.name.c_str());
    if (!each.ours && !each.times.empty() && median(each.times) < own)
      std::printf("goal: ahead of all   MISSED: %s is ahead\n", each.name.c_str());
  }
}

void measure(std::vector<Way>& ways) {
  int round = 0;
  for (int turn = 0; turn < kTurns; turn++) {
    for (Way& each : ways) {
      for (int i = 0; i < kRounds / kTurns; i++) {
        const double begin = now();
        if (!each.run(round++)) break;
        each.times.push_back(now() - begin);
      }
    }
  }
}

void measure_output(wire::Client& client, const std::string& folder) {
  const std::string lines = folder + "/lines";
  {
    std::ofstream out(lines);
    for (size_t size = 0; size < kMuch; size += 64) out << std::string(63, 'x') << '\n';
  }
  std::vector<double> speeds;
  for (int i = 0; i < kTurns; i++) {
    const double begin = now();
    if (!run_over(client, "cat " + lines)) return;
    speeds.push_back(static_cast<double>(kMuch) / 1e6 / (now() - begin));
  }
  std::printf("10 MiB of output in a run: %.0f MB/s\n", median(speeds));
}

}  // namespace

int main(int, char** argv) {
  const auto build = std::filesystem::absolute(argv[0]).parent_path().parent_path();
  const std::string tend = (build / "tend").string();
  std::string folder = (std::filesystem::temp_directory_path() / "tend-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  ::setenv("TEND_HOME", folder.c_str(), 1);
  ::signal(SIGPIPE, SIG_IGN);
  const std::string tmux = fmt::format("tmux -f /dev/null -S {}/tmux", folder);
  int result = std::system((tend + " run -d -n bench -- bash --norc > /dev/null").c_str());
  const bool has_tmux = bench::is_installed("tmux");
  if (has_tmux) result += std::system((tmux + " new-session -d -s bench 'bash --norc'").c_str());
  auto client = wire::Client::connect(folder + "/run/tend.sock", {"bench", "cli"});
  if (result != 0 || !client) {
    std::fprintf(stderr, "exec_bench: cannot start what is to be measured\n");
    return 1;
  }
  const bool has_pexpect = std::system("python3 -c 'import pexpect' 2> /dev/null") == 0;
  {
    const Pexpect pexpect(folder, Pexpect::Delay::usual);
    const Pexpect quick(folder, Pexpect::Delay::none);
    std::vector<Way> ways;
    ways.push_back({"pty.run, over one connection", [&](int) { return run_over(*client, "true"); }, true});
    ways.push_back({"tend exec, a process each time",
                    [&](int) { return output_of({tend, "exec", "bench", "--", "true"}).has_value(); }, true});
    ways.push_back({"tmux send-keys, polling capture-pane",
                    [&](int round) { return has_tmux && run_in_tmux(folder + "/tmux", round); }});
    ways.push_back(
        {"pexpect, sendline and expect", [&](int round) { return has_pexpect && pexpect.run(round); }});
    ways.push_back({"pexpect, told not to wait before it sends",
                    [&](int round) { return has_pexpect && quick.run(round); }});
    measure(ways);
    print_ways(ways);
  }
  measure_output(*client, folder);
  (void)client->call("daemon.shutdown", {{"kill", true}});
  if (has_tmux) result = std::system((tmux + " kill-server").c_str());
  std::filesystem::remove_all(folder);
  return 0;
}
