// SPDX-License-Identifier: Apache-2.0
// Two people with Telegram, a webhook, the command line and a terminal race for each prompt of several
// sessions at once, through the real media: with taps that come twice, old ones, wrong nonces, programs that
// go on to another question meanwhile, and an expiry at the last moment. Each program writes down what each
// of its questions got. TEND_MEDIA_ROUNDS says how many rounds there are in all.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "base/strings.h"
#include "lab/service.h"
#include "media_home.h"
#include "racers.h"

namespace media_test {
namespace {

using std::chrono::milliseconds;

constexpr size_t kTables = 12;  // sessions
constexpr int kChoices = 8;
// Time enough for the test to see a question before it expires, most of the time.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::chrono::seconds kExpiry{10};
#else
constexpr std::chrono::seconds kExpiry{1};
#endif
constexpr const char* kKey = "a-key-of-the-tests-4711";
constexpr const char* kToken = "123456789:AAtest-token_of-no-bot-at-all-000000";
const std::vector<int64_t> kPeople{1001, 1002};

int rounds() {
  const char* wanted = std::getenv("TEND_MEDIA_ROUNDS");
  return wanted != nullptr ? base::parse_number<int>(wanted, 1, 1'000'000).value_or(1) : 240;
}

// A signal makes it go on to the next question, unless it has read an answer already, and be it a moment ago.
constexpr const char* kReferee = R"(
import os, signal, sys
class Next(Exception): pass
asks = False
def go_on(*_):
    if asks: raise Next
signal.signal(signal.SIGUSR1, go_on)
log = open(sys.argv[1], 'a', buffering=1)
n = 0
while True:
    n += 1
    line = bytearray(4096)
    os.write(1, b'\x1b[H\x1b[2J' + b''.join(b'%d) number %d\r\n' % (i, i) for i in range(1, 9)))
    os.write(1, b'Round %d, enter choice [1-8]: ' % n)
    try:
        asks = True
        os.readv(0, [line])
        asks = False
    except Next:
        asks = False
    read = line.rstrip(b'\0').rstrip(b'\n').decode()
    log.write('%d %s\n' % (n, read if line[0] else '-'))
)";

struct Prompt : Target {
  int round = 0;
  int64_t expires_us = 0;
};

struct Attempt {
  std::string who;
  std::string prompt;
  int round = 0;
  std::string value;
  bool is_valid = false;
  Heard heard = Heard::nothing;
};

// Microseconds since the epoch.
int64_t parse_time(const std::string& text) {
  std::tm parts{};
  const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  return rest != nullptr ? (int64_t{::timegm(&parts)} * 1'000'000) + std::atoll(rest + 1) : 0;
}

// One session, and those who race for its prompts.
class Table {
 public:
  struct Place {
    channel_test::BotServer& bot;
    Hook hook;
    std::string log;  // the file
    std::string name;
    bool expires = false;  // after kExpiry, and answers come about then
  };

  Table(Place place, Peer asker, Peer terminal, unsigned seed)
      : place_(std::move(place)), asker_(std::move(asker)), terminal_(std::move(terminal)), random_(seed) {}

  void open() {
    asker_.ok("session.create",
              {{"name", place_.name},
               {"command", {"python3", "-c", kReferee, place_.log}},
               {"settings", fmt::format("prompts:\n  inject_settle_ms: 10\n  timeout_seconds: {}\n",
                                        place_.expires ? kExpiry.count() : 300)}});
    terminal_.attach({{"session", place_.name}});
    pid_ = static_cast<pid_t>(
        asker_.ok("session.get", {{"session", place_.name}}).at_pointer("/ptys/0/pid").as_int64());
  }
  void play(std::atomic<int>& left) {
    while (left.fetch_sub(1) > 0 && !testing::Test::HasFailure()) round();
    EXPECT_TRUE(next()) << place_.name << " after round " << last_;
  }
  void check_log();
  const std::vector<Attempt>& attempts() const { return attempts_; }

 private:
  void round();
  void race(const Prompt& prompt);
  std::optional<Prompt> later(const char* state);
  std::optional<Prompt> next();
  void come_to_terminal(const Prompt& prompt, size_t first);
  std::map<int, std::vector<std::string>> log() const;
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  Place place_;
  Peer asker_;
  Peer terminal_;
  std::mt19937 random_;
  pid_t pid_ = 0;
  int last_ = 0;
  std::optional<Prompt> old_;
  std::vector<Attempt> attempts_;
};

std::map<int, std::vector<std::string>> Table::log() const {
  std::map<int, std::vector<std::string>> got;
  const std::string all = support::read_file(place_.log);
  for (const std::string_view line : base::split(all, '\n')) {
    const size_t space = line.find(' ');
    if (space != std::string_view::npos)
      got[base::parse_number<int>(line.substr(0, space), 1, 1 << 30).value_or(0)].emplace_back(
          line.substr(space + 1));
  }
  return got;
}

// Of the questions in this state the one that is later than the last.
std::optional<Prompt> Table::later(const char* state) {
  const json::value list =
      asker_.ok("prompt.list", {{"session", place_.name}, {"state", state}, {"limit", 3}});
  for (const json::value& each : list.as_array()) {
    const std::string question(each.at("question").as_string());
    const size_t at = question.find("Round ");
    if (at == std::string::npos) continue;
    const auto number =
        base::parse_number<int>(question.substr(at + 6, question.find(',', at) - at - 6), 1, 1 << 30);
    if (!number || *number <= last_) continue;
    Prompt prompt;
    prompt.prompt = each.at("id").as_string();
    prompt.nonce = each.at("nonce").as_string();
    prompt.expires_us = parse_time(std::string(each.at("expires_at").as_string()));
    prompt.expires = prompt.expires_us / 1'000'000;
    prompt.round = *number;
    return prompt;
  }
  return {};
}

// The question that is open. One that has expired before anybody looked is answered at the terminal.
std::optional<Prompt> Table::next() {
  for (;;) {
    std::optional<Prompt> open;
    std::optional<Prompt> missed;
    const bool any = support::wait_until([&] {
      open = later("open");
      if (!open && place_.expires) missed = later("expired");
      return open || missed;
    });
    if (!any || open) return open;
    last_ = missed->round;
    terminal_.type(fmt::format("u{}\r", last_));
  }
}

void Table::round() {
  const auto prompt = next();
  ASSERT_TRUE(prompt) << place_.name << " after round " << last_;
  last_ = prompt->round;
  // When it is about to expire; or when channels know of it, a while after it was asked; or at once.
  const int64_t now = std::chrono::duration_cast<std::chrono::microseconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count();
  if (place_.expires) {
    const int64_t at = prompt->expires_us - 20'000 + static_cast<int64_t>(below(30'000));
    if (at > now) std::this_thread::sleep_for(std::chrono::microseconds(at - now));
  } else if (below(4) != 0) {
    std::this_thread::sleep_for(milliseconds(220 + below(40)));
  }
  const size_t first = attempts_.size();
  race(*prompt);
  come_to_terminal(*prompt, first);
  old_ = prompt;
}

void Table::race(const Prompt& prompt) {
  struct Started {
    size_t attempt;
    std::string press = {};
    std::unique_ptr<Command> command = {};
  };
  std::vector<Started> started;
  std::vector<std::thread> posts;
  attempts_.reserve(attempts_.size() + 16);  // posts write into theirs
  std::vector<int> values(kChoices);
  for (int i = 0; i < kChoices; i++) values[static_cast<size_t>(i)] = i + 1;
  std::shuffle(values.begin(), values.end(), random_);
  // As it should be; with another's nonce; for the question before.
  const auto begin = [&](const std::string& who, const Prompt& target, bool is_valid) -> Attempt& {
    attempts_.push_back({who, target.prompt, target.round, std::to_string(values.back()), is_valid});
    values.pop_back();
    return attempts_.back();
  };
  const auto pick = [&](bool& is_valid) {
    const unsigned way = below(8);
    is_valid = way > 2 || (way > 0 && !old_);
    Prompt target = prompt;
    if (way == 0) target.nonce = "0123456789abcdef";
    if (way == 1 && old_) target.nonce = old_->nonce;
    if (way == 2 && old_) target = *old_;
    return target;
  };
  const auto tap_by = [&](int64_t user) {
    bool is_valid = true;
    const Prompt target = pick(is_valid);
    const Attempt& made = begin(fmt::format("telegram:{}", user), target, is_valid);
    const auto choice = static_cast<uint32_t>(std::stoi(made.value));
    started.push_back({.attempt = attempts_.size() - 1, .press = tap(place_.bot, user, target, choice)});
    // The same update again is none; the same tap again comes too late.
    if (below(4) == 0) place_.bot.repeat_last_update();
    if (below(6) != 0) return;
    attempts_.push_back(Attempt(made));
    started.push_back({.attempt = attempts_.size() - 1, .press = tap(place_.bot, user, target, choice)});
  };
  const unsigned kind = below(8);
  std::vector<std::function<void()>> racers{
      [&] { tap_by(kPeople[0]); }, [&] { tap_by(kPeople[1]); },
      [&] {
        bool is_valid = true;
        const Prompt target = pick(is_valid);
        Attempt& made = begin("webhook", target, is_valid);
        posts.emplace_back(
            [this, &made, target] { made.heard = post_answer(place_.hook, target, made.value); });
      },
      [&] {
        const Attempt& made = begin("racer", prompt, true);
        started.push_back({.attempt = attempts_.size() - 1,
                           .command = std::make_unique<Command>(prompt.prompt, made.value)});
      }};
  if (kind == 0) racers.emplace_back([&] { ::kill(pid_, SIGUSR1); });
  if (kind == 1) racers.emplace_back([&] { terminal_.type(fmt::format("t{}\r", prompt.round)); });
  std::shuffle(racers.begin(), racers.end(), random_);
  for (const auto& each : racers) each();
  for (std::thread& each : posts) each.join();
  for (const Started& each : started)
    attempts_[each.attempt].heard = each.command ? each.command->heard() : tap_heard(place_.bot, each.press);
}

// Where nobody's answer was for this prompt, somebody comes to the terminal.
void Table::come_to_terminal(const Prompt& prompt, size_t first) {
  const bool written = std::any_of(
      attempts_.begin() + static_cast<std::ptrdiff_t>(first), attempts_.end(), [](const Attempt& each) {
        return each.heard == Heard::accepted || each.heard == Heard::unknown || each.heard == Heard::rejected;
      });
  if (written || log().contains(prompt.round)) return;
  if (!support::wait_until([&] { return log().contains(prompt.round); }, milliseconds(200)))
    terminal_.type(fmt::format("u{}\r", prompt.round));
}

// Each question got one line; one that came from elsewhere is that of the one attempt that was written.
void Table::check_log() {
  std::map<int, std::vector<const Attempt*>> written;
  for (const Attempt& each : attempts_) {
    EXPECT_NE(Heard::nothing, each.heard) << place_.name << " " << each.who << " in round " << each.round;
    if (each.heard != Heard::accepted && each.heard != Heard::unknown && each.heard != Heard::rejected)
      continue;
    written[each.round].push_back(&each);
    EXPECT_TRUE(each.is_valid) << place_.name << " " << each.who << " in round " << each.round;
  }
  const auto got = log();
  for (const auto& [round, lines] : got) {
    EXPECT_EQ(1U, lines.size()) << place_.name << " round " << round;
    const auto& those = written[round];
    EXPECT_LE(those.size(), 1U) << place_.name << " round " << round << ": more than one was written";
    const bool from_elsewhere = !lines[0].starts_with('t') && !lines[0].starts_with('u') && lines[0] != "-";
    if (!from_elsewhere) {
      EXPECT_TRUE(those.empty() || those[0]->heard != Heard::accepted)
          << place_.name << " round " << round << " got " << lines[0];
      continue;
    }
    ASSERT_EQ(1U, those.size()) << place_.name << " round " << round << " got " << lines[0] << " from nobody";
    EXPECT_EQ(those[0]->value, lines[0]) << place_.name << " round " << round << " got another's answer";
  }
  for (const auto& [round, those] : written)
    EXPECT_TRUE(got.contains(round)) << place_.name << " round " << round << ": it did not arrive";
}

class MediaRace : public MediaTest {
 protected:
  using Row = std::pair<std::string, std::string>;  // prompt, and what came of it

  static std::string word_of(Heard heard) {
    switch (heard) {
      case Heard::accepted:
        return "accepted";
      case Heard::rejected:
        return "rejected";
      case Heard::unknown:
        return "unknown";
      default:
        return "refused";
    }
  }
  std::map<std::string, std::multiset<Row>> audited() {
    std::map<std::string, std::multiset<Row>> rows;
    for (int64_t after = 0;;) {
      const json::value page =
          peer_->ok("audit.show", {{"action", "answer"}, {"after", after}, {"limit", 1000}});
      if (page.as_array().empty()) return rows;
      for (const json::value& each : page.as_array()) {
        rows[std::string(each.at("agent").as_string())].emplace(
            each.at("prompt_id").as_string(),
            each.at("result").as_string() == "ok" ? std::string(each.at("summary").as_string()) : "refused");
        after = each.at("seq").as_int64();
      }
    }
  }
  void check_audit(const std::vector<std::unique_ptr<Table>>& tables) {
    std::map<std::string, std::multiset<Row>> told;
    for (const auto& table : tables)
      for (const Attempt& each : table->attempts())
        if (each.heard != Heard::turned_off) told[each.who].emplace(each.prompt, word_of(each.heard));
    auto rows = audited();
    for (const auto& [who, all] : told) EXPECT_EQ(all, rows[who]) << who;
  }
  // The webhook's server says where it is.
  uint16_t hook_port() {
    const json::value list = peer_->ok("channel.list");
    for (const json::value& each : list.as_array()) {
      const std::string detail(each.at("detail").as_string());
      const size_t colon = detail.rfind(':');
      if (each.at("kind").as_string() == "webhook" && colon != std::string::npos)
        return base::parse_number<uint16_t>(detail.substr(colon + 1), 1, 65535).value_or(0);
    }
    return 0;
  }

  channel_test::BotServer bot_{kToken};
  lab::Service hook_{[](const lab::Service::Request&) { return lab::Service::Answer{}; }};
};

TEST_F(MediaRace, OneAnswerReachesItsPromptAndEverybodyHearsTheTruth) {
  ::setenv("TEND_AGENT_ID", "racer", 1);
  start(fmt::format(
      "channels:\n  telegram:\n    token_file: {}\n    allowed_users: ['1001', '1002']\n    api_url: {}\n"
      "  webhook:\n    url: {}/hook\n    secret_file: {}\n    listen: 127.0.0.1:0\n",
      secret_file("bot.token", kToken), bot_.url(), hook_.url(), secret_file("hook.token", kKey)));
  ASSERT_TRUE(support::wait_until(
      [&] { return channel_state("telegram") == "good" && channel_state("webhook") == "good"; }));
  const Hook hook{hook_port(), kKey};
  ASSERT_NE(0, hook.port);
  std::vector<std::unique_ptr<Table>> tables;
  for (size_t i = 0; i < kTables; i++) {
    const std::string name = fmt::format("s{}", i);
    tables.push_back(
        std::make_unique<Table>(Table::Place{bot_, hook, home_.file(name + ".log"), name, i % 4 == 3},
                                peer("watcher"), peer("terminal"), static_cast<unsigned>(i)));
    tables.back()->open();
  }
  std::atomic<int> left = rounds();
  std::vector<std::thread> threads;
  for (const auto& each : tables) threads.emplace_back([&] { each->play(left); });
  for (std::thread& each : threads) each.join();
  for (const auto& each : tables) each->check_log();
  check_audit(tables);
  std::map<std::string, int> won;
  for (const auto& table : tables)
    for (const Attempt& each : table->attempts())
      if (each.heard == Heard::accepted) won[each.who]++;
  // Everybody wins now and then, or it is no race.
  for (const char* who : {"telegram:1001", "telegram:1002", "webhook", "racer"})
    EXPECT_LT(0, won[who]) << who;
}

}  // namespace
}  // namespace media_test
