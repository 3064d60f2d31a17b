// SPDX-License-Identifier: Apache-2.0
// escape WHAT [ARGUMENT]: tries one thing that a program in a sandbox must not be able to do. 0: it did it;
// 1: the system refused, and the reason is printed.
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <linux/keyctl.h>
#include <map>
#include <netinet/in.h>
#include <sched.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
// The search for leaks is a debugger itself, which a sandbox does not have.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

namespace {

pid_t pid_of(const char* text) { return static_cast<pid_t>(std::strtol(text, nullptr, 10)); }

bool attach(const char* argument) {
  const pid_t pid = pid_of(argument);
  if (::ptrace(PTRACE_ATTACH, pid, nullptr, nullptr) != 0) return false;
  ::waitpid(pid, nullptr, 0);
  return ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr) == 0;
}

bool read_memory(const char* argument) {
  const std::string path = std::string("/proc/") + argument + "/mem";
  return ::open(path.c_str(), O_RDONLY) >= 0;
}

// One character into the input of the terminal.
bool push_key(const char* terminal) {
  const int fd = ::open(terminal, O_RDWR | O_NOCTTY);
  return fd >= 0 && ::ioctl(fd, TIOCSTI, "x") == 0;
}

bool connect_unix(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  return ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

// Of the abstract names, which no mount parts.
bool connect_abstract(const char* name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path + 1, name, sizeof address.sun_path - 2);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + std::strlen(name));
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  return ::connect(fd, reinterpret_cast<sockaddr*>(&address), size) == 0;
}

bool connect_port(const char* port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(std::strtol(port, nullptr, 10)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  return ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

bool make_setuid(const char* path) {
  const int fd = ::open(path, O_CREAT | O_RDWR, 0755);
  return fd >= 0 && ::fchmod(fd, 04755) == 0;
}

bool traces_its_child(const char* /*unused*/) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) return false;
  ::ptrace(PTRACE_CONT, child, nullptr, nullptr);
  ::waitpid(child, &status, 0);
  return WIFEXITED(status);
}

const std::map<std::string, std::function<bool(const char*)>> kAttempts = {
    {"attach", attach},
    {"memory", read_memory},
    {"push", push_key},
    {"unix", connect_unix},
    {"abstract", connect_abstract},
    {"port", connect_port},
    {"setuid", make_setuid},
    {"trace-child", traces_its_child},
    {"kill", [](const char* pid) { return ::kill(pid_of(pid), 0) == 0; }},
    {"read", [](const char* path) { return ::open(path, O_RDONLY) >= 0; }},
    {"write", [](const char* path) { return ::open(path, O_WRONLY | O_CREAT, 0600) >= 0; }},
    {"list", [](const char* path) { return ::open(path, O_RDONLY | O_DIRECTORY) >= 0; }},
    {"mount", [](const char*) { return ::mount("x", "/tmp", "tmpfs", 0, nullptr) == 0; }},
    {"unshare", [](const char*) { return ::unshare(CLONE_NEWUSER) == 0; }},
    {"clone",
     [](const char*) {
       const long pid = ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
       if (pid == 0) ::_exit(0);
       return pid > 0;
     }},
    {"keyctl", [](const char*) { return ::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, -3, 1) >= 0; }},
    {"bpf", [](const char*) { return ::syscall(SYS_bpf, -1, nullptr, 0) == 0 || errno != EPERM; }},
    {"perf",
     [](const char*) {
       return ::syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0) >= 0 || errno != EPERM;
     }},
    {"io_uring",
     [](const char*) { return ::syscall(SYS_io_uring_setup, 0, nullptr) >= 0 || errno != ENOSYS; }},
    {"vsock", [](const char*) { return ::socket(AF_VSOCK, SOCK_STREAM, 0) >= 0; }},
};

}  // namespace

int main(int argc, char** argv) {
  const auto found = argc > 1 ? kAttempts.find(argv[1]) : kAttempts.end();
  if (found == kAttempts.end()) return 2;
  errno = 0;
  if (found->second(argc > 2 ? argv[2] : "")) return 0;
  std::printf("refused: %s\n", std::strerror(errno));
  return 1;
}
