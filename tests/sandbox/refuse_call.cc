// SPDX-License-Identifier: Apache-2.0
// refuse_call NUMBER ERRNO COMMAND…: runs the command on a system whose kernel does not have one call, for it
// and all that it starts: how a feature that is there is taken away.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto call = static_cast<unsigned>(std::atoi(argv[1]));
  const auto reason = static_cast<unsigned>(std::atoi(argv[2]));
  sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | reason),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{4, code};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    std::perror("refuse_call");
    return 1;
  }
  ::execvp(argv[3], argv + 3);
  std::perror(argv[3]);
  return 127;
}
