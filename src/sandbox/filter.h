// SPDX-License-Identifier: Apache-2.0
// Filter: the system calls that programs in a sandbox may not use (seccomp). It lists what is refused; all
// else is as without. Refused are: mounting and namespaces, which would undo the walls; looking into or
// attaching to other processes (a debugger of its own children still works); the kernel's less walked paths
// (bpf, perf, keys, io_uring, userfaultfd, modules); putting characters into a terminal (TIOCSTI); sockets
// but those of Unix, IP and netlink; making files setuid; programs of another architecture.
#pragma once
#include <linux/filter.h>
#include <vector>

namespace sandbox {

class Filter {
 public:
  Filter();

  // For this thread and all that it starts, for ever. Needs no_new_privs; safe between fork and exec. False
  // with errno.
  bool install() const noexcept;

 private:
  std::vector<sock_filter> code_;
};

}  // namespace sandbox
