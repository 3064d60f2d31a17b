// SPDX-License-Identifier: Apache-2.0
// detect_bench [WHAT]: how soon tend knows that a program waits, from the program's own clock right before it
// blocks to the daemon's event; after floods; what detection costs a flood; and what a waiting program costs
// then. WHAT is latency, cost or idle; all of them if none is named.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "measure.h"

namespace {

using bench::median;
using bench::quantile;
namespace fs = std::filesystem;

constexpr int kPrompts = 100;
constexpr size_t kFlood = 40'000'000;

std::string folder;
std::string tend;
std::string self;

long long wall_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

int shell(const std::string& line) { return std::system((line + " > /dev/null 2>&1").c_str()); }

// As the program in the terminal: asks as often as it is answered.
int ask() {
  char answer[256];
  for (;;) {
    std::printf("Question %lld? ", wall_ns());
    std::fflush(stdout);
    if (::read(0, answer, sizeof answer) <= 0) return 0;
  }
}

// Writes `bytes` of a log with prompts in it, at so many bytes a second or as fast as it goes, then asks.
int flood(size_t bytes, double per_second) {
  const std::string line = "INFO worker 17: Do you want to continue? (y/n) was answered with yes\n";
  const double begin = bench::now();
  for (size_t done = 0; done < bytes; done += line.size()) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    if (per_second > 0) {
      const double ahead = static_cast<double>(done) / per_second - (bench::now() - begin);
      if (ahead > 0.002) {
        std::fflush(stdout);
        ::usleep(static_cast<useconds_t>(ahead * 1e6));
      }
    }
  }
  return ask();
}

// "2026-01-02T03:04:05.678901Z"
double wall_of(const std::string& text) {
  std::tm time{};
  double seconds = 0;
  if (std::sscanf(text.c_str(), "%d-%d-%dT%d:%d:%lfZ", &time.tm_year, &time.tm_mon, &time.tm_mday,
                  &time.tm_hour, &time.tm_min, &seconds) != 6)
    return 0;
  time.tm_year -= 1900;
  time.tm_mon -= 1;
  return static_cast<double>(::timegm(&time)) + seconds;
}

std::string field(const std::string& line, const std::string& name) {
  const size_t at = line.find("\"" + name + "\":\"");
  if (at == std::string::npos) return {};
  const size_t begin = at + name.size() + 4;
  return line.substr(begin, line.find('"', begin) - begin);
}

// The stamp in a question, in seconds: nanoseconds, or seconds with a fraction.
double stamp_of(const std::string& question) {
  const size_t at = question.find_first_of("0123456789");
  if (at == std::string::npos) return 0;
  std::string digits = question.substr(at);
  std::replace(digits.begin(), digits.end(), ',', '.');
  const double value = std::strtod(digits.c_str(), nullptr);
  return value > 1e15 ? value / 1e9 : value;
}

// Follows what happens, from now on.
class Events {
 public:
  Events() {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[1], 1);
      ::close(ends[0]);
      ::close(ends[1]);
      ::execl(tend.c_str(), tend.c_str(), "events", "-f", "--json", nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    lines_ = ::fdopen(ends[0], "r");
    // It follows once it tells of something.
    shell(tend + " run -d -n begin" + std::to_string(pid_) + " -- true");
    while (next_line().empty()) {
    }
  }
  ~Events() {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
    std::fclose(lines_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  // The latency of the next question of this session, in milliseconds; -1 if none comes.
  double next(const std::string& session) {
    for (;;) {
      const std::string line = next_line();
      if (line.empty()) return -1;
      if (field(line, "kind") != "prompt.asked" || field(line, "name") != session) continue;
      if (const double stamp = stamp_of(field(line, "question")); stamp > 0)
        return (wall_of(field(line, "at")) - stamp) * 1e3;
    }
  }

 private:
  std::string next_line() {
    pollfd ready{::fileno(lines_), POLLIN, 0};
    // What the stream has read ahead comes without a wait; ten seconds without an event are the end.
    char line[8192];
    ::setvbuf(lines_, nullptr, _IONBF, 0);
    if (::poll(&ready, 1, 10'000) <= 0 || std::fgets(line, sizeof line, lines_) == nullptr) return {};
    return line;
  }

  pid_t pid_ = -1;
  FILE* lines_ = nullptr;
};

void row(const std::string& name, const std::vector<double>& values) {
  if (values.empty()) return (void)std::printf("%-44s  no events\n", name.c_str());
  std::printf("%-44s  %7.2f  %7.2f  %7.2f ms  (%zu)\n", name.c_str(), median(values), quantile(values, 0.99),
              *std::max_element(values.begin(), values.end()), values.size());
}

void latency(const std::string& name, const std::string& command, int prompts, const std::string& answer) {
  static int number = 0;
  const std::string session = "q" + std::to_string(++number);
  std::vector<double> values;
  Events events;
  if (shell(tend + " run -d -n " + session + " --size 80x24 -- " + command) != 0) return;
  for (int i = 0; i < prompts; i++) {
    const double each = events.next(session);
    if (each < 0) break;
    values.push_back(each);
    if (i + 1 < prompts) shell(tend + " send " + session + " " + answer);
  }
  shell(tend + " kill --force " + session);
  row(name, values);
}

void latencies() {
  std::printf("%-44s  %7s  %7s  %7s\n", "from the block to the event", "median", "99 %", "most");
  latency("read(2)", self + " --ask", kPrompts, "--enter y");
  latency("bash: read", "bash -c 'while read -p \"Question $EPOCHREALTIME? \" a; do :; done'", kPrompts,
          "--enter y");
  if (bench::is_installed("python3"))
    latency("python: input", "python3 -c 'import time\nwhile 1: input(\"Question %d? \" % time.time_ns())'",
            kPrompts, "--enter y");
  if (bench::is_installed("node")) {
    std::ofstream(folder + "/menu.js")
        << "const draw = () => process.stdout.write('\\x1b[H\\x1b[2J? Pick ' + (performance.timeOrigin + "
           "performance.now()) / 1e3 + '?\\n"
           "❯ one\\n  two\\n');\nprocess.stdin.setRawMode(true);\nprocess.stdin.on('data', "
           "draw);\nsetInterval(() => {}, 1000);\ndraw();\n";
    latency("node: a menu on epoll with a timer", "node " + folder + "/menu.js", 30, "--keys Enter");
  }
  latency("read(2) behind 5 MB at 2 MB/s", self + " --flood 5000000 2000000", 1, "--enter y");
  for (int i = 0; i < 3; i++)
    latency("read(2) behind 40 MB at full speed", self + " --flood 40000000 0", 1, "--enter y");
}

double flood_speed(const std::string& settings) {
  static int number = 0;
  const std::string session = "f" + std::to_string(++number);
  const std::string result = folder + "/" + session;
  std::ofstream(folder + "/flood.sh")
      << "#!/bin/sh\nstty raw -echo\nbegin=$(date +%s%N)\ncat " << folder
      << "/text\nend=$(date +%s%N)\necho $((end - begin)) > " << result << "\n";
  fs::permissions(folder + "/flood.sh", fs::perms::owner_all);
  if (shell(tend + " " + settings + " run -d -n " + session + " -- " + folder + "/flood.sh") != 0) return 0;
  for (int i = 0; i < 60'000; i++) {
    std::ifstream file(result);
    double nanoseconds = 0;
    if (file >> nanoseconds && nanoseconds > 0) return static_cast<double>(kFlood) / nanoseconds * 1e3;
    ::usleep(1000);
  }
  return 0;
}

void cost_of_detection() {
  std::string text;
  while (text.size() < kFlood)
    text += "INFO worker 17: Do you want to continue? (y/n) was answered with yes\n";
  std::ofstream(folder + "/text") << text.substr(0, kFlood);
  std::vector<double> with;
  std::vector<double> without;
  for (int i = 0; i < 9; i++) {
    with.push_back(flood_speed(""));
    without.push_back(flood_speed("--set detector.enabled=false"));
  }
  std::printf("%-44s  %.1f MB/s, off %.1f MB/s: %.3f of it\n", "flood of 40 MB with detection", median(with),
              median(without), median(with) / median(without));
}

long switches() {
  long total = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream command(entry.path() / "cmdline");
    std::string line;
    std::getline(command, line);
    if (line.find("tend") == std::string::npos) continue;
    std::ifstream environment(entry.path() / "environ");
    std::string all((std::istreambuf_iterator<char>(environment)), {});
    if (all.find("TEND_HOME=" + folder) == std::string::npos) continue;
    std::ifstream status(entry.path() / "status");
    for (std::string text; std::getline(status, text);)
      if (text.starts_with("voluntary_ctxt_switches:") || text.starts_with("nonvoluntary_ctxt_switches:"))
        total += std::atol(text.c_str() + text.find(':') + 1);
  }
  return total;
}

void idle() {
  for (int i = 0; i < 20; i++) shell(tend + " run -d -n w" + std::to_string(i) + " -- " + self + " --ask");
  for (int i = 0; i < 20; i++) shell(tend + " wait w" + std::to_string(i) + " --until waiting");
  ::sleep(3);
  const long before = switches();
  ::sleep(10);
  std::printf("%-44s  %ld wake-ups in 10 s\n", "20 programs that wait (daemon and keepers)",
              switches() - before);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--ask") == 0) return ask();
  if (argc > 3 && std::strcmp(argv[1], "--flood") == 0)
    return flood(std::strtoull(argv[2], nullptr, 10), std::atof(argv[3]));
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  self = fs::canonical("/proc/self/exe").string();
  tend = (fs::path(self).parent_path().parent_path() / "tend").string();
  char place[] = "/tmp/tend-bench-XXXXXX";
  folder = ::mkdtemp(place);
  ::setenv("TEND_HOME", folder.c_str(), 1);
  shell(tend + " run -d -n first -- true");

  const std::string what = argc > 1 ? argv[1] : "";
  if (what.empty() || what == "latency") latencies();
  if (what.empty() || what == "cost") cost_of_detection();
  if (what.empty() || what == "idle") idle();
  shell(tend + " daemon stop --kill");
  fs::remove_all(folder);
}
