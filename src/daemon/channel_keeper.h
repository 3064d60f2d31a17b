// SPDX-License-Identifier: Apache-2.0
// ChannelKeeper: the processes that carry prompts to people and answers back, `tend-channel KIND`, one for
// each kind that the user's settings have. It starts them, hears their signs of life, and ends one that gives
// none for supervision.task_timeout_seconds. One that has ended is started again after a pause, at most
// max_task_restarts times (counted anew after ten minutes of life), and then given up. They hold no terminal,
// and nothing waits for them: whatever a channel does, sessions do not notice.
//
//   starting --report--> good, troubled --no sign of life, or its end--> restarting --> starting
//                                                          restarting --once too often--> given up
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "config/config.h"
#include "event/loop.h"

namespace host {

struct ChannelOptions {
  base::Result<std::string> program;  // tend-channel, or why there is none
  std::string log_folder;
  std::function<config::Config()> settings;  // read anew by each reload()
};

struct ChannelStatus {
  std::string kind;
  std::string state;   // starting, good, troubled, restarting, given up
  std::string detail;  // for a person
  pid_t pid = 0;       // 0: none
  int64_t restarts = 0;
};

// The names that only channels may call themselves.
bool is_channel_name(std::string_view name);

class ChannelKeeper {
 public:
  ChannelKeeper(event::Loop& loop, ChannelOptions options);
  ~ChannelKeeper();
  ChannelKeeper(const ChannelKeeper&) = delete;
  ChannelKeeper& operator=(const ChannelKeeper&) = delete;

  // As the settings are now: what is new is started, what is not wanted any more ended, the rest restarted.
  void reload();

  // The kind of the channel that this process is; nothing for all others.
  std::optional<std::string> kind_of(pid_t pid) const;

  // A sign of life. `tell` sends a notification to the channel.
  using Tell = std::function<void(std::string_view method, int64_t number)>;
  void reported(std::string_view kind, std::string state, std::string detail, Tell tell);

  // A test message through this channel; the result is a line for a person.
  using Tested = std::function<void(base::Result<std::string>)>;
  void test(std::string_view kind, Tested done);
  void tested(std::string_view kind, int64_t number, base::Result<std::string> result);

  std::vector<ChannelStatus> list() const;
  // Lines for `tend status`.
  std::vector<std::string> degraded() const;

 private:
  struct Kept;
  struct Test;

  void start(Kept& kept);
  void stop(Kept& kept);
  void ended(Kept& kept);
  void stalled(Kept& kept);

  event::Loop& loop_;
  ChannelOptions options_;
  config::Supervision limits_;
  base::RealClock clock_;
  std::map<std::string, std::unique_ptr<Kept>, std::less<>> kept_;
  std::map<int64_t, std::unique_ptr<Test>> tests_;
  int64_t last_test_ = 0;
};

}  // namespace host
