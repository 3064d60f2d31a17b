// SPDX-License-Identifier: Apache-2.0
#include "sandbox/filter.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sandbox {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
constexpr uint32_t kForeignBit = 0x40000000;  // x32: the same architecture, other numbers
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
constexpr uint32_t kForeignBit = 0;
#else
#error "the sandbox knows the system calls of x86-64 and arm64 only"
#endif

// Calls that are younger than the headers of some systems; their numbers are the same everywhere.
constexpr uint32_t kFchmodat2 = 452;
constexpr uint32_t kMountSetattr = 442;
constexpr uint32_t kProcessMadvise = 440;
constexpr uint32_t kQuotactlFd = 443;
constexpr uint32_t kStatmount = 457;
constexpr uint32_t kListmount = 458;
constexpr uint32_t kOpenTreeAttr = 467;

// Never needed by a program that minds its own business.
constexpr uint32_t kRefused[] = {
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_setns,
    SYS_unshare,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_move_mount,
    SYS_open_tree,
    kMountSetattr,
    kOpenTreeAttr,
    kStatmount,
    kListmount,
    SYS_swapon,
    SYS_swapoff,
    SYS_reboot,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_acct,
    SYS_quotactl,
    kQuotactlFd,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_vhangup,
    SYS_syslog,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_userfaultfd,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    kProcessMadvise,
    SYS_pidfd_getfd,
    SYS_kcmp,
    SYS_lookup_dcookie,
    SYS_fanotify_init,
    SYS_nfsservctl,
#if defined(__x86_64__)
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_uselib,
    SYS_ustat,
    SYS_sysfs,
    SYS_create_module,
#endif
};

// What these would do cannot be seen from here, and programs know how to do without them.
constexpr uint32_t kUnknown[] = {SYS_clone3, SYS_openat2, SYS_io_uring_setup, SYS_io_uring_enter,
                                 SYS_io_uring_register};

constexpr uint32_t kNamespaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWCGROUP;

struct ModeArgument {
  uint32_t call;
  unsigned argument;
};
// Calls that give a file its mode.
constexpr ModeArgument kModes[] = {
#if defined(__x86_64__)
    {SYS_chmod, 1},  {SYS_creat, 1},    {SYS_open, 2},   {SYS_mknod, 1},
#endif
    {SYS_fchmod, 1}, {SYS_fchmodat, 2}, {kFchmodat2, 2}, {SYS_openat, 3}, {SYS_mknodat, 2},
};

// The assembler: each block begins with the number of the call in the accumulator, and leaves it there for
// the next one.
class Assembler {
 public:
  void load(uint32_t offset) { add(BPF_LD | BPF_W | BPF_ABS, offset); }
  void load_call() { load(offsetof(seccomp_data, nr)); }
  // The lower half: flags, requests and modes have 32 bits, and the kernel looks at no more.
  void load_argument(unsigned number) {
    load(static_cast<uint32_t>(offsetof(seccomp_data, args)) + 8 * number);
  }
  void give(uint32_t verdict) { add(BPF_RET | BPF_K, verdict); }
  void refuse(int reason) { give(SECCOMP_RET_ERRNO | static_cast<uint32_t>(reason)); }
  // Runs the next `count` instructions if the accumulator is `value`, else jumps over them.
  void if_equal(uint32_t value, uint8_t count) { add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count); }
  void if_any_bit(uint32_t bits, uint8_t count) { add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, count); }
  void unless_equal(uint32_t value, uint8_t count) { add(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0); }

  void refuse_call(uint32_t call, int reason) {
    if_equal(call, 1);
    refuse(reason);
  }
  void refuse_value(uint32_t call, unsigned argument, uint32_t value) {
    if_equal(call, 4);
    load_argument(argument);
    if_equal(value, 1);
    refuse(EPERM);
    load_call();
  }
  void refuse_bits(uint32_t call, unsigned argument, uint32_t bits) {
    if_equal(call, 4);
    load_argument(argument);
    if_any_bit(bits, 1);
    refuse(EPERM);
    load_call();
  }

  std::vector<sock_filter> take() { return std::move(code_); }

 private:
  void add(int operation, uint32_t value, uint8_t yes = 0, uint8_t no = 0) {
    code_.push_back({static_cast<uint16_t>(operation), yes, no, value});
  }
  std::vector<sock_filter> code_;
};

// A socket of any other family reaches what no network namespace parts: the hypervisor, the kernel's
// cryptography, radio.
void refuse_families(Assembler& code) {
  constexpr uint32_t kAllowed[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};
  constexpr auto kCount = static_cast<uint8_t>(std::size(kAllowed));
  for (const uint32_t call : {uint32_t{SYS_socket}, uint32_t{SYS_socketpair}}) {
    code.if_equal(call, kCount + 3);
    code.load_argument(0);
    for (uint8_t i = 0; i < kCount; i++)
      code.unless_equal(kAllowed[i], static_cast<uint8_t>(kCount - i));  // past the refusal
    code.refuse(EAFNOSUPPORT);
    code.load_call();
  }
}

std::vector<sock_filter> assemble() {
  Assembler code;
  code.load(offsetof(seccomp_data, arch));
  code.unless_equal(kArchitecture, 1);
  code.refuse(ENOSYS);
  code.load_call();
  if (kForeignBit != 0) {
    code.if_any_bit(kForeignBit, 1);
    code.refuse(ENOSYS);
  }
  for (const uint32_t call : kRefused) code.refuse_call(call, EPERM);
  for (const uint32_t call : kUnknown) code.refuse_call(call, ENOSYS);
  code.refuse_bits(SYS_clone, 0, kNamespaces);
  code.refuse_value(SYS_ptrace, 0, PTRACE_ATTACH);
  code.refuse_value(SYS_ptrace, 0, PTRACE_SEIZE);
  code.refuse_value(SYS_ioctl, 1, TIOCSTI);
  code.refuse_value(SYS_ioctl, 1, TIOCLINUX);
  for (const ModeArgument& each : kModes) code.refuse_bits(each.call, each.argument, S_ISUID);
  refuse_families(code);
  code.give(SECCOMP_RET_ALLOW);
  return code.take();
}

}  // namespace

Filter::Filter() : code_(assemble()) {}

bool Filter::install() const noexcept {
  const sock_fprog program{static_cast<unsigned short>(code_.size()), const_cast<sock_filter*>(code_.data())};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

}  // namespace sandbox
