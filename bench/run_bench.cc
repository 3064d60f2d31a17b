// SPDX-License-Identifier: Apache-2.0
// run_bench [WHAT…]: what `tend run` costs beside no wrapper at all and beside what else people put between a
// terminal and a program: output in MB/s, and the time from a key to its echo. "A bare loop" is the least
// that can stand there, and "with a screen" is that loop with a screen of ours, which is what tend has to do
// at least. WHAT is flood or echo, or the name of a wrapper; all of them if none is named.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

#include "inputs.h"
#include "measure.h"

namespace {

using bench::median;
using bench::now;
using bench::OuterTerminal;
using bench::quantile;

constexpr size_t kBytes = 40 << 20;
constexpr int kRounds = 5;

// What is typed in a round. A key a millisecond finds everything warm; a person's keys do not.
struct Typing {
  const char* what;
  int keys;
  useconds_t pause;  // µs
};
constexpr Typing kTyping[] = {{"one each millisecond", 1000, 1000}, {"one every 20 ms", 100, 20'000}};

struct Wrapper {
  std::string name;
  std::string command;  // {} is the inner program, {i} a number that is used once
  int uses = 0;
  std::vector<double> speed[3] = {};  // of plain, ANSI-heavy and wide text
  std::vector<double> echo[std::size(kTyping)] = {};

  std::string command_line(const std::string& inner) {
    std::string line = command;
    for (const auto& [mark, value] : {std::pair{std::string("{}"), inner}, {"{i}", std::to_string(uses)}}) {
      const size_t at = line.find(mark);
      if (at != std::string::npos) line.replace(at, mark.size(), value);
    }
    uses++;
    return line;
  }
};

void flood(Wrapper& wrapper, const std::string& script, int kind) {
  OuterTerminal terminal(wrapper.command_line(script));
  if (!terminal.wait_for("ready")) return;
  const double begin = now();
  terminal.type("\n");
  if (!terminal.wait_for("all of it")) return;
  wrapper.speed[kind].push_back(static_cast<double>(kBytes) / 1e6 / (now() - begin));
  terminal.type("\n");
  terminal.wait_for_end();
}

void echo(Wrapper& wrapper, const std::string& script, size_t kind) {
  const Typing& typing = kTyping[kind];
  OuterTerminal terminal(wrapper.command_line(script));
  if (!terminal.wait_for("ready")) return;
  for (int i = 0; i < typing.keys; i++) {
    const std::string key(1, "&+^|,"[i % 5]);
    const double begin = now();
    terminal.type(key);
    if (!terminal.wait_for(key)) return;
    if (i >= typing.keys / 10) wrapper.echo[kind].push_back((now() - begin) * 1e6);
    ::usleep(typing.pause);
  }
  terminal.wait_for_end();
}

void write_script(const std::string& path, const std::string& lines) {
  std::ofstream(path) << "#!/bin/sh\nstty raw -echo\n" << lines;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

}  // namespace

int main(int argc, char** argv) {
  const auto here = std::filesystem::absolute(argv[0]).parent_path();
  const std::string tend = (here.parent_path() / "tend").string();
  const std::string between = (here / "between").string();
  std::string folder = (std::filesystem::temp_directory_path() / "tend-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  ::setenv("TEND_HOME", folder.c_str(), 1);
  ::setenv("SCREENDIR", (folder + "/screens").c_str(), 1);
  std::filesystem::create_directory(folder + "/screens");
  std::filesystem::permissions(folder + "/screens", std::filesystem::perms::owner_all);
  bench::Inputs inputs;
  for (int kind = 0; kind < 3; kind++) {
    const std::string number = std::to_string(kind);
    std::ofstream(folder + "/text" + number) << inputs.bytes(kBytes, [&] {
      return kind == 0 ? inputs.plain() : kind == 1 ? inputs.ansi() : inputs.wide();
    });
    write_script(folder + "/flood" + number, "echo ready\nread -r go\ncat " + folder + "/text" + number +
                                                 "\nprintf '\\nall of %s' it\nread -r end\n");
  }
  for (size_t kind = 0; kind < std::size(kTyping); kind++)
    write_script(folder + "/echo" + std::to_string(kind),
                 "echo ready\nexec timeout 60 dd bs=1 count=" + std::to_string(kTyping[kind].keys) +
                     " 2> /dev/null\n");

  std::vector<Wrapper> wrappers = {{"nothing between", "exec {}"},
                                   {"a bare loop", "exec " + between + " {}"},
                                   {"with a screen", "exec " + between + " --screen {}"},
                                   {"tend run", "exec " + tend + " run -- {}"}};
  if (bench::is_installed("script")) wrappers.push_back({"script", "exec script -qc {} /dev/null"});
  if (bench::is_installed("dtach"))
    wrappers.push_back({"dtach", "exec dtach -A " + folder + "/dtach{i} -E -z -r none {}"});
  if (bench::is_installed("tmux"))
    wrappers.push_back({"tmux", "exec tmux -S " + folder + "/tmux{i} -f /dev/null new-session {}"});
  if (bench::is_installed("screen")) wrappers.push_back({"screen", "exec screen -c /dev/null -U -S b{i} {}"});
  const std::vector<std::string> named(argv + 1, argv + argc);
  const auto wanted = [&](const std::string& what) {
    return std::find(named.begin(), named.end(), what) != named.end();
  };
  const bool all_kinds = wanted("flood") == wanted("echo");
  if (std::any_of(wrappers.begin(), wrappers.end(), [&](const Wrapper& each) { return wanted(each.name); }))
    std::erase_if(wrappers, [&](const Wrapper& each) { return !wanted(each.name); });
  for (int round = 0; round < kRounds; round++) {
    for (Wrapper& each : wrappers) {
      for (int kind = 0; kind < 3 && (all_kinds || wanted("flood")); kind++)
        flood(each, folder + "/flood" + std::to_string(kind), kind);
      for (size_t kind = 0; kind < std::size(kTyping) && (all_kinds || wanted("echo")); kind++)
        echo(each, folder + "/echo" + std::to_string(kind), kind);
    }
  }
  if (bench::is_installed("tmux")) std::printf("(tmux and screen paint, and need not pass everything on)\n");
  for (int kind = 0; kind < 3; kind++) {
    if (wrappers[0].speed[kind].empty()) continue;
    std::printf("\noutput in MB/s, %s\n", kind == 0 ? "plain" : kind == 1 ? "ANSI" : "wide");
    for (const Wrapper& each : wrappers)
      std::printf("  %-18s %6.0f  %5.2f×\n", each.name.c_str(), median(each.speed[kind]),
                  median(each.speed[kind]) / median(wrappers[0].speed[kind]));
  }
  for (size_t kind = 0; kind < std::size(kTyping); kind++) {
    if (wrappers[0].echo[kind].empty()) continue;
    std::printf("\nkey to echo in µs, %s: median (p99)\n", kTyping[kind].what);
    for (const Wrapper& each : wrappers) {
      const std::vector<double>& echo = each.echo[kind];
      if (echo.empty()) continue;
      std::printf("  %-18s %6.0f (%4.0f)  %5.2f×\n", each.name.c_str(), median(echo), quantile(echo, 0.99),
                  median(echo) / median(wrappers[0].echo[kind]));
    }
  }
  const bool ran = std::any_of(wrappers.begin(), wrappers.end(),
                               [](const Wrapper& each) { return each.name == "tend run" && each.uses > 0; });
  if (ran && std::system((tend + " daemon stop --kill").c_str()) != 0) return 1;
  std::filesystem::remove_all(folder);
  return 0;
}
