// SPDX-License-Identifier: Apache-2.0
// Several answerers race for one prompt, round after round: clients by the names that channels give for their
// users, with the right nonce, a wrong one or an old one, a terminal, a program that goes on to another
// question, an expiry at the last moment. The program writes down what each of its questions got.
// TEND_RACE_ROUNDS says how many rounds there are.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "base/strings.h"
#include "daemon_fixture.h"

namespace host_test {
namespace {

int rounds() {
  const char* wanted = std::getenv("TEND_RACE_ROUNDS");
  return wanted != nullptr ? base::parse_number<int>(wanted, 1, 1'000'000).value_or(1) : 300;
}

// Two people with Telegram, a webhook, a command line and an agent.
const std::vector<std::string> kNames{"cli", "mcp", "telegram:1001", "telegram:1002", "webhook"};

// A signal makes it go on to the next question.
constexpr const char* kReferee = R"(
import os, signal, sys
class Next(Exception): pass
def go_on(*_): raise Next
signal.signal(signal.SIGUSR1, go_on)
log = open(sys.argv[1], 'a', buffering=1)
n = 0
while True:
    n += 1
    try:
        os.write(1, b'Round %d: ' % n)
        line = os.read(0, 4096).decode().rstrip('\n')
        log.write('%d %s\n' % (n, line))
    except Next:
        log.write('%d -\n' % n)
        os.write(1, b'\r\n')
)";

class PromptRace : public DaemonTest {
 protected:
  struct Prompt {
    std::string id;
    std::string nonce;
    int round = 0;
    std::string expires_at;
  };
  struct Attempt {
    size_t peer;
    std::string prompt;
    int round;
    std::string value;
    bool is_valid;
    uint64_t request = 0;
    std::string result = {};  // an outcome, or the name of an error
  };

  void SetUp() override {
    DaemonTest::SetUp();
    begin("");
  }
  void begin(const std::string& more) {
    peers_.clear();
    for (const std::string& name : kNames) peers_.push_back(peer(name));
    id_ = std::string(peers_[0]
                          .ok("session.create", {{"command", {"python3", "-c", kReferee, home_.file("log")}},
                                                 {"settings", "prompts:\n  inject_settle_ms: 10\n" + more}})
                          .at("id")
                          .as_string());
    terminal_.emplace(peer("terminal"));
    terminal_->attach({{"session", id_}});
    pid_ = static_cast<pid_t>(session(peers_[0], id_).at_pointer("/ptys/0/pid").as_int64());
  }

  // The question that is open, if it is a later one.
  std::optional<Prompt> next(int after) {
    std::optional<Prompt> found;
    support::wait_until([&] {
      const json::value list = peers_[0].ok("prompt.list");
      for (const json::value& each : list.as_array()) {
        const std::string question(each.at("question").as_string());
        const auto round = base::parse_number<int>(question.substr(6, question.find(':') - 6), 1, 1 << 30);
        if (question.starts_with("Round ") && round && *round > after)
          found = Prompt{std::string(each.at("id").as_string()), std::string(each.at("nonce").as_string()),
                         *round, std::string(each.at("expires_at").as_string())};
      }
      return found.has_value();
    });
    return found;
  }

  void attempt(size_t peer, const Prompt& prompt, const std::string& nonce, bool is_valid) {
    Attempt made{peer, prompt.id, prompt.round, fmt::format("a{}", attempts_.size()), is_valid};
    json::object params{{"prompt_id", prompt.id}, {"answer", made.value}};
    if (!nonce.empty()) params["nonce"] = nonce;
    made.request = peers_[peer].client().send("prompt.answer", std::move(params));
    attempts_.push_back(std::move(made));
  }

  void collect() {
    for (; collected_ < attempts_.size(); collected_++) {
      Attempt& each = attempts_[collected_];
      const auto came = peers_[each.peer].answer(each.request);
      ASSERT_TRUE(came);
      each.result = came->result ? std::string(came->result->at("outcome").as_string())
                                 : std::string(base::code_name(came->result.error().code));
    }
  }

  std::map<int, std::vector<std::string>> log() {
    std::map<int, std::vector<std::string>> got;
    const std::string all = support::read_file(home_.file("log"));
    for (const std::string_view line : base::split(all, '\n')) {
      const size_t space = line.find(' ');
      if (space != std::string_view::npos)
        got[base::parse_number<int>(line.substr(0, space), 1, 1 << 30).value()].emplace_back(
            line.substr(space + 1));
    }
    return got;
  }

  void check_log();
  void check_audit();

  std::vector<Peer> peers_;
  std::optional<Peer> terminal_;
  std::string id_;
  pid_t pid_ = 0;
  std::vector<Attempt> attempts_;
  size_t collected_ = 0;
  std::mt19937 random_{8};
};

void PromptRace::check_log() {
  std::map<std::string, std::vector<int>> rounds_of;
  for (const auto& [round, lines] : log()) {
    EXPECT_EQ(1U, lines.size()) << "round " << round;
    for (const std::string& line : lines) rounds_of[line].push_back(round);
  }
  for (const Attempt& each : attempts_) {
    const auto& where = rounds_of[each.value];
    EXPECT_LE(where.size(), 1U) << each.value << " was sent twice";
    if (!where.empty()) {
      EXPECT_EQ(each.round, where[0]) << each.value << " went into another prompt";
      EXPECT_TRUE(each.is_valid) << each.value;
      EXPECT_THAT(each.result, testing::AnyOf("accepted", "unknown")) << each.value;
    } else {
      EXPECT_NE("accepted", each.result) << each.value << " did not arrive";
    }
  }
}

void PromptRace::check_audit() {
  using Row = std::pair<std::string, std::string>;  // prompt, and what came of it
  std::map<std::string, std::multiset<Row>> rows;
  int64_t after = 0;
  for (;;) {
    const json::value page =
        peers_[0].ok("audit.show", {{"action", "answer"}, {"after", after}, {"limit", 1000}});
    if (page.as_array().empty()) break;
    for (const json::value& each : page.as_array()) {
      const std::string result(each.at("result").as_string());
      rows[std::string(each.at("agent").as_string())].emplace(
          each.at("prompt_id").as_string(),
          result == "ok" ? std::string(each.at("summary").as_string()) : result);
      after = each.at("seq").as_int64();
    }
  }
  for (size_t i = 0; i < kNames.size(); i++) {
    std::multiset<Row> told;
    for (const Attempt& each : attempts_)
      if (each.peer == i) told.emplace(each.prompt, each.result);
    EXPECT_EQ(told, rows[kNames[i]]) << kNames[i];
  }
}

TEST_F(PromptRace, OneAnswerReachesItsPromptAndEveryOutcomeIsTrue) {
  std::vector<Prompt> old;
  int last = 0;
  for (int i = 0; i < rounds(); i++) {
    const auto prompt = next(last);
    ASSERT_TRUE(prompt) << "after round " << last;
    last = prompt->round;
    const auto kind = random_() % 8;
    if (kind == 0) ::kill(pid_, SIGUSR1);
    std::vector<size_t> order(kNames.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    for (const size_t each : order) {
      if (kind == 1 && each == 2) terminal_->type(fmt::format("t{}\r", prompt->round));
      const auto way = random_() % 8;
      if (way == 0)
        attempt(each, *prompt, "0123456789abcdef", false);
      else if (way == 1 && !old.empty())
        attempt(each, *prompt, old.back().nonce, false);
      else if (way == 2 && !old.empty())
        attempt(each, old.back(), old.back().nonce, false);
      else
        attempt(each, *prompt, way < 5 ? prompt->nonce : "", true);
    }
    collect();
    if (HasFatalFailure()) return;
    // Where nobody had the right nonce, somebody comes to the terminal.
    if (kind != 0 && !log().contains(prompt->round) &&
        std::none_of(attempts_.end() - static_cast<std::ptrdiff_t>(kNames.size()), attempts_.end(),
                     [](const Attempt& each) {
                       return each.result == "accepted" || each.result == "unknown" ||
                              each.result == "rejected";
                     }) &&
        !support::wait_until([&] { return log().contains(prompt->round); }, std::chrono::milliseconds(200)))
      terminal_->type(fmt::format("u{}\r", prompt->round));
    old.push_back(*prompt);
  }
  ASSERT_TRUE(next(last));
  check_log();
  check_audit();
}

// Microseconds since the epoch.
int64_t parse_time(const std::string& text) {
  std::tm parts{};
  const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  return int64_t{::timegm(&parts)} * 1'000'000 + std::atoll(rest + 1);
}

TEST_F(PromptRace, AnExpiryAtTheLastMomentTakesAnAnswerOrRefusesIt) {
  peers_[0].ok("session.kill", {{"session", id_}, {"force", true}});
  begin("  timeout_seconds: 1\n");
  int last = 0;
  for (int i = 0; i < std::max(5, rounds() / 50); i++) {
    const auto prompt = next(last);
    ASSERT_TRUE(prompt);
    last = prompt->round;
    const int64_t at = parse_time(prompt->expires_at) - 15'000 + static_cast<int64_t>(random_() % 20'000);
    ASSERT_TRUE(support::wait_until([&] {
      return std::chrono::system_clock::now().time_since_epoch() >= std::chrono::microseconds(at);
    }));
    for (size_t each = 0; each < kNames.size(); each++) attempt(each, *prompt, prompt->nonce, true);
    collect();
    if (HasFatalFailure()) return;
    const std::string state(peers_[0].ok("prompt.get", {{"prompt_id", prompt->id}}).at("state").as_string());
    EXPECT_THAT(state, testing::AnyOf("answered", "expired"));
    if (state == "expired") terminal_->type(fmt::format("u{}\r", prompt->round));
  }
  ASSERT_TRUE(next(last));
  check_log();
  check_audit();
}

}  // namespace
}  // namespace host_test
