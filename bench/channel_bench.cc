// SPDX-License-Identifier: Apache-2.0
// channel_bench: how long a key takes to its echo in an attached terminal, with no channel and with one that
// is dead: its server never answers, and the process itself is stopped. In turns within one run; the two must
// be the same.
#include <arpa/inet.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "measure.h"

namespace {

using bench::now;
using bench::quantile;
namespace fs = std::filesystem;

constexpr int kTurns = 20;
constexpr int kKeys = 100;  // in each turn

// Connections are taken by the kernel, and nobody answers. Its port.
int deaf_port() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 64) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return 0;
  return ntohs(address.sin_port);
}

void write_private(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
}

struct Home {
  std::string name;
  fs::path folder;
  std::vector<double> times = {};
  std::unique_ptr<bench::OuterTerminal> terminal = {};
};

int run(const std::string& command) { return std::system((command + " > /dev/null 2>&1").c_str()); }

// The echo is the terminal's own: no program's time is in it.
bool start(Home& home, const std::string& tend, bool with_channel) {
  fs::create_directories(home.folder / "config");
  for (const fs::path& each : {home.folder, home.folder / "config"})
    fs::permissions(each, fs::perms::owner_all);
  if (with_channel) {
    write_private(home.folder / "token", "1:none\n");
    // Long enough that nobody ends it while it is measured.
    write_private(home.folder / "config/config.yml",
                  fmt::format("channels: {{telegram: {{token_file: {}, allowed_users: ['1'], api_url: "
                              "'http://127.0.0.1:{}'}}}}\nsupervision: {{task_timeout_seconds: 3600}}\n",
                              (home.folder / "token").string(), deaf_port()));
  }
  const std::string prefix = fmt::format("TEND_HOME={} {}", home.folder.string(), tend);
  if (run(prefix + " run -d -n bench -- sh -c 'echo ready; exec sleep 3600'") != 0) return false;
  if (with_channel &&
      run(fmt::format("kill -STOP $({} channel ls --json | grep -o '\"pid\":[0-9]*' | cut -d: -f2)",
                      prefix)) != 0)
    return false;
  home.terminal = std::make_unique<bench::OuterTerminal>("exec env " + prefix + " attach bench");
  return home.terminal->wait_for("ready");
}

bool measure(Home& home) {
  for (int i = 0; i < kKeys; i++) {
    const char key = static_cast<char>('a' + i % 26);
    const double begin = now();
    home.terminal->type(std::string(1, key));
    if (!home.terminal->wait_for(std::string(1, key))) return false;
    home.times.push_back((now() - begin) * 1e6);
  }
  return true;
}

}  // namespace

int main() {
  const std::string tend = (fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "tend").string();
  char name[] = "/tmp/tend-bench-XXXXXX";
  if (::mkdtemp(name) == nullptr) return 1;
  std::vector<Home> homes;
  homes.push_back({"no channel", fs::path(name) / "without"});
  homes.push_back({"a dead channel", fs::path(name) / "with"});
  bool good = start(homes[0], tend, false) && start(homes[1], tend, true);
  for (int turn = 0; turn < kTurns && good; turn++)
    for (Home& each : homes) good = good && measure(each);
  std::printf("%-28s  %10s  %10s\n", "key to echo", "median", "99 %");
  for (const Home& each : homes)
    std::printf("%-28s  %7.1f us  %7.1f us\n", each.name.c_str(), quantile(each.times, 0.5),
                quantile(each.times, 0.99));
  for (Home& each : homes) {
    each.terminal.reset();
    run(fmt::format("TEND_HOME={} {} daemon stop --kill", each.folder.string(), tend));
  }
  fs::remove_all(name);
  if (!good) std::fprintf(stderr, "channel_bench: something did not answer\n");
  return good ? 0 : 1;
}
