// SPDX-License-Identifier: Apache-2.0
// A session that is a loop: PTY 0 is its runner, with which everything ends, and PTY 1 the agent, which runs
// again and again with a command of its own each time.
#include <algorithm>
#include <utility>

#include "session/session.h"

namespace session {
namespace {

using base::Code;
using base::fail;
using base::Result;

constexpr uint32_t kRunner = 0;
constexpr uint32_t kAgent = 1;

// How often it has been started.
uint32_t runs_of(const Pty& agent) { return agent.about().restarts + 1; }

}  // namespace

bool Session::is_loop() const { return record_.labels.contains(kLoopLabel); }

uint32_t Session::agent_number() const { return is_loop() && ptys_.contains(kAgent) ? kAgent : 0; }

// Again when the keeper is found: the daemon before may not have come to it.
void Session::let_runner_lead() {
  if (!is_loop() || !link_) return;
  next_number_ = std::max(next_number_, kAgent + 1);
  expect(link_->lead(kRunner), [](const Result<pty::KeeperEvent>&) {});
}

bool Session::awaits_next_run(const Pty& pty) const {
  const Pty* runner = this->pty(kRunner);
  return is_loop() && pty.number() == kAgent && link_ && !ending_ && runner != nullptr &&
         runner->state() == PtyState::running;
}

void Session::bury_agent_of_loop() {
  Pty* agent = is_loop() ? pty(kAgent) : nullptr;
  if (agent != nullptr && agent->state() == PtyState::exited) bury(*agent, "the loop has ended");
}

void Session::iterate(uint32_t run, SpawnRequest request, const Done<Pty*>& done) {
  const Pty* runner = pty(kRunner);
  if (!is_loop()) return done(fail(Code::invalid_param, 0, "the session is no loop"));
  if (!link_ || ending_ || ended() || (runner != nullptr && runner->state() != PtyState::running))
    return done(fail(Code::pty_process_exited, 0, "the loop has ended"));
  // A runner may ask before its keeper has told of it.
  if (runner == nullptr) return done(fail(Code::pty_busy, 0, "the loop is being started"));
  if (iterating_) return done(fail(Code::pty_busy, 0, "a run is being started"));
  Pty* agent = pty(kAgent);
  const uint32_t runs = agent != nullptr ? runs_of(*agent) : 0;
  if (run == runs) return done(agent);
  if (run != runs + 1)
    return done(fail(Code::invalid_param, 0, "the next run is " + std::to_string(runs + 1)));
  if (agent == nullptr) {
    iterating_ = true;
    return spawn_at(kAgent, std::move(request), [this, done](Result<uint32_t> number) {
      iterating_ = false;
      if (!number) return done(fail(number));
      done(pty(*number));
    });
  }
  if (agent->state() != PtyState::exited)
    return done(fail(Code::pty_busy, 0, "the run before has not ended"));
  replace(*agent, std::move(request), done);
}

void Session::replace(Pty& agent, SpawnRequest request, const Done<Pty*>& done) {
  awaited_++;
  if (auto kept = reserve(); !kept) {
    awaited_--;
    return done(fail(kept));
  }
  iterating_ = true;
  agent.hand_back();
  const uint32_t asked =
      link_->replace(kAgent, {.size = agent.size(), .command = std::move(request.command)});
  expect(asked, [this, done](Result<pty::KeeperEvent> answer) {
    awaited_--;
    iterating_ = false;
    if (!answer) return done(fail(answer));
    Pty* again = pty(kAgent);
    auto* held = std::get_if<pty::HeldPty>(&answer->what);
    if (held == nullptr) return done(fail(Code::internal, 0, "the keeper of the session talks nonsense"));
    // The runner ended meanwhile, and the keeper with it ends what has started.
    if (again == nullptr || again->state() == PtyState::dead)
      return done(fail(Code::pty_process_exited, 0, "the loop has ended"));
    if (auto taken = again->hold(std::move(*held), Pty::Past::some); !taken) return done(fail(taken));
    again->announce_restarted();
    save(*again);
    publish("pty.started", again);
    done(again);
  });
}

void Session::report(LoopReport report, std::string_view text) {
  report_ = std::move(report);
  Pty* agent = pty(kAgent);
  if (agent != nullptr && agent->state() == PtyState::exited && !text.empty()) agent->announce_note(text);
  Event event{.at = store::wall_now(), .kind = "loop.changed", .session = id(), .name = name()};
  event.loop = report_;
  place_.events.publish(std::move(event));
}

}  // namespace session
