// SPDX-License-Identifier: Apache-2.0
// exec_bench: how long it takes to run `true` in a shell that is already there and to know its exit status,
// beside what people do today (tmux send-keys and polling capture-pane, pexpect), and how fast much output
// comes.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <string>
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
  std::vector<double> times = {};
};

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[4096];
  for (size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  ::pclose(pipe);
  return text;
}

bool run_over(wire::Client& client, const std::string& command, wire::json::object more = {}) {
  more["session"] = "bench";
  more["command"] = command;
  const auto answer = client.call("pty.run", std::move(more));
  return answer && answer->at("exit_code") == 0;
}

bool run_in_tmux(const std::string& tmux, int round) {
  const std::string mark = fmt::format("END_{}_", round);
  if (std::system(fmt::format("{} send-keys -t bench 'true; echo {}$?' Enter", tmux, mark).c_str()) != 0)
    return false;
  for (int i = 0; i < 1000; i++) {
    if (output_of(tmux + " capture-pane -p -t bench").find("\n" + mark + "0") != std::string::npos)
      return true;
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
  std::printf("goal: below 3 ms   %s\n", own < 3e-3 ? "reached" : "MISSED");
  for (const Way& each : ways) {
    if (!each.times.empty() && median(each.times) < own)
      std::printf("goal: ahead of all   MISSED: %s is\n", each.name.c_str());
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
    ways.push_back({"pty.run, over one connection", [&](int) { return run_over(*client, "true"); }});
    ways.push_back({"tend exec, a process each time",
                    [&](int) { return std::system((tend + " exec bench -- true").c_str()) == 0; }});
    ways.push_back({"tmux send-keys, polling capture-pane",
                    [&](int round) { return has_tmux && run_in_tmux(tmux, round); }});
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
