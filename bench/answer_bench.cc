// SPDX-License-Identifier: Apache-2.0
// answer_bench: how long it takes from a reply that is sent to the daemon until the program that asked has
// it. In between are two looks at the program, the claim and the intent in the store, and the write; what is
// measured is more than from the reply's arrival to the write, by the way to the daemon and to the program.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "measure.h"
#include "wire/client.h"

namespace {

using bench::median;
using bench::now;
using bench::quantile;

constexpr int kRounds = 300;
constexpr double kTarget = 5e-3;
constexpr double kPatience = 10;  // seconds for one question

// The program that asks: it writes down when it got each line.
int ask(const char* times_path) {
  FILE* times = std::fopen(times_path, "a");
  if (times == nullptr) return 1;
  char line[256];
  for (int round = 1;; round++) {
    std::printf("Round %d, go on? (y/n) ", round);
    std::fflush(stdout);
    if (::read(0, line, sizeof line) <= 0) return 0;
    std::fprintf(times, "%.9f\n", now());
    std::fflush(times);
  }
}

// The open question of this round.
wire::json::object question(wire::Client& client, int round) {
  const std::string begin = fmt::format("Round {},", round);
  for (const double end = now() + kPatience; now() < end; ::usleep(1000)) {
    auto list = client.call("prompt.list", {});
    if (!list) return {};
    for (const auto& each : list->as_array())
      if (each.at("question").as_string().starts_with(begin)) return each.as_object();
  }
  return {};
}

int measure(wire::Client& client, const std::string& times_path) {
  std::vector<double> sent;
  std::vector<double> whole;
  for (int round = 1; round <= kRounds; round++) {
    const auto prompt = question(client, round);
    if (prompt.empty()) return 1;
    sent.push_back(now());
    auto answered = client.call(
        "prompt.answer", {{"prompt_id", prompt.at("id")}, {"nonce", prompt.at("nonce")}, {"answer", "y"}});
    if (!answered || answered->at("outcome") != "accepted") return 1;
    whole.push_back(now() - sent.back());
  }
  std::ifstream times(times_path);
  std::vector<double> took;
  for (double at = 0; took.size() < sent.size() && times >> at;) took.push_back(at - sent[took.size()]);
  std::printf("an answer of %d questions                          median       p99\n", kRounds);
  std::printf("reply sent to program reads it (target 5 ms)    %6.2f ms %6.2f ms  %s\n", median(took) * 1e3,
              quantile(took, 0.99) * 1e3, median(took) < kTarget ? "met" : "MISSED");
  std::printf("reply sent to its outcome known and audited     %6.2f ms %6.2f ms\n", median(whole) * 1e3,
              quantile(whole, 0.99) * 1e3);
  return median(took) < kTarget ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--ask") return ask(argv[2]);
  const auto self = std::filesystem::absolute(argv[0]);
  const std::string tend = (self.parent_path().parent_path() / "tend").string();
  std::string folder = (std::filesystem::temp_directory_path() / "tend-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  ::setenv("TEND_HOME", folder.c_str(), 1);
  int code = 1;
  const std::string times = folder + "/times";
  const std::string run = fmt::format("{} run -d -n bench -- {} --ask {}", tend, self.string(), times);
  if (std::system((run + " > /dev/null").c_str()) == 0) {
    auto client = wire::Client::connect(folder + "/run/tend.sock", {"bench", "bench"});
    if (client) code = measure(*client, times);
  }
  if (std::system((tend + " daemon stop --kill > /dev/null").c_str()) != 0) return 1;
  std::filesystem::remove_all(folder);
  return code;
}
