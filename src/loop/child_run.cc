// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <unistd.h>

#include "base/log.h"
#include "loop/child.h"
#include "loop/grace.h"
#include "pty/termination.h"

namespace loop {
namespace {

using base::Moment;
using base::Result;

constexpr std::chrono::seconds kReaped{1};

class Run {
 public:
  Run(Station& station, const ChildRun& what, Child child)
      : station_(station), what_(what), child_(std::move(child)) {
    station_.watch(child_.pid);
  }
  ~Run() { station_.forget(child_.pid); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Result<ChildEnd> finish() {
    while (!gone_) {
      if (auto waited = wait(); !waited) return base::fail(waited);
      decide(station_.now());
    }
    while (child_.output && read_some()) {
    }
    // It is dead, but for one that hangs in the kernel, and was perhaps not reaped yet.
    for (const Moment end = station_.now() + kReaped; !exit_ && station_.now() < end;
         exit_ = station_.ended(child_.pid)) {
      if (auto waited = station_.wait(end); !waited) return base::fail(waited);
    }
    return ChildEnd{exit_.value_or(pty::ExitStatus{}), cut_};
  }

 private:
  Result<void> wait() {
    const bool reads = child_.output && !station_.printer.full();
    std::array<pollfd, 2> ready{{{reads ? child_.output.get() : -1, POLLIN, 0},
                                 {child_.input ? child_.input.get() : -1, POLLOUT, 0}}};
    auto waited = station_.wait(termination_ ? termination_->next() : what_.deadline, ready);
    if (!waited) return waited;
    if (ready[0].revents != 0) (void)read_some();
    if (ready[1].revents != 0) type_some();
    return {};
  }

  bool read_some() {
    std::array<char, 64 << 10> buffer;
    const ssize_t n = ::read(child_.output.get(), buffer.data(), buffer.size());
    if (n < 0) return errno == EINTR;
    if (n == 0) {
      child_.output.reset();
      return false;
    }
    what_.output({buffer.data(), static_cast<size_t>(n)});
    return true;
  }

  void type_some() {
    const ssize_t n = ::write(child_.input.get(), what_.input.data() + typed_, what_.input.size() - typed_);
    if (n > 0) typed_ += static_cast<size_t>(n);
    // A program that does not want it has closed its end.
    if ((n < 0 && errno != EAGAIN && errno != EINTR) || typed_ >= what_.input.size()) child_.input.reset();
  }

  void decide(Moment now) {
    const Wish wish = station_.wish();
    const bool had_ended = exit_.has_value();
    exit_ = station_.ended(child_.pid);
    if (!termination_ && exit_) {
      terminate(now, kGrace);
    } else if (!termination_ && wish != Wish::none) {
      cut_ = Cut::wish;
      terminate(now, grace_of(wish));
    } else if (!termination_ && now >= what_.deadline) {
      cut_ = Cut::deadline;
      terminate(now, kGrace);
    } else if (termination_ && wish > heard_) {
      // Sooner than it was going to be.
      if (grace_of(wish) < kGrace) terminate(now, grace_of(wish));
      heard_ = wish;
    }
    // It looks at every process there is, so not for every byte that comes.
    if (!termination_ || (now < termination_->next() && exit_.has_value() == had_ended)) return;
    const auto state = termination_->step(now);
    if (state == pty::Termination::State::going_on) return;
    if (state == pty::Termination::State::gave_up)
      base::log::say(base::log::Level::error, "{} processes do not end", termination_->survivors());
    gone_ = true;
  }

  void terminate(Moment now, base::Duration grace) {
    heard_ = station_.wish();
    termination_.emplace(pty::Family{::getpid(), 0}, nullptr, now, grace);
  }

  Station& station_;
  const ChildRun& what_;
  Child child_;
  size_t typed_ = 0;
  std::optional<pty::ExitStatus> exit_;
  std::optional<pty::Termination> termination_;
  Wish heard_ = Wish::none;
  Cut cut_ = Cut::none;
  bool gone_ = false;
};

}  // namespace

Result<ChildEnd> run_child(Station& station, const ChildRun& run) {
  auto child = start_child(run.command, run.input.empty() ? ChildInput::none : ChildInput::pipe);
  if (!child) return base::fail(child);
  return Run(station, run, std::move(*child)).finish();
}

}  // namespace loop
