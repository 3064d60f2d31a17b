// SPDX-License-Identifier: Apache-2.0
// probe_bench: what one look at a terminal costs, and how long after a program has blocked in a read the look
// says so, in this process and through a keeper.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/ids.h"
#include "measure.h"
#include "pty/journal.h"
#include "pty/keeper_link.h"
#include "pty/probe.h"
#include "pty/pty.h"

namespace {

using bench::median;
using bench::now;
using bench::quantile;
using pty::Look;

constexpr int kLooks = 500;
constexpr int kPrompts = 300;
constexpr double kDeadline = 20;

pty::Command command(std::vector<std::string> argv) {
  return {.argv = std::move(argv), .env = {"PATH=/usr/bin:/bin", "TERM=xterm"}, .cwd = "/"};
}

using Looking = std::function<Look()>;

void print(const char* what, const std::vector<double>& times) {
  std::printf("  %-34s %8.0f µs  p99 %8.0f µs\n", what, median(times) * 1e6, quantile(times, 0.99) * 1e6);
}

bool wait_for(const Looking& look, const std::function<bool(const Look&)>& wanted) {
  for (const double end = now() + kDeadline; now() < end;) {
    if (wanted(look())) return true;
  }
  return false;
}

struct Program {
  base::Fd master = pty::open_master({}).value();
  pid_t pid;
  explicit Program(std::vector<std::string> argv)
      : pid(pty::spawn(master.get(), command(std::move(argv))).value()) {}
  ~Program() {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
};

void measure_cost(const char* what, std::vector<std::string> argv, uint16_t processes) {
  const Program program(std::move(argv));
  const Looking look = [&] { return pty::Probe(program.master.get(), program.pid).look(); };
  const auto waits = [&](const Look& now) {
    return (now.verdict == Look::Verdict::waits || now.verdict == Look::Verdict::may_wait) &&
           now.processes == processes;
  };
  if (!wait_for(look, waits)) {
    std::printf("  %-34s did not come to rest\n", what);
    return;
  }
  std::vector<double> times;
  for (int i = 0; i < kLooks; i++) {
    const double begin = now();
    look();
    times.push_back(now() - begin);
  }
  print(what, times);
}

// The prompt is written just before the program blocks, so from its arrival here to the verdict is what a
// person would have to wait.
void measure_latency(const char* what, int master, const Looking& look) {
  std::vector<double> times;
  std::vector<double> looks;
  uint64_t turns = 0;
  for (int i = 0; i < kPrompts; i++) {
    pollfd wait{master, POLLIN, 0};
    char bytes[4096];
    bool asked = false;
    while (!asked && ::poll(&wait, 1, 10'000) > 0) {
      const ssize_t n = ::read(master, bytes, sizeof bytes);
      asked = n > 0 && bytes[n - 1] == '?';
      if (n <= 0) break;
    }
    const double begin = now();
    int count = 0;
    const bool found = wait_for(look, [&](const Look& now) {
      count++;
      const bool is_new = now.verdict == Look::Verdict::waits && now.turns != turns;
      if (is_new) turns = now.turns;
      return is_new;
    });
    times.push_back(now() - begin);
    looks.push_back(count);
    if (!asked || !found || ::write(master, "\n", 1) != 1) {
      std::printf("  %-34s prompt %d was not seen\n", what, i);
      return;
    }
  }
  print(what, times);
  std::printf("  %-34s %8.0f looks, p99 %5.0f\n", "", median(looks), quantile(looks, 0.99));
}

const std::vector<std::string> kAsking{"bash", "-c", "while read -p 'again?' v; do :; done"};

void measure_kept(const std::string& keeper, const std::string& folder) {
  const std::string session = base::new_id();
  auto link =
      pty::KeeperLink::launch({keeper, session, folder + "/" + session, folder}, {.end_when_alone = true})
          .value();
  const uint32_t request = link.spawn(
      0, {.size = {}, .journal_capacity = pty::Journal::kDefaultCapacity, .command = command(kAsking)});
  auto answer = link.wait_for(request, std::chrono::seconds(10)).value();
  const auto& held = std::get<pty::HeldPty>(answer.what);
  measure_latency("through the keeper", held.master.get(), [&] {
    return std::get<Look>(link.wait_for(link.look(0), std::chrono::seconds(10)).value().what);
  });
  (void)link.wait_for(link.shut_down({}), std::chrono::seconds(10));
}

}  // namespace

int main(int, char** argv) {
  const auto here = std::filesystem::absolute(argv[0]).parent_path();
  const std::string keeper = (here.parent_path() / "tend-keeper").string();
  std::string folder = (std::filesystem::temp_directory_path() / "tend-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;

  std::printf("one look (median of %d)\n", kLooks);
  measure_cost("bash read", {"bash", "-c", "read v"}, 1);
  if (bench::is_installed("node"))
    measure_cost(
        "node readline",
        {"node", "-e", "require('readline').createInterface({input: process.stdin}).on('line', () => 0)"}, 1);
  measure_cost("a group of ten", {"bash", "-c", "for i in {1..9}; do sleep 1000 & done; read v"}, 10);

  std::printf("from the prompt to the verdict (median of %d prompts of bash read)\n", kPrompts);
  {
    const Program program(kAsking);
    measure_latency("in this process", program.master.get(),
                    [&] { return pty::Probe(program.master.get(), program.pid).look(); });
  }
  measure_kept(keeper, folder);
  std::filesystem::remove_all(folder);
  return 0;
}
