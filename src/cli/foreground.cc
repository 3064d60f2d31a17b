// SPDX-License-Identifier: Apache-2.0
#include "cli/foreground.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <termios.h>
#include <unistd.h>
#include <utility>

#include "pty/processes.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;

constexpr size_t kMostPending =
    256 << 10;                          // of output that the terminal has not taken; then the program waits
constexpr size_t kMostKeys = 64 << 10;  // of input that the program has not taken; then the terminal waits
constexpr std::chrono::milliseconds kRedrawPause{60};
constexpr char kSuspendKey = '\x1a';

}  // namespace

Result<std::unique_ptr<Foreground>> Foreground::create(UserTerminal& terminal, pty::KeeperLink& link,
                                                       pty::HeldPty held, std::optional<pty::Size> fixed) {
  auto journal = pty::Journal::map(held.journal.get(), pty::Journal::Access::write);
  if (!journal) return fail(journal);
  return std::unique_ptr<Foreground>(
      new Foreground(terminal, link, std::move(held), std::move(*journal), fixed));
}

Foreground::Foreground(UserTerminal& terminal, pty::KeeperLink& link, pty::HeldPty held, pty::Journal journal,
                       std::optional<pty::Size> fixed)
    : terminal_(terminal),
      link_(link),
      held_(std::move(held)),
      journal_(std::move(journal)),
      pump_(held_.master.get(), {held_.pipe.read_end.get(), held_.pipe.write_end.get()}, journal_),
      fixed_(fixed) {}

Result<pty::ExitStatus> Foreground::run() {
  // The window may have changed between asking for its size and the handler that reports changes.
  follow_window();
  while (!finished()) {
    const bool usable = terminal_.usable();
    const bool wants_keys = usable && !input_ended_ && keys_.size() < kMostKeys && !held_.exit;
    const auto events = [](bool in, bool out) {
      return static_cast<short>((in ? POLLIN : 0) | (out ? POLLOUT : 0));
    };
    enum { kInput, kOutput, kSignals, kMaster, kKeeper, kCount };
    std::array<pollfd, kCount> wait{{
        {wants_keys ? terminal_.input() : -1, POLLIN, 0},
        {usable && (pending() > 0 || !redo_.empty()) ? terminal_.output() : -1, POLLOUT, 0},
        {terminal_.events_fd(), POLLIN, 0},
        {wants_output() || !keys_.empty() ? held_.master.get() : -1, events(wants_output(), !keys_.empty()),
         0},
        {link_.fd(), events(true, link_.wants_output()), 0},
    }};
    if (::poll(wait.data(), wait.size(), timeout()) < 0 && errno != EINTR)
      return fail(Code::internal, errno, "cannot wait for input");

    Result<void> done;
    if (wait[kSignals].revents != 0) {
      const term::Events seen = terminal_.take_events();
      if (seen.resized || seen.continued) follow_window();
      if (seen.continued) ask_for_redraw();
    }
    if (wait[kKeeper].revents != 0) done = hear_keeper();
    if (done && wait[kInput].revents != 0) done = take_keys();
    if (done && !keys_.empty()) {
      // Keys for a program that has gone are nobody's loss.
      if (!keys_.flush(held_.master.get())) keys_ = pty::WriteQueue();
    }
    if (done && wants_output() && (wait[kMaster].revents != 0 || held_.exit)) done = take_output();
    if (done && terminal_.usable()) done = show_output();
    if (!done) return fail(done);
    if (redraw_until_ && clock_.now() >= *redraw_until_) end_redraw();
  }
  return *held_.exit;
}

bool Foreground::wants_output() const { return !drained_ && pending() < kMostPending; }

int Foreground::timeout() const {
  // Once the program has ended, whether the terminal is empty is asked and not waited for.
  if (held_.exit && wants_output()) return 0;
  if (!redraw_until_) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*redraw_until_ - clock_.now());
  return static_cast<int>(std::max<int64_t>(left.count(), 0));
}

void Foreground::follow_window() {
  if (!fixed_ && terminal_.is_terminal()) (void)pty::resize(held_.master.get(), terminal_.size());
}

// After a stop the screen shows the shell's lines. Programs draw themselves anew when their window changes,
// and only then; so it changes for a moment, long enough for the program to see it.
void Foreground::ask_for_redraw() {
  redo_ = terminal_.redo();
  pty::Size size = fixed_.value_or(terminal_.size());
  if (size.rows < 2) return;
  size.rows--;
  (void)pty::resize(held_.master.get(), size);
  redraw_until_ = clock_.now() + kRedrawPause;
}

void Foreground::end_redraw() {
  redraw_until_.reset();
  if (fixed_)
    (void)pty::resize(held_.master.get(), *fixed_);
  else
    follow_window();
}

Result<void> Foreground::take_keys() {
  std::array<char, 16 << 10> buffer;
  auto count = terminal_.read(buffer);
  if (!count) return fail(count);
  if (!*count) return {};
  if (**count > 0) return type({buffer.data(), **count});
  input_ended_ = true;
  // The end of a file is, for a program that reads lines, the key that says so.
  termios settings{};
  if (::tcgetattr(held_.master.get(), &settings) == 0 && (settings.c_lflag & ICANON) != 0) {
    const char end = static_cast<char>(settings.c_cc[VEOF]);
    return keys_.push({&end, 1});
  }
  return {};
}

Result<void> Foreground::type(std::string_view keys) {
  const size_t stop = terminal_.is_terminal() ? keys.find(kSuspendKey) : std::string_view::npos;
  if (stop == std::string_view::npos || !stops_the_job(keys[stop])) return keys_.push(keys);
  auto before = keys_.push(keys.substr(0, stop));
  if (!before) return before;
  terminal_.suspend();
  return type(keys.substr(stop + 1));
}

// Whether this key would, without tend, stop the program and give the terminal back to the shell. In a
// session of its own the kernel discards that stop, because nobody there could continue the program; so it is
// tend that stops. A shell in the session (it ignores the signal, or has put a job of its own in the
// foreground) deals with the key itself.
bool Foreground::stops_the_job(char key) const {
  termios settings{};
  return ::tcgetattr(held_.master.get(), &settings) == 0 && (settings.c_lflag & ISIG) != 0 &&
         settings.c_cc[VSUSP] == static_cast<cc_t>(key) && ::tcgetpgrp(held_.master.get()) == held_.pid &&
         !pty::ignores_signal(held_.pid, SIGTSTP);
}

Result<void> Foreground::take_output() {
  auto step = pump_.step();
  if (!step) return fail(step);
  if (step->state == pty::Pump::State::closed || (step->state == pty::Pump::State::empty && held_.exit))
    drained_ = true;
  return {};
}

Result<void> Foreground::show_output() {
  while (!redo_.empty()) {
    auto written = terminal_.write(redo_);
    if (!written) return fail(written);
    if (*written == 0) return {};
    redo_.erase(0, *written);
  }
  const auto window = journal_.window();
  if (window.end == written_) return {};
  auto written = terminal_.show(journal_.view(written_, window.end));
  if (!written) return fail(written);
  written_ += *written;
  journal_.set_processed(written_);
  return {};
}

Result<void> Foreground::hear_keeper() {
  link_.flush();
  for (;;) {
    auto event = link_.next();
    if (!event) return fail(event);
    if (!*event) return {};
    if (const auto* exit = std::get_if<pty::ExitStatus>(&(*event)->what)) held_.exit = *exit;
  }
}

}  // namespace cli
