// SPDX-License-Identifier: Apache-2.0
#include "sandbox/outside.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/unix_socket.h"
#include "pty/detached.h"
#include "pty/packing.h"
#include "sandbox/overlay_folder.h"

namespace sandbox {
namespace {

using base::Fd;

constexpr char kStart = 's';
constexpr char kListener = 'l';
constexpr size_t kMostMessage = 128 << 10;
constexpr int kProxysListener = 3;
constexpr int kPauseMs = 1000;  // before a proxy that has ended is started again

std::optional<pty::Command> command_of(std::string_view bytes) {
  pty::Reader in(bytes);
  pty::Command command;
  command.umask = in.u32() & 0777;
  command.cwd = in.text();
  command.argv = in.list();
  command.env = in.list();
  return pty::if_whole(in, std::move(command));
}

class Helper {
 public:
  Helper(const Plan& plan, Fd line, pid_t keeper) : plan_(plan), line_(std::move(line)), keeper_(keeper) {}

  void run() {
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &children, nullptr);
    const Fd signals(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
    while (line_) {
      pollfd wait[] = {{line_.get(), POLLIN, 0}, {signals.get(), POLLIN, 0}};
      const bool must_start = listener_ && proxy_ == 0;
      const int ready = ::poll(wait, 2, must_start ? kPauseMs : -1);
      if (ready == 0) start_proxy();
      if (ready > 0 && wait[1].revents != 0) reap(signals.get());
      if (ready > 0 && wait[0].revents != 0) hear();
    }
    if (proxy_ > 0) ::kill(proxy_, SIGKILL);
    while (::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

 private:
  void reap(int signals) {
    signalfd_siginfo info;
    while (::read(signals, &info, sizeof info) > 0) {
    }
    for (pid_t pid = 0; proxy_ > 0 && (pid = ::waitpid(proxy_, nullptr, WNOHANG)) > 0;) proxy_ = 0;
  }

  void hear() {
    std::vector<char> buffer(kMostMessage);
    auto received = base::receive_some(line_.get(), buffer);
    if (!received || received->closed) return line_.reset();
    if (received->count == 0) return;
    const std::string_view message(buffer.data(), received->count);
    if (message[0] == kListener && !received->descriptors.empty()) {
      listener_ = std::move(received->descriptors[0]);
      start_proxy();
    }
    if (message[0] != kStart) return;
    if (const auto command = command_of(message.substr(1)); command && !command->argv.empty())
      (void)pty::start_detached(*command);
  }

  void start_proxy() {
    std::vector<char*> argv = {const_cast<char*>(plan_.proxy_program.c_str())};
    for (const std::string& each : plan_.domains) argv.push_back(const_cast<char*>(each.c_str()));
    argv.push_back(nullptr);
    char* env[] = {nullptr};
    const pid_t parent = ::getpid();
    proxy_ = ::fork();
    if (proxy_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    // A line that it kept open would keep this process from hearing its end.
    line_.reset();
    if (::getppid() == parent && ::dup2(listener_.get(), kProxysListener) == kProxysListener &&
        ::fcntl(kProxysListener, F_SETFD, 0) == 0)
      ::execve(argv[0], argv.data(), env);
    ::_exit(127);
  }

  const Plan& plan_;
  Fd line_;
  pid_t keeper_;
  Fd listener_;
  pid_t proxy_ = 0;
};

}  // namespace

void stay_outside(const Plan& plan, Fd line, pid_t keeper) {
  Helper(plan, std::move(line), keeper).run();
  if (plan.root == Root::overlay && !plan.keep_overlay) remove_overlay(plan.overlay_folder);
}

void ask_to_start(int line, const pty::Command& command) {
  const std::string message =
      pty::Writer().u32(command.umask).text(command.cwd).list(command.argv).list(command.env).take();
  // If it does not get through it is tried again: the keeper goes on until somebody says hello.
  if (message.size() < kMostMessage) (void)base::send_some(line, kStart + message, {});
}

void hand_listener(int line, int listener) {
  (void)base::send_some(line, std::string(1, kListener), std::span(&listener, 1));
}

}  // namespace sandbox
