// SPDX-License-Identifier: Apache-2.0
#include "loop/station.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>
#include <vector>

namespace loop {
namespace {

using base::Moment;
using std::chrono::milliseconds;

constexpr int64_t kLongestPollMs = 24L * 3600 * 1000;

int timeout(std::optional<Moment> until, Moment now) {
  if (!until) return -1;
  const auto left = std::chrono::ceil<milliseconds>(*until - now).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, kLongestPollMs));
}

}  // namespace

Station::Station(Signals signals, DaemonLine::Connect connect)
    : signals_(std::move(signals)), line(std::move(connect), clock_), printer(STDOUT_FILENO) {}

base::Result<void> Station::wait(std::optional<Moment> until, std::span<pollfd> more) {
  // What the caller has asked since it was here last goes out first, and may be answered already.
  line.turn();
  printer.flush();
  if (line.take_news()) until = now();
  if (const auto due = line.due()) until = until ? std::min(*until, *due) : *due;
  std::vector<pollfd> all(more.begin(), more.end());
  all.push_back({signals_.fd(), POLLIN, 0});
  all.push_back(line.wanted());
  all.push_back({printer.waiting() ? printer.fd() : -1, POLLOUT, 0});
  if (::poll(all.data(), all.size(), timeout(until, now())) < 0) {
    if (errno != EINTR) return base::fail(base::Code::internal, errno, "cannot wait");
    for (pollfd& each : all) each.revents = 0;
  }
  std::copy_n(all.begin(), more.size(), more.begin());
  const Signals::Heard heard = signals_.take();
  if (heard.wish > wish_) {
    wish_ = heard.wish;
    wished_at_ = now();
  }
  if (heard.child) {
    while (const auto ended = pty::wait_any()) {
      if (const auto found = children_.find(ended->pid); found != children_.end())
        found->second = ended->status;
    }
  }
  line.turn();
  printer.flush();
  // The caller looks at all of it now.
  (void)line.take_news();
  return {};
}

std::optional<pty::ExitStatus> Station::ended(pid_t child) const {
  const auto found = children_.find(child);
  return found != children_.end() ? found->second : std::nullopt;
}

}  // namespace loop
