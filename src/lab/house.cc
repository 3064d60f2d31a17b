// SPDX-License-Identifier: Apache-2.0
#include "lab/house.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/fd.h"
#include "base/programs.h"
#include "base/strings.h"
#include "wire/params.h"
#include "wire/reach.h"

namespace lab {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr base::Duration kShutDown = seconds(10);
constexpr base::Duration kGone = seconds(20);
constexpr size_t kMostText = 200;

std::string contents(const fs::path& path) {
  const std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

bool is_dead(pid_t pid) {
  const std::string stat = contents(fmt::format("/proc/{}/stat", pid));
  const size_t end = stat.rfind(')');
  return end == std::string::npos || end + 2 >= stat.size() || stat[end + 2] == 'Z';
}

}  // namespace

std::string text_of(const json::value& object, std::string_view name) {
  return object.is_object() ? wire::text(object.get_object(), name).value_or("") : "";
}

House::House(Trial& trial) : trial_(trial) {
  std::error_code wrong;
  std::string name = (fs::temp_directory_path(wrong) / "tend-lab-XXXXXX").string();
  if (!wrong && ::mkdtemp(name.data()) != nullptr)
    path_ = name;
  else
    no_home_ = wrong ? wrong.value() : errno;
}

House::~House() {
  end_all();
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string House::put(const std::string& name, const std::string& text) const {
  const fs::path path = file(name);
  std::error_code ignored;
  if (fs::create_directories(path.parent_path(), ignored)) ::chmod(path.parent_path().c_str(), 0700);
  const base::Fd out(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  (void)base::write_all(out.get(), text);
  return path;
}

bool House::start(std::string config) {
  if (trial_.stopped()) return false;
  if (path_.empty()) {
    trial_.expect("there is room for a home", "a folder", std::strerror(no_home_));
    return false;
  }
  if (trial_.conditions().forge) trial_.conditions().forge(config);
  put("config/config.yml", config);
  auto program = base::find_program("tend-daemon", trial_.conditions().tend);
  const char* path = std::getenv("PATH");
  auto launched = program ? wire::launch_daemon(
                                *program, {"TEND_HOME=" + path_, "HOME=" + path_,
                                           fmt::format("PATH={}", path != nullptr ? path : "/usr/bin:/bin")})
                          : program;
  const std::string said = launched ? *launched : launched.error().message();
  trial_.expect("the daemon starts", "ok", said);
  trial_.log("a daemon in " + path_);
  return said == "ok" && connect();
}

bool House::connect() {
  auto client = wire::Client::connect(file("run/tend.sock"), {.agent = "lab", .channel = "test"});
  if (client) client_.emplace(std::move(*client));
  return client.has_value();
}

bool House::lose_daemon() {
  const json::value status = ask("daemon.status");
  const auto old = status.is_object() ? wire::integer(status.get_object(), "pid").value_or(0) : 0;
  if (old <= 1) return false;
  client_.reset();
  ::kill(static_cast<pid_t>(old), SIGKILL);
  trial_.log(fmt::format("daemon {} is killed", old));
  return trial_.await("another daemon comes", [&] {
    if (!connect()) return false;
    const auto next = client_->call("daemon.status", {}, kShutDown);
    return next && next->is_object() && wire::integer(next->get_object(), "pid").value_or(old) != old;
  });
}

json::value House::ask(std::string_view method, const json::object& params) {
  if (!client_) return nullptr;
  auto result = client_->call(method, params);
  if (result) return std::move(*result);
  trial_.expect(method, "an answer", result.error().message());
  return nullptr;
}

std::string House::asks(const std::string& name, const std::string& question, json::object more) {
  const std::string asked = put(name + ".question", question);
  more["name"] = name;
  more["cwd"] = path_;
  constexpr const char* kScript =
      R"sh(printf '%b ' "$(cat "$1")"; read -r a; echo "$a" >> "$2"; echo "got <$a>"; exec sleep 600)sh";
  more["command"] = json::array{"/bin/sh", "-c", kScript, "sh", asked, file(name + ".read")};
  trial_.log(fmt::format("session {} asks \"{}\"", name, base::printable(question, kMostText)));
  return text_of(ask("session.create", more), "id");
}

std::string House::run(const std::string& name, const std::string& script) {
  trial_.log(fmt::format("session {}", name));
  return text_of(
      ask("session.create", {{"name", name},
                             {"cwd", path_},
                             {"command", json::array{"/bin/sh", "-c", script, "sh", file(name + ".read")}}}),
      "id");
}

std::string House::read_by(const std::string& name) const { return contents(file(name + ".read")); }

std::string House::channel_state(std::string_view kind) {
  const json::value status = ask("daemon.status");
  const json::value* channels = status.is_object() ? status.get_object().if_contains("channels") : nullptr;
  if (channels == nullptr || !channels->is_array()) return "";
  for (const json::value& each : channels->get_array()) {
    if (text_of(each, "kind") == kind) return text_of(each, "state");
  }
  return "";
}

json::object House::open_prompt(const std::string& session) {
  const json::value list = ask("prompt.list", {{"session", session}});
  const bool one = list.is_array() && list.get_array().size() == 1 && list.get_array()[0].is_object();
  return one ? list.get_array()[0].get_object() : json::object();
}

std::string House::prompt_state(const std::string& prompt) {
  return text_of(ask("prompt.get", {{"prompt_id", prompt}}), "state");
}

size_t House::answers(std::string_view result) {
  const json::value rows = ask("audit.show", {{"action", "answer"}});
  if (!rows.is_array()) return 0;
  return static_cast<size_t>(
      std::count_if(rows.get_array().begin(), rows.get_array().end(),
                    [&](const json::value& row) { return text_of(row, "result") == result; }));
}

bool House::is_stored(std::string_view text) const {
  return (contents(file("state/store.db")) + contents(file("state/store.db-wal"))).find(text) !=
         std::string::npos;
}

// Keepers name the home on their command line; daemons and channels have it in their environment.
std::vector<pid_t> House::processes(Kind kind) const {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const auto pid = base::parse_number<pid_t>(entry.path().filename().string(), 1, 1 << 30);
    if (!pid || *pid == ::getpid()) continue;
    const std::string line = contents(entry.path() / "cmdline");
    const bool keeper = fs::path(line.substr(0, line.find('\0'))).filename() == "tend-keeper";
    if (keeper != (kind == Kind::keeper)) continue;
    const bool ours =
        keeper ? line.find(path_ + "/") != std::string::npos
               : contents(entry.path() / "environ").find("TEND_HOME=" + path_ + '\0') != std::string::npos;
    if (ours && !is_dead(*pid)) found.push_back(*pid);
  }
  return found;
}

void House::end_all() {
  if (path_.empty()) return;
  const bool asked = client_ && client_->call("daemon.shutdown", {{"kill", true}}, kShutDown).has_value();
  client_.reset();
  const base::RealClock clock;
  // A daemon that is asked to go is gone soon; one that was killed may be on its way back, brought by a
  // keeper.
  const base::Moment patience = clock.now() + seconds(asked ? 2 : 0);
  const base::Moment end = clock.now() + kGone;
  while (clock.now() < end) {
    const auto others = processes(Kind::other);
    const auto keepers = processes(Kind::keeper);
    if (others.empty() && keepers.empty()) break;
    if (clock.now() >= patience) {
      for (const pid_t each : others) ::kill(each, SIGKILL);
      for (const pid_t each : keepers) ::kill(each, SIGTERM);
    }
    ::poll(nullptr, 0, 5);
  }
}

}  // namespace lab
