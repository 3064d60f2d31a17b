// SPDX-License-Identifier: Apache-2.0
#include "sandbox/program_cage.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <linux/capability.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pty/detached.h"
#include "sandbox/calls.h"
#include "sandbox/outside.h"

namespace sandbox {
namespace {

constexpr int kMostCapabilities = 64;

}  // namespace

bool drop_capabilities() noexcept {
  for (int each = 0; each < kMostCapabilities; each++) {
    // EINVAL: the kernel knows no more of them.
    if (::prctl(PR_CAPBSET_DROP, each, 0, 0, 0) != 0 && errno != EINVAL) return false;
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  return ::syscall(SYS_capset, &header, none) == 0;
}

bool ProgramCage::confine() const noexcept {
  // A core file may be handed to a program of the host.
  const rlimit none{0, 0};
  return ::setrlimit(RLIMIT_CORE, &none) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         parts_.landlock.restrict() && filter_.install();
}

// The kernel shows a process's number, as the namespace of that /proc has it, beside a descriptor for it.
pid_t ProgramCage::number_outside(pid_t pid) const {
  if (!parts_.outside_proc) return pid;
  const base::Fd process(calls::open_pidfd(pid));
  if (!process) return 0;
  const std::string path = "self/fdinfo/" + std::to_string(process.get());
  const base::Fd file(::openat(parts_.outside_proc.get(), path.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[1024] = {};
  if (!file || ::read(file.get(), buffer, sizeof buffer - 1) <= 0) return 0;
  const std::string_view text = buffer;
  constexpr std::string_view kField = "\nPid:";
  const size_t at = text.find(kField);
  if (at == std::string_view::npos) return 0;
  const long number = std::strtol(buffer + at + kField.size(), nullptr, 10);
  return number > 0 ? static_cast<pid_t>(number) : 0;
}

void ProgramCage::start_outside(const pty::Command& command) {
  // Not in a PID namespace of its own: it has a parent, as every keeper.
  if (!parts_.helper)
    (void)pty::start_detached(command);
  else
    ask_to_start(parts_.helper.get(), command);
}

}  // namespace sandbox
