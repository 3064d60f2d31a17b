// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <langinfo.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

#include "base/folders.h"
#include "base/programs.h"
#include "base/strings.h"
#include "cli/access.h"
#include "cli/doctor.h"
#include "cli/human.h"
#include "pty/control_group.h"
#include "sandbox/features.h"
#include "term/capabilities.h"
#include "wire/params.h"

namespace cli {
namespace {

constexpr uint64_t kLittleSpace = uint64_t{1} << 30;
constexpr uint64_t kNoSpace = uint64_t{64} << 20;
constexpr rlim_t kFewDescriptors = 4096;
constexpr rlim_t kTooFewDescriptors = 64;

using std::filesystem::path;

std::optional<long> read_number(const char* file) {
  std::ifstream in(file);
  long number = 0;
  if (in >> number) return number;
  return {};
}

// The folder, or the nearest one above it that is there.
path existing(path folder) {
  std::error_code ignored;
  while (!std::filesystem::exists(folder, ignored) && folder.has_relative_path())
    folder = folder.parent_path();
  return folder;
}

Finding check_folder(const std::string& what, const std::string& folder) {
  struct stat about{};
  if (::lstat(folder.c_str(), &about) != 0) {
    const path above = existing(folder);
    if (errno == ENOENT && ::access(above.c_str(), W_OK | X_OK) == 0)
      return {what, Health::ok, folder + " will be made when it is needed", ""};
    return {what, Health::fail, fmt::format("{} cannot be made in {}", folder, above.string()),
            "make it, or set TEND_HOME to a folder of yours"};
  }
  if (!S_ISDIR(about.st_mode))
    return {what, Health::fail, folder + " is not a folder, and may not be a link", "move it away"};
  if (about.st_uid != ::geteuid())
    return {what, Health::fail, folder + " belongs to somebody else", "set TEND_HOME to a folder of yours"};
  if ((about.st_mode & 077) != 0)
    return {what, Health::fail, folder + " is open to other users", "chmod 700 " + base::shell_quote(folder)};
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return {what, Health::fail, fmt::format("{} cannot be written: {}", folder, std::strerror(errno)),
            "chmod 700 " + base::shell_quote(folder)};
  return {what, Health::ok, folder + " is private and writable", ""};
}

// Others may look at settings, but not change what programs are started with.
Finding check_settings_folder(const std::string& folder) {
  struct stat about{};
  if (::stat(folder.c_str(), &about) != 0) return {"settings", Health::ok, "none in " + folder, ""};
  if ((about.st_mode & 022) != 0)
    return {"settings", Health::warn, folder + " can be written by other users",
            "chmod go-w " + base::shell_quote(folder)};
  return {"settings", Health::ok, folder, ""};
}

Finding check_space(const std::string& folder) {
  struct statvfs about{};
  if (::statvfs(existing(folder).c_str(), &about) != 0)
    return {"disk space", Health::warn, "cannot be found out: " + std::string(std::strerror(errno)),
            "look at df"};
  const uint64_t free = uint64_t{about.f_bavail} * about.f_frsize;
  const std::string detail = fmt::format("{} free for {}", amount_of_bytes(free), folder);
  if (free < kNoSpace) return {"disk space", Health::fail, detail, "make room: output and audit go there"};
  if (free < kLittleSpace)
    return {"disk space", Health::warn, detail, "make room soon: output and audit go there"};
  return {"disk space", Health::ok, detail, ""};
}

Finding check_daemon() {
  auto found = find_daemon();
  if (!found)
    return {"daemon", Health::fail, found.error().message(),
            "see the folders above, and daemon.log in the state folder"};
  if (!*found) return {"daemon", Health::ok, "not running; the next command that needs it starts it", ""};
  auto status = (*found)->call("daemon.status", {}, std::chrono::seconds(5));
  if (!status)
    return {"daemon", Health::fail, status.error().message(),
            "stop it with 'tend daemon stop'; sessions go on"};
  const wire::json::object& about = status->as_object();
  const std::string version = wire::text(about, "version").value_or("");
  const std::string detail =
      fmt::format("pid {}, version {}, {} living sessions", wire::integer(about, "pid").value_or(0), version,
                  wire::integer(about, "sessions").value_or(0));
  const wire::json::array& degraded = about.at("degraded").as_array();
  if (!degraded.empty())
    return {"daemon", Health::warn,
            fmt::format("{}; degraded: {}", detail, std::string_view(degraded[0].as_string())),
            "'tend status' has all of it"};
  if (version != TEND_VERSION)
    return {"daemon", Health::warn, detail + "; this is " TEND_VERSION,
            "tend daemon stop: the next command starts the new one, and sessions go on"};
  return {"daemon", Health::ok, detail, ""};
}

Finding check_keeper() {
  auto keeper = base::find_program("tend-keeper");
  if (!keeper)
    return {"tend-keeper", Health::fail, "is neither beside tend nor in its libexec folder",
            "install tend again"};
  return {"tend-keeper", Health::ok, *keeper, ""};
}

Finding check_terminals() {
  const base::Fd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!master || ::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0)
    return {"terminals", Health::fail, fmt::format("none can be opened: {}", std::strerror(errno)),
            "is /dev/pts mounted? Is /proc/sys/kernel/pty/max reached?"};
  const auto most = read_number("/proc/sys/kernel/pty/max");
  const auto used = read_number("/proc/sys/kernel/pty/nr");
  if (!most || !used) return {"terminals", Health::ok, "one can be opened", ""};
  const std::string detail = fmt::format("{} of {} in use", *used, *most);
  if (*used > *most - *most / 10)
    return {"terminals", Health::warn, detail, "raise /proc/sys/kernel/pty/max"};
  return {"terminals", Health::ok, detail, ""};
}

Finding check_control_groups() {
  if (pty::ControlGroup::create(pty::open_own_control_group().get(),
                                fmt::format("tend-doctor-{}", ::getpid())))
    return {"cgroup", Health::ok, "version 2, and groups can be made: what a program starts cannot get away",
            ""};
  return {"cgroup", Health::warn, "no group can be made here: processes are found by looking instead",
          "start tend in a delegated cgroup, as by systemd-run --user --scope -p Delegate=yes"};
}

// What only --sandbox needs: each is tried, and none of it stops tend.
std::vector<Finding> check_sandbox() {
  std::vector<Finding> findings;
  for (const sandbox::Tried& each : sandbox::try_all()) {
    const std::string check = fmt::format("sandbox: {}", sandbox::name_of(each.feature));
    if (each.reason == 0)
      findings.push_back({check, Health::ok, "there", ""});
    else
      findings.push_back(
          {check, Health::warn, std::strerror(each.reason), sandbox::remedy_for(each.feature)});
  }
  return findings;
}

Finding check_ptrace() {
  const auto scope = read_number("/proc/sys/kernel/yama/ptrace_scope");
  if (!scope) return {"ptrace scope", Health::ok, "no Yama: nothing is restricted", ""};
  if (*scope <= 1)
    return {"ptrace scope", Health::ok,
            fmt::format("{}: a keeper may look into the programs that it started", *scope), ""};
  return {"ptrace scope", Health::warn,
          fmt::format("{}: no keeper may look what its programs wait for", *scope),
          "sysctl kernel.yama.ptrace_scope=1"};
}

Finding check_term() {
  const term::Capabilities about = term::detect_capabilities();
  const std::string detail = fmt::format("TERM={} ({}), {} colours", about.term, term::kind_name(about.kind),
                                         about.colours == term::ColourDepth::none      ? "no"
                                         : about.colours == term::ColourDepth::ansi    ? "16"
                                         : about.colours == term::ColourDepth::indexed ? "256"
                                                                                       : "all");
  if (about.kind == term::Kind::dumb)
    return {"terminal", Health::warn, detail, "programs of the whole screen need another one: set TERM"};
  if (!about.in_terminfo)
    return {"terminal", Health::warn, detail + "; terminfo does not know it",
            "install ncurses-term, or set TERM=xterm-256color"};
  return {"terminal", Health::ok, detail, ""};
}

Finding check_locale() {
  const bool known = std::setlocale(LC_CTYPE, "") != nullptr;
  const std::string charset = known ? ::nl_langinfo(CODESET) : "none";
  std::setlocale(LC_CTYPE, "C");
  if (charset == "UTF-8") return {"locale", Health::ok, "UTF-8", ""};
  return {"locale", Health::warn, "its characters are " + charset + ", and tend's are UTF-8",
          "export LANG=C.UTF-8"};
}

Finding check_descriptors() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max == RLIM_INFINITY) return {"descriptors", Health::ok, "no limit", ""};
  const std::string detail = fmt::format("{} at most", limit.rlim_max);
  if (limit.rlim_max < kTooFewDescriptors)
    return {"descriptors", Health::fail, detail, "raise the hard limit: ulimit -Hn"};
  if (limit.rlim_max < kFewDescriptors)
    return {"descriptors", Health::warn, detail + ", and every PTY and client takes some",
            "raise the hard limit: ulimit -Hn"};
  return {"descriptors", Health::ok, detail, ""};
}

}  // namespace

std::vector<Finding> examine() {
  std::vector<Finding> findings;
  if (const auto folders = base::find_folders(std::getenv)) {
    findings.push_back(check_folder("runtime folder", folders->runtime));
    findings.push_back(check_folder("state folder", folders->state));
    findings.push_back(check_settings_folder(folders->config));
    findings.push_back(check_space(folders->state));
    findings.push_back(check_daemon());
  } else {
    findings.push_back({"folders", Health::fail, folders.error().message(), "set HOME, or TEND_HOME"});
  }
  for (const auto& check : {check_keeper, check_terminals, check_control_groups, check_ptrace, check_term,
                            check_locale, check_descriptors})
    findings.push_back(check());
  for (Finding& each : check_sandbox()) findings.push_back(std::move(each));
  return findings;
}

}  // namespace cli
