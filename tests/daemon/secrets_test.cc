// SPDX-License-Identifier: Apache-2.0
// A password that was typed, or given as an answer, is nowhere afterwards: in no file of the home (store,
// log, journals, evidence, audit) and nowhere in the memory of the daemon, or of the keeper.
#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <memory>
#include <random>
#include <sstream>
#include <unistd.h>
#include <unordered_set>

#include "base/fd.h"
#include "base/strings.h"
#include "daemon_fixture.h"

namespace host_test {
namespace {

// Of letters that stand in no word together.
std::string make_password(size_t length) {
  static std::mt19937 random{std::random_device{}()};
  constexpr std::string_view kLetters = "BCDFGHJKLMNPQRSTVWXZbcdfghjklmnpqrstvwxz23456789";
  std::string password;
  while (password.size() < length) password += kLetters[random() % kLetters.size()];
  return password;
}

constexpr size_t kPart = 7;  // long enough to be no accident

// Where two bytes stand that may begin a part; a sanitizer would make ten times the time of it.
__attribute__((no_sanitize("address", "thread", "undefined"))) size_t next_candidate(const char* bytes,
                                                                                     size_t at, size_t end,
                                                                                     const bool* beginnings) {
  while (at < end && !beginnings[static_cast<uint8_t>(bytes[at]) << 8 | static_cast<uint8_t>(bytes[at + 1])])
    at++;
  return at;
}

// Where a part of it is in the bytes.
std::optional<size_t> find(std::string_view bytes, const std::string& password) {
  const auto beginnings = std::make_unique<bool[]>(1 << 16);
  std::unordered_set<std::string_view> parts;
  for (size_t at = 0; at + kPart <= password.size(); at++) {
    const std::string_view part = std::string_view(password).substr(at, kPart);
    beginnings[static_cast<uint8_t>(part[0]) << 8 | static_cast<uint8_t>(part[1])] = true;
    parts.insert(part);
  }
  if (bytes.size() < kPart) return {};
  const size_t end = bytes.size() - kPart + 1;
  for (size_t at = 0; (at = next_candidate(bytes.data(), at, end, beginnings.get())) < end; at++)
    if (parts.contains(bytes.substr(at, kPart))) return at;
  return {};
}

// Where in the memory of a process it is: the mapping and what stands around it.
std::string find_in_memory(pid_t pid, const std::string& password) {
  const std::string folder = "/proc/" + std::to_string(pid);
  const base::Fd memory(::open((folder + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(memory) << "the memory of " << pid << " cannot be read";
  std::istringstream maps(support::read_file(folder + "/maps"));
  size_t total = 0;
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin = 0;
    uint64_t end = 0;
    char readable = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %c", &begin, &end, &readable) != 3 || readable != 'r') continue;
    if (end - begin > (1UL << 32)) continue;  // a sanitizer's shadow
    std::string bytes(end - begin, '\0');
    const ssize_t count = ::pread(memory.get(), bytes.data(), bytes.size(), static_cast<off_t>(begin));
    if (count <= 0) continue;
    total += static_cast<size_t>(count);
    const std::string_view read(bytes.data(), static_cast<size_t>(count));
    if (const auto at = find(read, password))
      return fmt::format("{} at {:#x}: {}", line, begin + *at,
                         base::printable(read.substr(*at - std::min<size_t>(*at, 256), 2048), 4096));
  }
  EXPECT_GT(total, size_t{1} << 20);
  return "";
}

std::string find_in_files(const std::string& folder, const std::string& password) {
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder)) {
    if (each.is_regular_file() && find(support::read_file(each.path().string()), password))
      return each.path().string();
  }
  return "";
}

class Secrets : public DaemonTest, public testing::WithParamInterface<size_t> {
 protected:
  void SetUp() override {
    DaemonTest::SetUp();
    peer_.emplace(peer());
    id_ = std::string(
        peer_
            ->ok("session.create", {{"command", {"python3", "-c", kAsks}},
                                    {"settings", "audit:\n  keystrokes: true\nevidence:\n  auto: true\n"}})
            .at("id")
            .as_string());
  }
  json::object question() {
    json::array open;
    EXPECT_TRUE(support::wait_until([&] {
      open = peer_->ok("prompt.list", {{"session", id_}}).as_array();
      return open.size() == 1 && open[0].at("secret").as_bool() && open[0].at("id").as_string() != last_;
    })) << output(*peer_, id_);
    if (open.empty()) return {};
    last_ = open[0].at("id").as_string();
    return open[0].as_object();
  }
  bool got(const std::string& password) {
    return prints(*peer_, id_, "got " + std::to_string(password.size()) + " for " + std::to_string(++count_));
  }
  void expect_nowhere(const std::string& password) {
    // What is gathered and what is captured comes to the disk a little later.
    peer_->ok("audit.show", {{"action", "answer"}});
    ASSERT_TRUE(support::wait_until([&] { return find_in_memory(daemon_pid(*peer_), password).empty(); }))
        << find_in_memory(daemon_pid(*peer_), password);
    for (const pid_t each : home_.running("tend-keeper")) EXPECT_EQ("", find_in_memory(each, password));
    EXPECT_EQ("", find_in_files(home_.path(), password));
  }

  static constexpr const char* kAsks = R"(
import getpass
n = 0
while True:
    n += 1
    p = getpass.getpass('Password %d: ' % n)
    print('got', len(p), 'for', n)
)";
  std::optional<Peer> peer_;
  std::string id_;
  std::string last_;
  int count_ = 0;
};

// The search finds what is there.
TEST_P(Secrets, AreFoundByTheSearchWhereTheyAreKept) {
  const std::string shown = make_password(GetParam());
  peer_->ok("session.create", {{"command", {"sh", "-c", "echo " + shown + "; sleep 60"}}, {"name", "shows"}});
  ASSERT_TRUE(prints(*peer_, "shows", shown));
  EXPECT_NE("", find_in_memory(daemon_pid(*peer_), shown));
  EXPECT_NE("", find_in_files(home_.path(), shown));
}

TEST_P(Secrets, AreNowhereWhenTheyWereTypedAtATerminal) {
  Peer terminal = this->peer("terminal");
  terminal.attach({{"session", id_}});
  const std::string at_once = make_password(GetParam());
  question();
  terminal.type(at_once + "\r");
  ASSERT_TRUE(got(at_once));
  const std::string by_key = make_password(GetParam());
  question();
  const size_t piece = by_key.size() / 60 + 1;
  for (size_t at = 0; at < by_key.size(); at += piece) terminal.type(by_key.substr(at, piece));
  terminal.type("\r");
  ASSERT_TRUE(got(by_key));
  // Gathered keys come out of the daemon when it does something else there.
  terminal.ok("pty.detach");
  expect_nowhere(at_once);
  expect_nowhere(by_key);
}

TEST_P(Secrets, AreNowhereWhenTheyWereAnAnswer) {
  const std::string password = make_password(GetParam());
  const json::object prompt = question();
  peer_->ok("prompt.answer",
            {{"prompt_id", prompt.at("id")}, {"nonce", prompt.at("nonce")}, {"answer", password}});
  ASSERT_TRUE(got(password));
  expect_nowhere(password);
  const json::value ended = peer_->ok("prompt.get", {{"prompt_id", prompt.at("id")}});
  EXPECT_TRUE(ended.at("value").is_null());
}

TEST_P(Secrets, AreNowhereWhenTheyCameThroughTheProgram) {
  const std::string password = make_password(GetParam());
  const std::string file = "/dev/shm/tend-secret-" + std::to_string(::getpid());
  std::ofstream(file) << password << "\n";
  const std::string id(question().at("id").as_string());
  const std::string command = std::string(TEND) + " answer " + id + " - < " + file;
  EXPECT_EQ(0, std::system(command.c_str()));
  std::filesystem::remove(file);
  ASSERT_TRUE(got(password));
  expect_nowhere(password);
}

// An agent's write leaves evidence, of which they are no part.
TEST_P(Secrets, AreNowhereWhenAnAgentWroteThem) {
  Peer agent = this->peer("agent");
  const std::string password = make_password(GetParam());
  question();
  agent.ok("pty.write", {{"session", id_}, {"data", password}, {"enter", true}});
  ASSERT_TRUE(got(password));
  ASSERT_TRUE(support::wait_until(
      [&] { return !peer_->ok("evidence.list", {{"session", id_}}).at("evidence").as_array().empty(); }));
  expect_nowhere(password);
}

TEST_P(Secrets, AreNowhereWhenTheyWereRefused) {
  const std::string password = make_password(GetParam());
  const json::object prompt = question();
  EXPECT_EQ("PROMPT_NOT_FOUND",
            peer_->code("prompt.answer",
                        {{"prompt_id", prompt.at("id")}, {"nonce", "0123456789"}, {"answer", password}}));
  EXPECT_EQ(
      "INVALID_PARAM",
      peer_->code("prompt.answer", {{"prompt_id", prompt.at("id")}, {"answer", password}, {"choice", 1}}));
  expect_nowhere(password);
}

// Short ones stand in a string itself, long ones beside it.
INSTANTIATE_TEST_SUITE_P(Lengths, Secrets, testing::Values(9, 14, 22, 60, 900),
                         [](const auto& about) { return "Of" + std::to_string(about.param); });

}  // namespace
}  // namespace host_test
