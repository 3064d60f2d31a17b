// SPDX-License-Identifier: Apache-2.0
#include "daemon_fixture.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/strings.h"

namespace host_test {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& each : texts) list.push_back(each.data());
  list.push_back(nullptr);
  return list;
}

bool alive(pid_t pid) {
  const std::string stat = support::read_file("/proc/" + std::to_string(pid) + "/stat");
  const size_t end = stat.rfind(')');
  return end != std::string::npos && end + 2 < stat.size() && stat[end + 2] != 'Z';
}

// The first PTY has a journal as soon as it is asked for.
bool has_pty(const Home& home, pid_t keeper) {
  const std::string line = support::read_file("/proc/" + std::to_string(keeper) + "/cmdline");
  const size_t id = line.find('\0') + 1;
  const std::string name = line.substr(id, line.find('\0', id) - id);
  return std::filesystem::exists(home.file("state/journals/" + name + ".0.journal"));
}

}  // namespace

Home::Home() { ::setenv("TEND_HOME", dir_.path().c_str(), 1); }

Home::~Home() {
  // A daemon that is gone may be on its way back, brought by a keeper.
  support::wait_until([&] {
    const auto daemons = running("tend-daemon");
    const auto keepers = running("tend-keeper");
    for (const pid_t each : daemons) ::kill(each, SIGKILL);
    for (const pid_t each : keepers) ::kill(each, SIGTERM);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    return daemons.empty() && keepers.empty();
  });
}

std::string Home::start(const DaemonStart& how) {
  auto pipe = base::make_pipe().value();
  std::vector<std::string> arguments = {TEND, "daemon", "run", "--ready-fd", "3"};
  arguments.insert(arguments.end(), how.arguments.begin(), how.arguments.end());
  const auto argv = pointers(arguments);
  if (::fork() == 0) {
    ::setsid();
    if (how.descriptors) {
      const rlimit limit{*how.descriptors, *how.descriptors};
      ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (rlimit limit{}; how.soft_descriptors && ::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
      limit.rlim_cur = *how.soft_descriptors;
      ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    const int ready = ::fcntl(pipe.write_end.get(), F_DUPFD, 10);
    const int null = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) ::dup2(null, fd);
    ::dup2(ready, 3);
    ::close_range(4, ~0U, 0);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  pipe.write_end.reset();
  std::string line;
  support::wait_until([&] {
    char buffer[512];
    const ssize_t n = ::read(pipe.read_end.get(), buffer, sizeof buffer);
    if (n > 0) line.append(buffer, static_cast<size_t>(n));
    return n == 0 || line.find('\n') != std::string::npos;
  });
  return line.substr(0, line.find('\n'));
}

pid_t Home::tend_in_background(std::vector<std::string> arguments, int output) const {
  arguments.insert(arguments.begin(), TEND);
  const auto argv = pointers(arguments);
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, 0);
  ::dup2(output, 1);
  ::dup2(output, 2);
  ::close_range(3, ~0U, 0);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

Home::Ran Home::tend(std::vector<std::string> arguments) const {
  const std::string path = "/tmp/tend-test-output-" + std::to_string(::getpid());
  const base::Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  ::unlink(path.c_str());
  const pid_t child = tend_in_background(std::move(arguments), file.get());
  int status = 0;
  ::waitpid(child, &status, 0);
  std::string output(static_cast<size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
  [[maybe_unused]] const ssize_t n = ::pread(file.get(), output.data(), output.size(), 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

// By the home in their environment (daemons) or on their command line (keepers).
std::vector<pid_t> Home::running(std::string_view program) const {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const auto pid = base::parse_number<pid_t>(entry.path().filename().string(), 1, 1 << 30);
    if (!pid || *pid == ::getpid()) continue;
    const std::string line = support::read_file(entry.path() / "cmdline");
    const std::string name = std::filesystem::path(line.substr(0, line.find('\0'))).filename();
    if (name != program) continue;
    const bool ours =
        line.find(path() + "/") != std::string::npos ||
        support::read_file(entry.path() / "environ").find("TEND_HOME=" + path() + '\0') != std::string::npos;
    if (ours && alive(*pid)) found.push_back(*pid);
  }
  return found;
}

std::vector<pid_t> Home::keepers() const {
  std::vector<pid_t> found = running("tend-keeper");
  std::erase_if(found, [&](pid_t each) { return !has_pty(*this, each); });
  return found;
}

std::optional<pid_t> Home::spare_keeper() const {
  // One that is starting forks, and has another number then; the last of them leads a session.
  for (const pid_t each : running("tend-keeper"))
    if (!has_pty(*this, each) && ::getsid(each) == each) return each;
  return {};
}

Peer DaemonTest::peer(const std::string& agent) {
  auto client = wire::Client::connect(home_.socket(), {.agent = agent, .channel = "test"});
  if (!client) ADD_FAILURE() << client.error().message();
  return Peer(std::move(client.value()));
}

std::string DaemonTest::run(Peer& peer, const std::string& script, json::object more) {
  more["command"] = json::array{"/bin/sh", "-c", script};
  if (!more.contains("cwd")) more["cwd"] = home_.path();
  const json::value made = peer.ok("session.create", std::move(more));
  const json::value* id = made.as_object().if_contains("id");
  return id != nullptr ? std::string(id->as_string()) : "";
}

bool DaemonTest::becomes(Peer& peer, const std::string& id, std::string_view state, size_t number) {
  std::string last;
  const bool came = support::wait_until([&] {
    const json::value list = peer.ok("pty.list", {{"session", id}});
    for (const json::value& each : list.as_array()) {
      if (each.at("id").to_number<size_t>() == number) last = each.at("state").as_string();
    }
    return last == state;
  });
  if (!came) ADD_FAILURE() << "the state is " << last << " and not " << state;
  return came;
}

std::string DaemonTest::output(Peer& peer, const std::string& id, int number) {
  return std::string(
      peer.ok("pty.read", {{"session", id}, {"pty", number}, {"since", 0}, {"max_bytes", 1 << 20}})
          .at("data")
          .as_string());
}

bool DaemonTest::prints(Peer& peer, const std::string& id, std::string_view text, int number) {
  return support::wait_until([&] { return output(peer, id, number).find(text) != std::string::npos; });
}

pid_t DaemonTest::daemon_pid(Peer& peer) { return peer.ok("daemon.status").at("pid").to_number<pid_t>(); }

void DaemonTest::wait_for_another(pid_t old) {
  EXPECT_TRUE(support::wait_until([&] {
    auto client = wire::Client::connect(home_.socket(), {.agent = "tester", .channel = "test"});
    auto status = client ? client->call("daemon.status", {}, std::chrono::seconds(10))
                         : std::unexpected(client.error());
    return status && status->at("pid").to_number<pid_t>() != old;
  }));
}

size_t DaemonTest::descriptors(pid_t pid) const {
  std::error_code ignored;
  size_t count = 0;
  for ([[maybe_unused]] const auto& each :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd", ignored))
    count++;
  return count;
}

size_t DaemonTest::resting_descriptors(pid_t pid) const {
  EXPECT_TRUE(support::wait_until([&] { return home_.spare_keeper().has_value(); }));
  return descriptors(pid);
}

void DaemonTest::expect_healthy(size_t descriptors_before) {
  Peer doctor = peer("doctor");
  const json::value status = doctor.ok("daemon.status");
  EXPECT_TRUE(status.at("degraded").as_array().empty()) << json::serialize(status);
  const auto pid = status.at("pid").to_number<pid_t>();
  // This connection has one.
  EXPECT_TRUE(support::wait_until([&] { return descriptors(pid) <= descriptors_before + 1; },
                                  std::chrono::seconds(10)))
      << descriptors(pid) << " and not " << descriptors_before + 1;
}

size_t count_of(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) count++;
  return count;
}

}  // namespace host_test
