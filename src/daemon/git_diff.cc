// SPDX-License-Identifier: Apache-2.0
#include "daemon/git_diff.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/fd.h"
#include "base/strings.h"

namespace host {
namespace {

namespace fs = std::filesystem;
using base::Fd;

constexpr size_t kMostPointer = 4096;  // of a file that says where the repository is
constexpr size_t kMostComplaint = 4096;
constexpr std::chrono::seconds kGoing{1};  // for one that was killed, or has closed its output

struct Repository {
  fs::path work_tree;
  fs::path folder;   // has the index
  fs::path objects;  // of the repository that it is a work tree of
};

// The first line of a small regular file.
std::optional<std::string> first_line(const fs::path& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  std::error_code ignored;
  if (!file || !fs::is_regular_file(path, ignored)) return {};
  std::string text(kMostPointer, '\0');
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size <= 0) return {};
  text.resize(static_cast<size_t>(size));
  return text.substr(0, text.find('\n'));
}

std::optional<Repository> repository_at(const fs::path& work_tree) {
  std::error_code ignored;
  fs::path folder = work_tree / ".git";
  if (fs::is_regular_file(folder, ignored)) {
    constexpr std::string_view kPointer = "gitdir: ";
    const auto line = first_line(folder);
    if (!line || !line->starts_with(kPointer)) return {};
    folder = work_tree / line->substr(kPointer.size());
  }
  fs::path common = folder;
  if (const auto line = first_line(folder / "commondir")) common = folder / *line;
  if (!fs::exists(folder / "HEAD", ignored) || !fs::is_directory(common / "objects", ignored)) return {};
  return Repository{work_tree, folder, common / "objects"};
}

std::optional<Repository> find_repository(const std::string& folder) {
  std::error_code wrong;
  for (fs::path at = fs::canonical(folder, wrong); !wrong && !at.empty(); at = at.parent_path()) {
    if (auto found = repository_at(at)) return found;
    if (at == at.parent_path()) break;
  }
  return {};
}

bool make_file(const fs::path& path, std::string_view text) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  return file && base::write_all(file.get(), text).has_value();
}

bool make_blank(const fs::path& blank) {
  std::error_code wrong;
  if (fs::exists(blank / "HEAD", wrong)) return true;
  fs::create_directories(blank / "refs", wrong);
  return !wrong && make_file(blank / "config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n") &&
         make_file(blank / "HEAD", "ref: refs/heads/none\n");
}

// In folders of the PATH that do not depend on where we are.
std::string find_git() {
  const char* path = std::getenv("PATH");
  const std::string folders = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  for (const std::string_view folder : base::split(folders, ':')) {
    std::string program = fmt::format("{}/git", folder);
    if (folder.starts_with('/') && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

std::vector<std::string> arguments(const std::string& program) {
  return {program, "--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c",
          "core.hooksPath=/dev/null", "-c",
          // More is not compared line by line, and not held in memory.
          "core.bigFileThreshold=16m", "diff", "--no-ext-diff", "--no-textconv", "--no-color",
          "--ignore-submodules=all", "--stat=100", "--patch"};
}

// Nothing of the daemon's own but the PATH: no GIT_… of whoever started it, and nobody's configuration.
std::vector<std::string> environment(const Repository& repository, const std::string& blank) {
  const char* path = std::getenv("PATH");
  return {fmt::format("PATH={}", path != nullptr ? path : "/usr/bin:/bin"),
          "LC_ALL=C.UTF-8",
          "GIT_CONFIG_NOSYSTEM=1",
          "GIT_CONFIG_GLOBAL=/dev/null",
          "GIT_ATTR_NOSYSTEM=1",
          "GIT_ALLOW_PROTOCOL=none",
          "GIT_TERMINAL_PROMPT=0",
          "GIT_OPTIONAL_LOCKS=0",
          fmt::format("GIT_DIR={}", blank),
          fmt::format("GIT_WORK_TREE={}", repository.work_tree.string()),
          fmt::format("GIT_INDEX_FILE={}", (repository.folder / "index").string()),
          fmt::format("GIT_OBJECT_DIRECTORY={}", repository.objects.string())};
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (std::string& each : texts) all.push_back(each.data());
  all.push_back(nullptr);
  return all;
}

struct Output {
  Fd out;
  Fd err;
  Fd process;
  pid_t pid = 0;
};

bool make_pipe(Fd& read_end, Fd& write_end) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  read_end.reset(ends[0]);
  write_end.reset(ends[1]);
  return base::set_nonblocking(ends[0]).has_value();
}

std::optional<Output> start(std::vector<std::string> argv, std::vector<std::string> env,
                            const fs::path& folder) {
  Output output;
  Fd out;
  Fd err;
  if (!make_pipe(output.out, out) || !make_pipe(output.err, err)) return {};
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, out.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, err.get(), STDERR_FILENO);
  ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  ::posix_spawn_file_actions_addchdir_np(&files, folder.c_str());
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  ::posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  ::posix_spawnattr_setsigdefault(&attributes, &signals);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const int reason = ::posix_spawn(&output.pid, argv[0].c_str(), &files, &attributes, pointers(argv).data(),
                                   pointers(env).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (reason != 0) return {};
  output.process.reset(static_cast<int>(::syscall(SYS_pidfd_open, output.pid, 0)));
  return output;
}

// False once it has come to its end, or the text to its bound.
bool take(const Fd& from, std::string& text, size_t most) {
  std::array<char, 16 << 10> piece{};
  const ssize_t size = ::read(from.get(), piece.data(), piece.size());
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  text.append(piece.data(), static_cast<size_t>(size));
  return size > 0 && text.size() <= most;
}

int left_ms(base::Moment until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - base::RealClock().now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 60'000));
}

// The daemon leaves its children to the kernel to bury; elsewhere they are waited for.
void end(const Output& output) {
  if (output.process) ::syscall(SYS_pidfd_send_signal, output.process.get(), SIGKILL, nullptr, 0);
  pollfd gone{output.process.get(), POLLIN, 0};
  (void)::poll(&gone, 1, static_cast<int>(std::chrono::milliseconds(kGoing).count()));
  (void)::waitpid(output.pid, nullptr, WNOHANG);
}

struct Said {
  std::string out;
  std::string err;
  std::string given_up;  // why
};

Said listen(const Output& output, int stop, const GitLimits& limits) {
  Said said;
  const base::Moment until = base::RealClock().now() + limits.time;
  std::array<pollfd, 3> ready = {
      {{output.out.get(), POLLIN, 0}, {output.err.get(), POLLIN, 0}, {stop, POLLIN, 0}}};
  while (ready[0].fd >= 0 || ready[1].fd >= 0) {
    const int count = ::poll(ready.data(), ready.size(), left_ms(until));
    if (count < 0 && errno != EINTR) break;
    if (count == 0) said.given_up = "git took too long";
    if (count > 0 && ready[2].revents != 0) said.given_up = "the daemon stopped";
    if (!said.given_up.empty()) return said;
    if (count < 0) continue;
    if (ready[1].revents != 0 && !take(output.err, said.err, kMostComplaint)) ready[1].fd = -1;
    if (ready[0].revents != 0 && !take(output.out, said.out, limits.bytes)) ready[0].fd = -1;
    if (said.out.size() > limits.bytes) break;
  }
  return said;
}

// First the table, then the differences.
GitDiff split(Said said, const GitLimits& limits) {
  GitDiff result{.stat = {}, .diff = {}, .note = std::move(said.given_up)};
  if (said.out.size() > limits.bytes) {
    said.out.resize(limits.bytes);
    result.truncated = true;
  }
  if (!result.note.empty()) result.truncated = !said.out.empty();
  const size_t begin = said.out.starts_with("diff --") ? 0 : said.out.find("\ndiff --");
  if (begin != std::string::npos) result.diff = said.out.substr(said.out[begin] == '\n' ? begin + 1 : begin);
  result.stat = said.out.substr(0, begin);
  while (result.stat.ends_with("\n\n")) result.stat.pop_back();
  if (said.out.empty() && result.note.empty() && !said.err.empty())
    result.note = "git failed: " + base::printable(said.err.substr(0, said.err.find('\n')), 400);
  return result;
}

}  // namespace

GitDiff git_diff(const std::string& folder, const std::string& blank, int stop, const GitLimits& limits) {
  const auto note = [](std::string why) { return GitDiff{.stat = {}, .diff = {}, .note = std::move(why)}; };
  const auto repository = find_repository(folder);
  if (!repository) return note("not in a git work tree");
  const std::string program = find_git();
  if (program.empty()) return note("git is not installed");
  if (!make_blank(blank)) return note("cannot write " + blank);
  const auto output = start(arguments(program), environment(*repository, blank), repository->work_tree);
  if (!output) return note("git cannot be started");
  Said said = listen(*output, stop, limits);
  end(*output);
  return split(std::move(said), limits);
}

}  // namespace host
