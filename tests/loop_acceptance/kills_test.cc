// SPDX-License-Identifier: Apache-2.0
// SIGKILL at random moments: the runner, the client, the daemon. LOOP_KILLS says how often each; `make soak`
// kills 200 times.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <random>
#include <sstream>
#include <thread>

#include "acceptance.h"

namespace acceptance {
namespace {

namespace fs = std::filesystem;
using e2e::Person;
using std::chrono::milliseconds;
using std::chrono::seconds;
using support::wait_until;
using testing::StartsWith;

int kills() {
  const char* given = std::getenv("LOOP_KILLS");
  return given != nullptr ? std::max(std::atoi(given), 1) : 15;
}

// Processes whose command line and environment (words that end with a zero byte) hold these.
std::vector<pid_t> processes(std::string_view command, std::string_view variable) {
  std::vector<pid_t> found;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    const std::string line = support::read_file(entry.path() / "cmdline");
    if (line.empty() || line.find(command) == std::string::npos) continue;
    if (support::read_file(entry.path() / "environ").find(variable) != std::string::npos)
      found.push_back(pid);
  }
  return found;
}

class Kills : public LoopAcceptance {
 protected:
  // The moment is random; that it comes at all is what is waited for.
  void some_time(int most_ms) {
    std::this_thread::sleep_for(milliseconds(std::uniform_int_distribution(0, most_ms)(random_)));
  }
  std::string home_variable() const { return "TEND_HOME=" + home_.path().string() + '\0'; }
  pid_t runner_of(const std::string& folder) const {
    const auto found = processes(std::string("runner") + '\0' + folder + '\0', home_variable());
    return found.empty() ? 0 : found[0];
  }
  support::Json loop_named(const std::string& name) const {
    const support::Json all = json_of("loop ls --json");
    for (const support::Json& each : all.array()) {
      if (each["name"].string() == name) return each;
    }
    return {};
  }
  pid_t daemon() const {
    const auto found = processes(std::string("tend-daemon") + '\0', home_variable());
    return found.size() == 1 ? found[0] : 0;
  }

  std::mt19937 random_{std::random_device{}()};
};

class Runners : public Kills {
 protected:
  struct Doomed {
    std::string loop;
    std::string session;
    std::string folder;
    std::string pids;  // file
    bool killed = false;
  };

  Doomed begin(int number) {
    Doomed doomed{.loop = {}, .session = {}, .folder = {}, .pids = work_.file(fmt::format("pids{}", number))};
    uses("breeds", {doomed.pids});
    const cli::Said said = says(fmt::format("loop --detach --pty --idle-timeout 0 -n doomed{}", number));
    EXPECT_EQ(said.code, 0) << said.err;
    const support::Json loop = loop_named(fmt::format("doomed{}", number));
    if (loop.is_null()) return doomed;
    doomed.loop = loop["loop"].string();
    doomed.session = loop["session"].string();
    doomed.folder = loop["folder"].string();
    // Some are killed as early as can be, some after an iteration or two.
    some_time(number % 3 == 0 ? 10 : 1200);
    const pid_t runner = runner_of(doomed.folder);
    doomed.killed = runner > 0 && ::kill(runner, SIGKILL) == 0;
    return doomed;
  }

  void expect_nothing_left(const Doomed& doomed) {
    // Also those that had no time to write down who they are.
    const std::string variable = "TEND_SESSION=" + doomed.session + '\0';
    EXPECT_TRUE(wait_until([&] { return processes("", variable).empty(); })) << doomed.loop;
    if (!fs::exists(doomed.pids)) return;
    std::istringstream pids(support::read_file(doomed.pids));
    // One that is killed has no memory any more a moment before it is gone.
    for (pid_t pid = 0; pids >> pid; bred_++) EXPECT_TRUE(wait_until([&] { return !living(pid); })) << pid;
  }

  void expect_told(const Doomed& doomed) {
    EXPECT_TRUE(wait_until([&] {
      const auto all = json_of("loop ls --json");
      return std::any_of(all.array().begin(), all.array().end(), [&](const support::Json& each) {
        return each["loop"].string() == doomed.loop && !each["runs"].boolean() &&
               each["state"].string() == "runner killed by SIGKILL";
      });
    })) << doomed.loop
        << says("loop ls").out;
  }

  int bred_ = 0;
};

TEST_F(Runners, AKilledRunnerLeavesNoProcessAndLsSaysHowItEnded) {
  constexpr int kAtOnce = 5;  // the deaf ones are given their five seconds together
  int done = 0;
  for (int number = 0; done < kills() && !HasFailure();) {
    std::vector<Doomed> all;
    for (int i = 0; i < kAtOnce; i++) all.push_back(begin(number++));
    for (const Doomed& each : all) {
      EXPECT_TRUE(each.killed) << "there was no runner\n"
                               << support::read_file(each.folder + "/events.jsonl");
      expect_nothing_left(each);
      expect_told(each);
      done++;
    }
    if (done % 50 < kAtOnce) fmt::print("{} runners killed, {} processes of agents gone\n", done, bred_);
  }
  fmt::print("{} runners killed, {} processes of agents gone\n", done, bred_);
  EXPECT_GT(bred_, 0) << "somebody was there to be left behind";
}

TEST_F(Kills, AKilledClientLeavesTheLoopGoingAndItCanBeAttachedAgain) {
  uses_listener({"--every", "0.05"});
  int done = 0;
  std::optional<Person> first;
  first.emplace(loop({"--pty", "--idle-timeout", "0", "-n", "left"}));
  ASSERT_TRUE(comes("started"));
  const auto kill_client = [&](Person& client) {
    some_time(200);
    EXPECT_EQ(::kill(client.terminal().pid(), SIGKILL), 0);
    EXPECT_TRUE(client.terminal().wait_exit());
    done++;
    const Time at = now();
    EXPECT_TRUE(wait_until([&] {
      const auto all = heard("out");
      return !all.empty() && all.back().at > at;
    })) << "the agent goes on";
  };
  kill_client(*first);
  while (done < kills() && !HasFailure()) {
    Person client(loop({"attach", "left"}));
    if (done % 2 == 0) {
      EXPECT_TRUE(client.sees("still here"));
      const size_t keys = heard("key k").size();
      client.type("k");
      EXPECT_TRUE(hears("key k", keys + 1));
    }
    kill_client(client);
  }
  EXPECT_EQ(heard("start").size(), 1U) << "one agent all the time";
  for (const Heard& each : heard())
    EXPECT_TRUE(!each.what.starts_with("SIG") || each.what == "SIGWINCH") << each.what;
  Person last(loop({"attach", "left"}));
  ASSERT_TRUE(last.sees("still here"));
  last.type("q");
  EXPECT_EQ(end_of(last), 0);
  expect_restored(last);
  fmt::print("{} clients killed, the loop's agent had {} keys\n", done, heard("key k").size());
}

TEST_F(Kills, AKilledDaemonLeavesTheLoopGoingAndNothingIsLost) {
  constexpr int kRuns = 3;
  constexpr int kLines = 60;
  int done = 0;
  for (int round = 0; done < kills() && !HasFailure(); round++) {
    const std::string runs = fmt::format("runs{}", round);
    uses("numbers", {work_.file(runs), std::to_string(kRuns), std::to_string(kLines)});
    Person person(loop({"--pty", "-n", fmt::format("round{}", round), "--max-iterations", "10"}));
    ASSERT_TRUE(wait_until([&] { return fs::exists(work_.file(runs)); })) << person.terminal().output();
    while (!person.terminal().wait_exit(milliseconds(0))) {
      some_time(900);
      if (const pid_t pid = daemon(); pid > 0 && ::kill(pid, SIGKILL) == 0) done++;
      if (person.terminal().output().find("promise kept") != std::string::npos) break;
    }
    EXPECT_EQ(end_of(person), 0) << person.terminal().output();
    EXPECT_EQ(text_of("ended", "why"), "promise kept");
    EXPECT_EQ(events("iteration.ended").size(), size_t{kRuns});
    for (int run = 1; run <= kRuns; run++) {
      std::string expected;
      for (int line = 1; line <= kLines; line++) expected += fmt::format("run {} line {}.\n", run, line);
      if (run == kRuns) expected += "LOOP_COMPLETE\n";
      EXPECT_EQ(text(run), expected) << "round " << round;
    }
    if (round % 10 == 9) fmt::print("{} daemons killed in {} loops\n", done, round + 1);
  }
  fmt::print("{} daemons killed\n", done);
}

}  // namespace
}  // namespace acceptance
