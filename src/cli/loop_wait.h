// SPDX-License-Identifier: Apache-2.0
// Waiting for a loop's session to be as it is wanted, with the daemon that is there or the next one.
#pragma once
#include <functional>
#include <optional>
#include <signal.h>
#include <string>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "wire/client.h"

namespace cli {

// SIGINT and SIGQUIT, held while it lives, as the keys for the runner that they stand for.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int fd() const { return fd_.get(); }
  std::string take() const;

 private:
  sigset_t before_{};
  base::Fd fd_;
};

// Given the session now and whenever something happens to it; null: there is none any more. True ends it.
using Enough = std::function<bool(const wire::json::object* session)>;

// Without a deadline as long as it takes; at the deadline an error (PTY_TIMEOUT). What the signals say goes
// to the runner meanwhile.
base::Result<void> wait_for_loop(wire::Client& client, const std::string& session,
                                 std::optional<base::Duration> deadline, StopSignals* signals,
                                 const Enough& enough);

// Of a session as session.get shows it.
const wire::json::object* pty_of(const wire::json::object& session, int64_t number);
// The runner has ended, or everything has.
bool is_over(const wire::json::object& session);
bool has_ended(const wire::json::object& session);
// As the runner has reported it last; empty before that.
std::string mode_of(const wire::json::object& session);

}  // namespace cli
