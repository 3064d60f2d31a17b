// SPDX-License-Identifier: Apache-2.0
// session_bench [WHAT…]: sessions in the background beside those of tmux, dtach and screen, in turns within
// one run: output while nobody looks, output to a hundred terminals, starting one, memory, and what fifty
// idle ones cost. WHAT is detached, fanout, start, memory or idle; all of them if none is named.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "inputs.h"
#include "measure.h"

namespace {

using bench::Inputs;
using bench::median;
using bench::now;
namespace fs = std::filesystem;

constexpr size_t kFloodBytes = 40'000'000;
constexpr int kClients = 100;
constexpr int kSessions = 50;
constexpr int kRows = 10'000;

fs::path folder;
std::string tend;

struct Peer {
  std::string name;
  std::string start;   // in the background; {} is the command, {i} a number used once
  std::string attach;  // to session {i}; empty: it cannot
  std::string server;  // whose memory it is, as pgrep -f finds it; {h} is the folder
  std::string stop;
};

std::string filled(std::string text, const std::string& command, int number) {
  for (const auto& [mark, value] :
       {std::pair{std::string("{}"), command}, {"{i}", std::to_string(number)}, {"{h}", folder.string()}}) {
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
  return text;
}

int shell(const std::string& line) { return std::system((line + " > /dev/null 2>&1").c_str()); }

// The command itself, without a shell in front that would be measured too.
[[noreturn]] void become(const std::string& line) {
  std::istringstream words(line);
  std::vector<std::string> list{std::istream_iterator<std::string>(words), {}};
  std::vector<char*> argv;
  for (std::string& each : list) argv.push_back(each.data());
  argv.push_back(nullptr);
  const int null = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; fd++) ::dup2(null, fd);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

std::vector<Peer> peers() {
  std::vector<Peer> all = {{"tend", tend + " run -d -n b{i} --size 80x24 -- {}", tend + " attach b{i}",
                            "tend-keeper.*{h}", tend + " daemon stop --kill"}};
  if (bench::is_installed("tmux"))
    all.push_back({"tmux", "tmux -S {h}/tmux -f {h}/tmux.conf new-session -d -x 80 -y 24 -s b{i} {}",
                   "tmux -S {h}/tmux attach -t b{i}", "tmux -S {h}/tmux", "tmux -S {h}/tmux kill-server"});
  if (bench::is_installed("dtach"))
    all.push_back({"dtach", "dtach -n {h}/dtach{i} -E -z {}", "dtach -a {h}/dtach{i} -E -z -r none",
                   "dtach -n {h}", "pkill -f 'dtach -n {h}'"});
  if (bench::is_installed("screen"))
    all.push_back({"screen", "screen -c {h}/screenrc -U -dmS b{i} {}", "", "SCREEN -c {h}",
                   "pkill -f 'SCREEN -c {h}'"});
  return all;
}

void write_script(const fs::path& path, const std::string& lines) {
  std::ofstream(path) << "#!/bin/sh\n" << lines;
  fs::permissions(path, fs::perms::owner_all);
}

std::string wait_for_file(const fs::path& path) {
  for (int i = 0; i < 60'000; i++) {
    std::ifstream file(path);
    std::string text;
    if (std::getline(file, text) && !file.eof()) return text;
    ::usleep(1000);
  }
  return {};
}

void print_row(const char* what, const std::vector<Peer>& all, const std::vector<std::vector<double>>& values,
               const char* unit) {
  std::printf("%-28s", what);
  for (size_t i = 0; i < all.size(); i++) {
    if (values[i].empty())
      std::printf("  %8s %-8s", "-", "");
    else
      std::printf("  %8.1f %-8s", median(values[i]), unit);
  }
  std::printf("\n");
}

void print_names(const std::vector<Peer>& all) {
  std::printf("\n%-28s", "");
  for (const Peer& each : all) std::printf("  %-17s", each.name.c_str());
  std::printf("\n");
}

void detached(const std::vector<Peer>& all) {
  Inputs inputs;
  const std::vector<std::pair<const char*, std::string>> kinds = {
      {"plain", inputs.bytes(kFloodBytes, [&] { return inputs.plain(); })},
      {"ansi", inputs.bytes(kFloodBytes, [&] { return inputs.ansi(); })},
      {"wide", inputs.bytes(kFloodBytes, [&] { return inputs.wide(); })}};
  print_names(all);
  int number = 0;
  for (const auto& [kind, text] : kinds) {
    std::ofstream(folder / "text") << text;
    std::vector<std::vector<double>> speeds(all.size());
    for (int round = 0; round < 3; round++) {
      for (size_t i = 0; i < all.size(); i++) {
        const fs::path result = folder / ("result" + std::to_string(++number));
        write_script(folder / "flood",
                     "stty raw -echo\nbegin=$(date +%s%N)\ncat " + (folder / "text").string() +
                         "\nend=$(date +%s%N)\necho $((end - begin)) > " + result.string() + "\n");
        if (shell(filled(all[i].start, (folder / "flood").string(), number)) != 0) continue;
        const double nanoseconds = std::atof(wait_for_file(result).c_str());
        if (nanoseconds > 0) speeds[i].push_back(static_cast<double>(text.size()) / nanoseconds * 1e3);
      }
    }
    print_row((std::string("detached output, ") + kind).c_str(), all, speeds, "MB/s");
  }
}

void fanout(const std::vector<Peer>& all, size_t bytes, int first) {
  Inputs inputs;
  std::ofstream(folder / "text") << inputs.bytes(bytes, [&] { return inputs.plain(); });
  write_script(folder / "fan", "stty raw -echo\nread -r go\ncat " + (folder / "text").string() +
                                   "\nprintf '\\nall of %s' it\nread -r end\n");
  std::vector<std::vector<double>> speeds(all.size());
  for (int round = 0; round < 3; round++) {
    for (size_t i = 0; i < all.size(); i++) {
      if (all[i].attach.empty()) continue;
      const int number = first + round * 10 + static_cast<int>(i);
      if (shell(filled(all[i].start, (folder / "fan").string(), number)) != 0) continue;
      std::vector<std::unique_ptr<bench::OuterTerminal>> clients;
      for (int client = 0; client < kClients; client++)
        clients.push_back(
            std::make_unique<bench::OuterTerminal>("exec " + filled(all[i].attach, "", number)));
      ::sleep(2);
      const double begin = now();
      clients[0]->type("\n");
      if (bench::wait_for_all(clients, "all of it"))
        speeds[i].push_back(static_cast<double>(bytes) / 1e6 / (now() - begin));
      clients[0]->type("\n");
    }
  }
  const std::string what = "100 terminals, " + std::to_string(bytes / 1'000'000) + " MB";
  print_row(what.c_str(), all, speeds, "MB/s");
}

void fanout(const std::vector<Peer>& all) {
  print_names(all);
  fanout(all, 2'000'000, 1000);
  fanout(all, 20'000'000, 1100);
}

void start(const std::vector<Peer>& all) {
  const fs::path fifo = folder / "fifo";
  ::mkfifo(fifo.c_str(), 0600);
  const std::string mark = (fs::path(tend).parent_path() / "bench/mark").string() + " " + fifo.string();
  const int reader = ::open(fifo.c_str(), O_RDWR);
  print_names(all);
  const auto once = [&](const Peer& peer, int number) {
    const double begin = now();
    const pid_t pid = ::fork();
    if (pid == 0) become(filled(peer.start, mark, number));
    char byte = 0;
    if (::read(reader, &byte, 1) != 1) return 0.0;
    const double took = (now() - begin) * 1e3;
    ::waitpid(pid, nullptr, 0);
    return took;
  };
  std::vector<std::vector<double>> warm(all.size());
  std::vector<std::vector<double>> cold(all.size());
  for (const Peer& each : all) shell(filled(each.start, "sleep 600", 1999));
  for (int round = 0; round < 50; round++) {
    for (size_t i = 0; i < all.size(); i++) warm[i].push_back(once(all[i], 2000 + round));
  }
  for (const Peer& each : all) shell(filled(each.stop, "", 0));
  for (int round = 0; round < 10; round++) {
    for (size_t i = 0; i < all.size(); i++) {
      cold[i].push_back(once(all[i], 3000 + round));
      shell(filled(all[i].stop, "", 0));
    }
  }
  print_row("start, something runs", all, warm, "ms");
  print_row("start, nothing runs yet", all, cold, "ms");
  ::close(reader);
}

// In kB, of all the processes that make it up.
double memory_of(const Peer& peer) {
  const std::string list = (folder / "pids").string();
  shell("pgrep -f '" + filled(peer.server, "", 0) + "' > " + list + "; true");
  if (peer.name == "tend") shell("cat " + (folder / "state/daemon.lock").string() + " >> " + list + "; true");
  std::ifstream pids(list);
  double sum = 0;
  for (std::string pid; std::getline(pids, pid);) {
    std::ifstream rollup("/proc/" + pid + "/smaps_rollup");
    for (std::string line; std::getline(rollup, line);) {
      if (line.starts_with("Pss:")) sum += std::atof(line.c_str() + 4);
    }
  }
  return sum;
}

void memory(const std::vector<Peer>& all) {
  Inputs inputs;
  print_names(all);
  for (const char* kind : {"plain", "ansi", "wide"}) {
    std::ofstream file(folder / "rows");
    for (int row = 0; row < kRows; row++)
      file << (kind[0] == 'p' ? inputs.plain() : kind[0] == 'a' ? inputs.ansi() : inputs.wide()) << "\r\n";
    file.close();
    write_script(folder / "fill", "cat " + (folder / "rows").string() + "\necho done >> " +
                                      (folder / "filled").string() + "\nexec sleep 600\n");
    std::vector<std::vector<double>> sizes(all.size());
    for (size_t i = 0; i < all.size(); i++) {
      fs::remove(folder / "filled");
      for (int n = 0; n < kSessions; n++) shell(filled(all[i].start, (folder / "fill").string(), 4000 + n));
      for (int wait = 0; wait < 600; wait++) {
        std::ifstream ready(folder / "filled");
        int lines = 0;
        for (std::string line; std::getline(ready, line);) lines++;
        if (lines == kSessions) break;
        ::usleep(100'000);
      }
      ::sleep(3);
      sizes[i].push_back(memory_of(all[i]) / 1024);
      shell(filled(all[i].stop, "", 0));
    }
    print_row((std::string("50 sessions, 10,000 rows, ") + kind).c_str(), all, sizes, "MB");
  }
}

long switches_of(const std::string& pid) {
  long sum = 0;
  std::error_code ignored;
  for (const auto& task : fs::directory_iterator("/proc/" + pid + "/task", ignored)) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.find("ctxt_switches") != std::string::npos)
        sum += std::atol(line.c_str() + line.find(':') + 1);
    }
  }
  return sum;
}

void idle(const std::vector<Peer>& all, const char* what, const std::string& program, int first) {
  std::vector<std::vector<double>> counts(all.size());
  for (size_t i = 0; i < all.size(); i++) {
    for (int n = 0; n < kSessions; n++) shell(filled(all[i].start, program, first + n));
    ::sleep(7);
    const std::string list = (folder / "pids").string();
    shell("pgrep -f '" + filled(all[i].server, "", 0) + "' > " + list + "; true");
    if (all[i].name == "tend")
      shell("cat " + (folder / "state/daemon.lock").string() + " >> " + list + "; true");
    const auto total = [&] {
      std::ifstream pids(list);
      long sum = 0;
      for (std::string pid; std::getline(pids, pid);) sum += switches_of(pid);
      return sum;
    };
    const long before = total();
    ::sleep(10);
    counts[i].push_back(static_cast<double>(total() - before));
    shell(filled(all[i].stop, "", 0));
  }
  print_row(what, all, counts, "wakeups");
}

// One that waits for a person is let alone. One that works in silence may begin to wait without a word: it is
// looked at, every second for a minute, and every five then.
void idle(const std::vector<Peer>& all) {
  print_names(all);
  idle(all, "50 that wait, 10 s", "cat", 5000);
  idle(all, "50 that sleep, 10 s", "sleep 600", 6000);
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a row is there as soon as it is measured, in a file too
  tend = (fs::absolute(argv[0]).parent_path().parent_path() / "tend").string();
  std::string name = (fs::temp_directory_path() / "tend-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return 1;
  folder = name;
  ::setenv("TEND_HOME", name.c_str(), 1);
  ::setenv("LC_ALL", "C.UTF-8", 1);
  ::setenv("SCREENDIR", (name + "/screens").c_str(), 1);
  fs::create_directory(folder / "screens");
  fs::permissions(folder / "screens", fs::perms::owner_all);
  std::ofstream(folder / "tmux.conf") << "set -g history-limit 10000\nset -g status off\n";
  std::ofstream(folder / "screenrc") << "defscrollback 10000\nstartup_message off\n";
  const std::vector<Peer> all = peers();
  const auto wanted = [&](const char* what) {
    for (int i = 1; i < argc; i++) {
      if (std::string(argv[i]) == what) return true;
    }
    return argc == 1;
  };
  if (wanted("detached")) detached(all);
  if (wanted("fanout")) fanout(all);
  for (const Peer& each : all) shell(filled(each.stop, "", 0));
  if (wanted("start")) start(all);
  if (wanted("memory")) memory(all);
  if (wanted("idle")) idle(all);
  for (const Peer& each : all) shell(filled(each.stop, "", 0));
  fs::remove_all(folder);
  return 0;
}
