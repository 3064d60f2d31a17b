// SPDX-License-Identifier: Apache-2.0
// What goes into a PTY: keys, what others send, answers.
#include <algorithm>
#include <poll.h>
#include <sched.h>
#include <termios.h>
#include <utility>

#include "base/wipe.h"
#include "pty/probe_proc.h"
#include "session/fault_points.h"
#include "session/pty.h"

namespace session {
namespace {

using base::Code;
using base::fail;
using base::Result;

constexpr size_t kKeystroke = 16;  // bytes; more is a paste
constexpr std::chrono::microseconds kEchoWait{200};
constexpr std::chrono::milliseconds kSilence{10};
constexpr std::chrono::microseconds kSlice{500};
constexpr std::chrono::seconds kBusy{10};
constexpr std::chrono::seconds kAgain{1};

pty::probe::Task task_of(const pty::Look& look) { return {.pid = look.reader, .tid = look.thread}; }

}  // namespace

// The terminal is asked now: a program may have turned its echo off since the last look. Behind a relay
// (script, sudo) only the look knows.
bool Pty::hides_input() const {
  termios settings{};
  if (master_ && ::tcgetattr(master_.get(), &settings) == 0 && (settings.c_lflag & ICANON) != 0 &&
      (settings.c_lflag & ECHO) == 0)
    return true;
  const auto& question = attention_.question();
  if (question && question->asked.prompt.secret) return true;
  const auto& seen = attention_.why().evidence;
  return seen && seen->relayed && seen->secret();
}

Result<void> Pty::write(std::string_view bytes, std::string_view by) {
  if (holds_keys_) return hold_back(nullptr, bytes);
  last_input_ = clock_.now();
  typed_by_ = by;
  return put(bytes);
}

// The last look is the last thing before the write: what the thread does in between, it does within a
// microsecond or two.
Result<bool> Pty::inject(std::string_view bytes, bool only_at_rest) {
  last_input_ = clock_.now();
  const pty::probe::Turns turns(waits_ ? task_of(*waits_) : pty::probe::Task{});
  if (only_at_rest && waits_ && turns.now() != waits_->turns) return false;
  if (auto written = put(bytes); !written) return fail(written);
  return true;
}

Result<void> Pty::hold_back(Viewer* viewer, std::string_view keys) {
  if (keys_.size() + held_bytes_ + keys.size() > pty::WriteQueue::kBound)
    return fail(Code::pty_write_failed, 0, "too much input waits for the program");
  held_bytes_ += keys.size();
  if (!held_keys_.empty() && held_keys_.back().viewer == viewer)
    held_keys_.back().bytes += keys;
  else
    held_keys_.push_back({viewer, std::string(keys)});
  return {};
}

void Pty::let_keys_go() {
  holds_keys_ = false;
  held_bytes_ = 0;
  for (const HeldKeys& each : std::exchange(held_keys_, {})) {
    // Keys for a program that has gone are nobody's loss.
    if (each.viewer != nullptr)
      (void)type(*each.viewer, each.bytes);
    else
      (void)write(each.bytes);
  }
  base::wipe_stack();
}

Result<pty::InputWatch> Pty::watch_input() const { return pty::InputWatch::begin(master_.get()); }

bool Pty::has_run_since_look() const {
  return waits_ && pty::probe::Turns(task_of(*waits_)).now() != waits_->turns;
}

std::string Pty::line_to_discard() const {
  termios settings{};
  if (!attention_.line_is_open() || !master_ || ::tcgetattr(master_.get(), &settings) != 0 ||
      (settings.c_lflag & ICANON) == 0 || settings.c_cc[VKILL] == 0)
    return {};
  return {static_cast<char>(settings.c_cc[VKILL])};
}

Result<void> Pty::put(std::string_view bytes) {
  if (state_ != PtyState::running || exit_ || !master_)
    return fail(Code::pty_process_exited, 0, "the program has ended");
  if (auto pushed = keys_.push(bytes); !pushed) return pushed;
  moves_++;
  send_keys();
  if (bytes.size() <= kKeystroke && !seats_.empty()) await_echo();
  attention_.input(bytes);
  take_output();
  attention_.plan();
  watch();
  return {};
}

// A program answers a key within some ten microseconds, and is waited for right here, for a moment that
// nobody else notices: that spares whoever typed the way around through the loop. Asleep, and before anything
// else is done: the program may need this very processor. One that does not answer is not waited for at every
// key.
void Pty::await_echo() {
  if (clock_.now() < silent_until_) return;
  pollfd answer{master_.get(), POLLIN, 0};
  const timespec wait{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(kEchoWait).count()};
  const int ready = ::ppoll(&answer, 1, &wait, nullptr);
  answers_key_ = ready > 0;
  if (ready == 0) silent_until_ = clock_.now() + kSilence;
}

// Whoever shows what a key has done may need this very processor, and all that is still to be done for it can
// wait. Where others compute, that costs a slice of time: then not again for a while.
void Pty::step_aside() {
  const base::Moment now = clock_.now();
  if (now < busy_until_) return;
  ::sched_yield();
  if (clock_.now() - now > kSlice) busy_until_ = now + kBusy;
}

// A terminal that says it can be written, and then takes nothing, is broken; one that says it cannot has a
// program that does not read, which is the program's own affair.
void Pty::write_keys(event::Ready ready) {
  const size_t before = keys_.size();
  if (before == 0) return writer_.rest();
  send_keys();
  if (keys_.size() < before) return writer_.went();
  if (exit_) return;
  // It is asked again: what it said may be from before somebody else filled it in the same turn.
  pollfd room{master_.get(), POLLOUT, 0};
  if (::poll(&room, 1, 0) <= 0 || (room.revents & POLLOUT) == 0) return writer_.rest();
  if (!ready.output) return;
  writer_.due();
  again_.set_after(kAgain);
}

void Pty::send_keys() {
  if (stalls(Stall::writer)) return;
  // Keys for a program that has gone are nobody's loss.
  if (!keys_.flush(master_.get())) keys_ = pty::WriteQueue();
  if (keys_.size() < kMuchInput / 2) input_taken_.call();
}

// Whoever waits until the program takes more must not wait for one that has gone.
void Pty::drop_keys() {
  keys_ = pty::WriteQueue();
  held_keys_.clear();
  held_bytes_ = 0;
  holds_keys_ = false;
  input_taken_.call();
}

void Pty::end_input() {
  termios settings{};
  if (!master_ || ::tcgetattr(master_.get(), &settings) != 0 || (settings.c_lflag & ICANON) == 0) return;
  const char end = static_cast<char>(settings.c_cc[VEOF]);
  (void)put({&end, 1});
}

}  // namespace session
