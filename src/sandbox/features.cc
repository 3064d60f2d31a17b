// SPDX-License-Identifier: Apache-2.0
#include "sandbox/features.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "sandbox/calls.h"
#include "sandbox/control_limits.h"
#include "sandbox/filter.h"
#include "sandbox/landlock.h"

namespace sandbox {
namespace {

struct Row {
  Feature feature;
  std::string_view name;
  int flag;
  std::string_view limit;  // the file in /proc/sys/user that may forbid it
  std::string_view remedy;
};

constexpr std::array kRows = {
    Row{Feature::user_namespaces, "user namespaces", CLONE_NEWUSER, "max_user_namespaces", ""},
    Row{Feature::mount_namespaces, "mount namespaces", CLONE_NEWNS, "max_mnt_namespaces", ""},
    Row{Feature::pid_namespaces, "PID namespaces", CLONE_NEWPID, "max_pid_namespaces", ""},
    Row{Feature::uts_namespaces, "UTS namespaces", CLONE_NEWUTS, "max_uts_namespaces", ""},
    Row{Feature::ipc_namespaces, "IPC namespaces", CLONE_NEWIPC, "max_ipc_namespaces", ""},
    Row{Feature::network_namespaces, "network namespaces", CLONE_NEWNET, "max_net_namespaces", ""},
    Row{Feature::cgroup_namespaces, "cgroup namespaces", CLONE_NEWCGROUP, "max_cgroup_namespaces", ""},
    Row{Feature::mount_calls, "the mount calls of Linux 5.12", 0, "", "run Linux 5.12 or newer"},
    Row{Feature::proc_mounts, "a /proc of its own", 0, "",
        "in a container, start it with an unmasked /proc (docker: --security-opt systempaths=unconfined)"},
    Row{Feature::idmapped_mounts, "idmapped mounts (for root)", 0, "",
        "put the folder on ext4, xfs, btrfs or (from Linux 6.3) tmpfs, or run tend as an ordinary user"},
    Row{Feature::overlay, "overlayfs in user namespaces", 0, "",
        "run Linux 5.11 or newer with overlayfs (modprobe overlay), or set sandbox.root: readonly"},
    Row{Feature::seccomp, "seccomp filters", 0, "", "run a kernel with CONFIG_SECCOMP_FILTER"},
    Row{Feature::landlock, "Landlock", 0, "",
        "boot with lsm=landlock,… (Linux 5.13); a second wall, not needed"},
    Row{Feature::cgroup_limits, "cgroup v2 limits (memory, pids, cpu)", 0, "",
        "start tend in a delegated cgroup of version 2, as by systemd-run --user --scope -p Delegate=yes, or "
        "leave sandbox.memory_bytes, max_pids and cpu_percent out"},
};

const Row& row_of(Feature feature) { return kRows[static_cast<size_t>(feature)]; }

std::string first_word(const std::string& path) {
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[32] = {};
  if (!file || ::read(file.get(), buffer, sizeof buffer - 1) <= 0) return {};
  return {buffer, std::strcspn(buffer, "\n\t ")};
}

// The exit status of a child that does this in namespaces of its own, or why there is none. They are asked
// for as a sandbox asks: a process with a second thread cannot leave its own behind.
int in_a_child(int namespaces, const std::function<int()>& attempt) {
  const auto child =
      static_cast<pid_t>(::syscall(SYS_clone, namespaces | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (child < 0) return errno;
  if (child == 0) ::_exit(attempt());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

int try_mount_calls() {
  return in_a_child(CLONE_NEWUSER | CLONE_NEWNS, [] {
    const base::Fd tree = calls::clone_tree(AT_FDCWD, "/", calls::Depth::all);
    if (!tree) return errno;
    return calls::set_attributes(tree.get(), {.set = 1 /* MOUNT_ATTR_RDONLY */}) == 0 ? 0 : errno;
  });
}

int try_proc() {
  return in_a_child(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID,
                    [] { return ::mount("proc", "/proc", "proc", 0, nullptr) == 0 ? 0 : errno; });
}

int try_overlay() {
  return in_a_child(CLONE_NEWUSER | CLONE_NEWNS, [] {
    const base::Fd filesystem = calls::open_filesystem("overlay");
    return filesystem ? 0 : errno;
  });
}

int try_seccomp() {
  return in_a_child(0, [] {
    const Filter filter;
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return filter.install() ? 0 : errno;
  });
}

}  // namespace

std::string_view name_of(Feature feature) { return row_of(feature).name; }

std::string remedy_for(Feature feature) {
  const Row& row = row_of(feature);
  if (!row.remedy.empty()) return std::string(row.remedy);
  if (first_word("/proc/sys/user/" + std::string(row.limit)) == "0")
    return "sysctl user." + std::string(row.limit) + "=10000";
  if (first_word("/proc/sys/kernel/unprivileged_userns_clone") == "0")
    return "sysctl kernel.unprivileged_userns_clone=1";
  if (first_word("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1")
    return "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for tend-keeper";
  return "run a kernel with them, and in a container allow it to make namespaces";
}

base::Error missing(Feature feature, int reason) {
  return {base::Code::pty_spawn_failed, reason,
          "the sandbox needs " + std::string(name_of(feature)) + " (" + remedy_for(feature) +
              "; or sandbox.best_effort: true, to go without)"};
}

std::string note(Feature feature, int reason) {
  std::string text = "no " + std::string(name_of(feature));
  if (reason != 0) text += std::string(" (") + ::strerror(reason) + ")";
  return text;
}

int clone_flag(Feature feature) { return row_of(feature).flag; }

int try_namespace(Feature feature) {
  return in_a_child(CLONE_NEWUSER | clone_flag(feature), [] { return 0; });
}

std::vector<Tried> try_all() {
  std::vector<Tried> all;
  for (const Row& row : kRows) {
    if (row.flag != 0) all.push_back({row.feature, try_namespace(row.feature)});
  }
  all.push_back({Feature::mount_calls, try_mount_calls()});
  all.push_back({Feature::proc_mounts, try_proc()});
  all.push_back({Feature::overlay, try_overlay()});
  all.push_back({Feature::seccomp, try_seccomp()});
  all.push_back({Feature::landlock, Landlock::version() > 0 ? 0 : ENOSYS});
  all.push_back({Feature::cgroup_limits, try_limits()});
  return all;
}

}  // namespace sandbox
