// SPDX-License-Identifier: Apache-2.0
#include "loop/signals.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <sys/signalfd.h>
#include <unistd.h>

namespace loop {

base::Result<Signals> Signals::block() {
  sigset_t heard;
  sigemptyset(&heard);
  for (const int each : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&heard, each);
  ::sigprocmask(SIG_BLOCK, &heard, nullptr);
  // Those that nobody reads (a child that takes no input) show as errors of the write.
  std::signal(SIGPIPE, SIG_IGN);
  base::Fd fd(::signalfd(-1, &heard, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd) return base::fail(base::Code::internal, errno, "cannot listen for signals");
  return Signals(std::move(fd));
}

Signals::Heard Signals::take() {
  Heard heard;
  signalfd_siginfo about{};
  while (::read(fd_.get(), &about, sizeof about) == static_cast<ssize_t>(sizeof about)) {
    Wish wish = Wish::none;
    switch (about.ssi_signo) {
      case SIGCHLD:
        heard.child = true;
        break;
      case SIGINT:
        wish = Wish::interrupt;
        break;
      case SIGQUIT:
        wish = Wish::kill;
        break;
      default:  // SIGTERM, and SIGHUP: the keeper has gone, and with it the terminal
        wish = Wish::stop;
    }
    heard.wish = std::max(heard.wish, wish);
  }
  return heard;
}

}  // namespace loop
