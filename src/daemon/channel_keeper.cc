// SPDX-License-Identifier: Apache-2.0
#include "daemon/channel_keeper.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "base/log.h"
#include "daemon/channel_process.h"

namespace host {
namespace {

using base::Code;
using base::Result;
using base::log::Level;

constexpr std::chrono::minutes kLongLife{10};  // then the count of restarts begins anew
constexpr std::chrono::seconds kTestDeadline{30};
constexpr std::array<std::string_view, 3> kNames = {"slack", "telegram", "webhook"};

std::vector<std::string> kinds_in(const config::Channels& channels) {
  std::vector<std::string> kinds;
  if (channels.slack.bot_token_file || !channels.slack.allowed_users.empty()) kinds.emplace_back("slack");
  if (channels.telegram.token_file || !channels.telegram.allowed_users.empty())
    kinds.emplace_back("telegram");
  if (channels.webhook.url || channels.webhook.listen) kinds.emplace_back("webhook");
  return kinds;
}

}  // namespace

bool is_channel_name(std::string_view name) {
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

struct ChannelKeeper::Kept {
  Kept(event::Loop& loop, std::string of, const std::function<void(Kept&)>& stalled,
       const std::function<void(Kept&)>& again)
      : kind(std::move(of)),
        patience(loop, [this, stalled] { stalled(*this); }),
        pause(loop, [this, again] { again(*this); }) {}

  std::string kind;
  std::string state = "starting";
  std::string detail = {};
  int64_t restarts = 0;
  ChannelProcess process = {};
  std::unique_ptr<event::Watch> watch = {};
  std::optional<base::Moment> alive_since = {};
  Tell tell = {};
  event::Timer patience;  // until it must have given a sign of life
  event::Timer pause;     // before it is started again
};

struct ChannelKeeper::Test {
  Test(event::Loop& loop, std::string of, Tested then, std::function<void()> late)
      : kind(std::move(of)), done(std::move(then)), deadline(loop, std::move(late)) {
    deadline.set_after(kTestDeadline);
  }
  std::string kind;
  Tested done;
  event::Timer deadline;
};

ChannelKeeper::ChannelKeeper(event::Loop& loop, ChannelOptions options)
    : loop_(loop), options_(std::move(options)) {}

ChannelKeeper::~ChannelKeeper() {
  for (const auto& [kind, kept] : kept_) stop(*kept);
}

void ChannelKeeper::reload() {
  const config::Config settings = options_.settings();
  limits_ = settings.supervision;
  const auto wanted = kinds_in(settings.channels);
  std::erase_if(kept_, [&](const auto& each) {
    stop(*each.second);
    return std::find(wanted.begin(), wanted.end(), each.first) == wanted.end();
  });
  for (const std::string& kind : wanted) {
    auto& kept = kept_[kind];
    if (!kept)
      kept = std::make_unique<Kept>(
          loop_, kind, [this](Kept& which) { stalled(which); }, [this](Kept& which) { start(which); });
    kept->restarts = 0;
    start(*kept);
  }
}

void ChannelKeeper::start(Kept& kept) {
  kept.alive_since.reset();
  kept.state = "starting";
  kept.detail.clear();
  auto started = options_.program
                     ? start_channel(*options_.program, kept.kind,
                                     fmt::format("{}/channel-{}.log", options_.log_folder, kept.kind))
                     : Result<ChannelProcess>(std::unexpected(options_.program.error()));
  if (!started) {
    kept.detail = started.error().message();
    return ended(kept);
  }
  kept.process = std::move(*started);
  kept.watch = std::make_unique<event::Watch>(loop_, kept.process.process.get(), [this, &kept](event::Ready) {
    if (kept.detail.empty() || kept.state == "good") kept.detail = "it ended by itself";
    ended(kept);
  });
  kept.watch->want({.input = true});
  kept.patience.set_after(limits_.task_timeout);
}

// Whatever it is about: it holds nothing that must be put away.
void ChannelKeeper::stop(Kept& kept) {
  kept.patience.cancel();
  kept.pause.cancel();
  kept.watch.reset();
  kept.tell = {};
  if (kept.process.process) ::syscall(SYS_pidfd_send_signal, kept.process.process.get(), SIGKILL, nullptr, 0);
  kept.process = {};
}

void ChannelKeeper::stalled(Kept& kept) {
  kept.detail = fmt::format("it gave no sign of life for {} s", limits_.task_timeout.count());
  ended(kept);
}

void ChannelKeeper::ended(Kept& kept) {
  if (kept.alive_since && clock_.now() - *kept.alive_since >= kLongLife) kept.restarts = 0;
  stop(kept);
  if (kept.restarts >= limits_.max_task_restarts) {
    kept.state = "given up";
    base::log::say(Level::error, "the channel {} is given up: {}", kept.kind, kept.detail);
    return;
  }
  kept.restarts++;
  kept.state = "restarting";
  base::log::say(Level::warning, "the channel {} is started again: {}", kept.kind, kept.detail);
  kept.pause.set_after(limits_.restart_delay);
}

std::optional<std::string> ChannelKeeper::kind_of(pid_t pid) const {
  for (const auto& [kind, kept] : kept_)
    if (kept->process.pid != 0 && kept->process.pid == pid) return kind;
  return {};
}

void ChannelKeeper::reported(std::string_view kind, std::string state, std::string detail, Tell tell) {
  const auto found = kept_.find(kind);
  if (found == kept_.end() || !found->second->watch) return;
  Kept& kept = *found->second;
  if (!kept.alive_since) kept.alive_since = clock_.now();
  kept.state = std::move(state);
  kept.detail = std::move(detail);
  kept.tell = std::move(tell);
  kept.patience.set_after(limits_.task_timeout);
}

void ChannelKeeper::test(std::string_view kind, Tested done) {
  const auto found = kept_.find(kind);
  if (found == kept_.end())
    return done(
        base::fail(Code::invalid_param, 0,
                   fmt::format("there is no channel {}; 'tend channel add {}' sets it up", kind, kind)));
  const Kept& kept = *found->second;
  if (!kept.tell)
    return done(base::fail(
        Code::internal, 0,
        kept.detail.empty() ? "it is " + kept.state : fmt::format("it is {}: {}", kept.state, kept.detail)));
  const int64_t number = ++last_test_;
  tests_[number] = std::make_unique<Test>(loop_, std::string(kind), std::move(done), [this, number] {
    loop_.post([this, number] {
      if (const auto test = tests_.find(number); test != tests_.end())
        tested(std::string(test->second->kind), number,
               base::fail(Code::pty_timeout, 0, "nothing came of it in time"));
    });
  });
  kept.tell("channel.try", number);
}

void ChannelKeeper::tested(std::string_view kind, int64_t number, Result<std::string> result) {
  const auto found = tests_.find(number);
  if (found == tests_.end() || found->second->kind != kind) return;
  const auto test = std::move(found->second);
  tests_.erase(found);
  test->done(std::move(result));
}

std::vector<ChannelStatus> ChannelKeeper::list() const {
  std::vector<ChannelStatus> all;
  all.reserve(kept_.size());
  for (const auto& [kind, kept] : kept_)
    all.push_back({.kind = kind,
                   .state = kept->state,
                   .detail = kept->detail,
                   .pid = kept->process.pid,
                   .restarts = kept->restarts});
  return all;
}

std::vector<std::string> ChannelKeeper::degraded() const {
  std::vector<std::string> lines;
  for (const auto& [kind, kept] : kept_) {
    if (kept->state == "starting" || kept->state == "good") continue;
    lines.push_back(fmt::format("the channel {} is {}{}{}", kind, kept->state,
                                kept->detail.empty() ? "" : ": ", kept->detail));
  }
  return lines;
}

}  // namespace host
