// SPDX-License-Identifier: Apache-2.0
#include "session/session.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <utility>

#include "base/log.h"
#include "session/fault_points.h"

namespace session {
namespace {

using base::Code;
using base::fail;
using base::Result;
using base::log::Level;

constexpr std::chrono::seconds kGrace{5};
constexpr std::chrono::seconds kPatience{20};  // sooner than a client gives up waiting for the daemon
constexpr std::chrono::seconds kAgain{1};
constexpr size_t kDescriptorsOfPty = 4;

base::Error no_answer(Code code) { return {code, 0, "the keeper of the session does not answer"}; }

}  // namespace

Session::Session(Place& place, store::SessionRecord record, const SessionSettings& settings, Ended ended)
    : place_(place),
      record_(std::move(record)),
      settings_(settings),
      ended_(std::move(ended)),
      earlier_timer_(place.loop, [this] { forget_earlier(nullptr, "cancelled"); }),
      restarts_(settings.restart_delay),
      restart_timer_(place.loop, [this] { respawn(0); }),
      save_timer_(place.loop, [this] { save_end(); }) {}

Session::~Session() {
  // The pumps stop before the link goes: with the link the PTYs are the keeper's again.
  for (auto& [number, each] : ptys_) each->hand_back();
}

Pty* Session::pty(uint32_t number) const {
  const auto found = ptys_.find(number);
  return found != ptys_.end() ? found->second.get() : nullptr;
}

base::Duration Session::patience() const {
  return std::min<base::Duration>(settings_.supervision.task_timeout, kPatience);
}

base::Error Session::lacks(uint32_t number) const {
  if (seeks_keeper()) return out_of_reach();
  return {Code::pty_session_not_found, 0,
          "session '" + name() + "' has no PTY " + std::to_string(number) + "; tend status lists them"};
}

base::Error Session::out_of_reach() const {
  return {Code::pty_busy, 0,
          "the keeper of session '" + name() +
              "' does not answer; its programs run on, and can be reached again when it does"};
}

Result<void> Session::launch() {
  std::string plan;
  if (settings_.sandbox.enabled) {
    auto made = make_plan(settings_.sandbox, record_, place_.sandbox);
    if (!made) return fail(made);
    plan = sandbox::encode(*made);
  }
  auto link = place_.keepers.start(id(), plan);
  if (!link) return fail(link);
  adopt(std::move(*link));
  return {};
}

void Session::find_keeper(Done<void> found) {
  // One that has ended must not end the session before the others are there.
  adopting_ = true;
  auto link = place_.keepers.connect(id());
  if (!link) return found(fail(link));
  seeking_.emplace(std::move(found));
  adopt(std::move(*link));
}

void Session::seek(pty::KeeperEvent event) {
  if (auto* error = std::get_if<base::Error>(&event.what);
      error != nullptr && (event.request == 0 || event.request == pty::KeeperLink::kHello))
    return keeper_lost(*error);
  if (const auto* welcome = std::get_if<pty::keeper::Welcome>(&event.what))
    seeking_->ptys = welcome->ptys;
  else if (auto* held = std::get_if<pty::HeldPty>(&event.what); held != nullptr && event.request == 0)
    take_found(event.pty, std::move(*held));
  else
    seeking_->later.push_back(std::move(event));
  if (seeking_->taken == seeking_->ptys) keeper_found();
}

void Session::take_found(uint32_t number, pty::HeldPty held) {
  seeking_->taken++;
  if (auto done = take(number, std::move(held), Pty::Past::some); !done) {
    base::log::say(Level::error, "session {}: PTY {}: {}", id(), number, done.error().message());
    desks_.erase(number);
    ptys_.erase(number);
    seeking_->failed = done.error();
  }
}

void Session::keeper_found() {
  Seeking sought = std::move(*std::exchange(seeking_, {}));
  if (ptys_.empty() && sought.failed) {
    watch_.reset();
    link_.reset();
    return sought.found(std::unexpected(*sought.failed));
  }
  for (pty::KeeperEvent& each : sought.later) handle(std::move(each));
  adopting_ = false;
  await_earlier();
  let_runner_lead();
  if (const Pty* runner = pty(0); runner != nullptr && runner->state() == PtyState::dead)
    bury_agent_of_loop();
  if (!ptys_.empty()) end_if_over();
  sought.found({});
}

void Session::adopt(pty::KeeperLink link) {
  link_.emplace(std::move(link));
  watch_ = std::make_unique<event::Watch>(place_.loop, link_->fd(), [this](event::Ready) { hear_keeper(); });
  watch_keeper();
}

void Session::watch_keeper() {
  if (watch_ && link_) watch_->want({.input = true, .output = link_->wants_output()});
}

std::unique_ptr<Pty> Session::make_pty(uint32_t number, pty::Size size) {
  next_number_ = std::max(next_number_, number + 1);
  PtyOwner& self = *this;
  return std::make_unique<Pty>(place_.loop, self,
                               PtyOptions{.number = number,
                                          .base = place_.keepers.output_of(id(), number),
                                          .resize = settings_.resize,
                                          .scrollback_rows = settings_.scrollback_rows,
                                          .size = size,
                                          .attentiveness = settings_.attentiveness,
                                          .supervision = settings_.supervision});
}

Result<void> Session::take(uint32_t number, pty::HeldPty held, Pty::Past past) {
  auto& each = ptys_[number];
  if (!each) each = make_pty(number, held.size);
  return each->hold(std::move(held), past);
}

void Session::expect(uint32_t request, Answer answer) {
  expected_[request] = std::move(answer);
  link_->flush();
  watch_keeper();
}

Result<void> Session::reserve() {
  while (reserved_.size() < awaited_ * kDescriptorsOfPty) {
    base::Fd spare(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!spare)
      return fail(Code::pty_spawn_failed, errno,
                  "no descriptors are left; close some clients, or raise the limit (ulimit -n)");
    reserved_.push_back(std::move(spare));
  }
  return {};
}

void Session::hear_keeper() {
  reserved_.clear();
  link_->flush();
  while (link_) {
    auto event = link_->next();
    if (!event) return keeper_lost(event.error());
    if (!*event) break;
    handle(std::move(**event));
  }
  [[maybe_unused]] const auto kept = reserve();
  watch_keeper();
}

void Session::handle(pty::KeeperEvent event) {
  if (seeking_) return seek(std::move(event));
  if (const auto found = expected_.find(event.request); event.request != 0 && found != expected_.end()) {
    const Answer answer = std::move(found->second);
    expected_.erase(found);
    if (auto* error = std::get_if<base::Error>(&event.what))
      return answer(std::unexpected(std::move(*error)));
    return answer(std::move(event));
  }
  // An error that answers nothing we wait for: the keeper could not start, or refused us.
  if (const auto* error = std::get_if<base::Error>(&event.what)) return keeper_lost(*error);
  if (auto* confined = std::get_if<pty::keeper::Confined>(&event.what))
    sandbox_missing_ = std::move(confined->missing);
  if (const auto* exit = std::get_if<pty::ExitStatus>(&event.what)) {
    if (Pty* each = pty(event.pty)) each->program_ended(*exit);
  }
}

void Session::keeper_lost(const base::Error& error) {
  watch_.reset();
  link_.reset();
  auto unanswered = std::exchange(expected_, {});
  for (auto& [request, answer] : unanswered) answer(std::unexpected(error));
  // Who seeks it hears why, and may look again.
  if (seeking_) {
    const Seeking sought = std::move(*std::exchange(seeking_, {}));
    return sought.found(std::unexpected(error));
  }
  if (!ended()) base::log::say(Level::warning, "session {}: {}", id(), error.message());
  // Without its keeper a program that has not been reported is lost sight of: nobody knows how it ends.
  for (auto& [number, each] : ptys_) {
    each->conclude();
    if (each->state() == PtyState::dead) continue;
    bury(*each, "the keeper of the session has gone");
  }
}

void Session::spawn(SpawnRequest request, const Done<uint32_t>& done) {
  // Nobody knows which numbers are taken.
  if (seeks_keeper()) return done(std::unexpected(out_of_reach()));
  if (!link_ || ending_ || ended()) return done(fail(Code::pty_process_exited, 0, "the session has ended"));
  if (next_number_ >= pty::keeper::kMostPtys)
    return done(fail(Code::pty_spawn_failed, 0, "the session has had 64 PTYs, and there are no more"));
  // Whatever it was (a full disk, a keeper that went): what the caller asked for did not start.
  spawn_at(next_number_, std::move(request), [done](Result<uint32_t> spawned) {
    if (!spawned && spawned.error().code == Code::internal) spawned.error().code = Code::pty_spawn_failed;
    done(std::move(spawned));
  });
}

void Session::spawn_at(uint32_t number, SpawnRequest request, const Done<uint32_t>& done) {
  awaited_++;
  if (auto kept = reserve(); !kept) {
    awaited_--;
    return done(fail(kept));
  }
  next_number_ = std::max(next_number_, number + 1);
  add_proxy(settings_.sandbox, request.command.env);
  // What has been said not to start must not start later.
  const base::Duration within = patience();
  const auto asked = std::make_shared<Asked>(place_.loop, within, no_answer(Code::pty_spawn_failed), done);
  expect(link_->start_by(base::RealClock().now() + within), [](const Result<pty::KeeperEvent>&) {});
  const uint32_t spawned = link_->spawn(number, {.size = request.size,
                                                 .journal_capacity = settings_.journal_bytes,
                                                 .command = std::move(request.command)});
  expect(spawned, [this, number, asked](Result<pty::KeeperEvent> answer) {
    awaited_--;
    if (!answer) return asked->tell(fail(answer));
    auto* held = std::get_if<pty::HeldPty>(&answer->what);
    if (held == nullptr)
      return asked->tell(fail(Code::internal, 0, "the keeper of the session talks nonsense"));
    // It was begun in time and took long, or the keeper knows no time.
    if (asked->is_told()) return take_back(number);
    if (auto taken = take(number, std::move(*held), Pty::Past::none); !taken) return asked->tell(fail(taken));
    save(*ptys_[number]);
    publish("pty.started", ptys_[number].get());
    if (number == 0) let_runner_lead();
    asked->tell(number);
  });
}

void Session::take_back(uint32_t number) {
  expect(link_->kill(number, kGrace), [this, number](const Result<pty::KeeperEvent>&) {
    if (link_ && !ending_) expect(link_->forget(number), [](const Result<pty::KeeperEvent>&) {});
  });
}

void Session::exited(Pty& pty) {
  save(pty);
  publish("pty.exited", &pty);
  const bool next_run = awaits_next_run(pty);
  pty.announce_exit(next_run ? Pty::Farewell::silent : Pty::Farewell::told);
  if (next_run) return;
  const bool asked = restart_wanted_.contains(pty.number());
  const bool automatic = pty.number() == 0 && settings_.auto_restart && !pty.killed();
  if (ending_ || !link_ || (!asked && !automatic)) return bury(pty, "the program has ended");
  std::chrono::milliseconds delay{0};
  if (!asked) {
    const auto lived = std::chrono::system_clock::now() - pty.about().spawned_at;
    delay = restarts_.after_exit(std::max<base::Duration>(lived, base::Duration(0)));
  }
  pty.announce_restart(delay);
  publish("pty.restarting", &pty, delay.count());
  // On request it comes back when all that the old one left behind has gone: see restart().
  if (!asked) restart_timer_.set_after(delay);
}

// Nobody can see what its program does, or tell it anything. Later: whoever calls is in the middle of it.
void Session::unserved(Pty& pty, std::string_view why) {
  store::AuditEntry entry;
  entry.at = store::wall_now();
  entry.session = id();
  entry.pty = pty.number();
  entry.action = "unserved";
  entry.agent = entry.channel = "daemon";
  entry.summary = why;
  place_.store.append(std::move(entry));
  place_.loop.post([this, number = pty.number(), why = std::string(why), life = std::weak_ptr(life_)] {
    Pty* each = life.expired() ? nullptr : this->pty(number);
    if (each == nullptr || each->state() == PtyState::dead) return;
    base::log::say(Level::error, "session {} ends: PTY {}: {}", id(), number, why);
    each->announce_note(why);
    kill(kGrace, [](const Result<uint32_t>&) {});
    bury(*each, why);
  });
}

void Session::want_look(Pty& pty) {
  if (!link_ || stalls(Stall::probe)) return;
  const uint32_t number = pty.number();
  expect(link_->look(number), [this, number](Result<pty::KeeperEvent> answer) {
    Pty* each = this->pty(number);
    if (each == nullptr) return;
    if (!answer) return each->looked(fail(answer));
    if (const auto* look = std::get_if<pty::Look>(&answer->what)) each->looked(*look);
  });
}

void Session::respawn(uint32_t number) {
  Pty* each = pty(number);
  if (each == nullptr || !link_ || each->state() != PtyState::restarting) return;
  awaited_++;
  if (auto kept = reserve(); !kept) {
    awaited_--;
    base::log::say(Level::warning, "session {}: {}", id(), kept.error().message());
    if (number != 0) return bury(*each, kept.error().message());
    restart_timer_.set_after(std::max<base::Duration>(settings_.restart_delay, kAgain));
    return;
  }
  each->hand_back();
  expect(link_->respawn(number, each->size()), [this, number](Result<pty::KeeperEvent> answer) {
    awaited_--;
    Pty* again = pty(number);
    if (again == nullptr) return;
    Done<void> done;
    if (const auto found = restart_wanted_.find(number); found != restart_wanted_.end()) {
      done = std::move(found->second);
      restart_wanted_.erase(found);
    }
    auto* held = answer ? std::get_if<pty::HeldPty>(&answer->what) : nullptr;
    // Killed while it was being started: what has started goes.
    if (again->state() == PtyState::dead) {
      if (held != nullptr && link_ && !ending_)
        expect(link_->kill(number, kGrace), [](const Result<pty::KeeperEvent>&) {});
      if (done) done(fail(Code::pty_process_exited, 0, "killed"));
      return;
    }
    Result<void> result;
    if (held == nullptr)
      result = answer ? Result<void>(fail(Code::internal, 0, "the keeper of the session talks nonsense"))
                      : fail(answer);
    else
      result = again->hold(std::move(*held), Pty::Past::some);
    if (result) {
      again->announce_restarted();
      save(*again);
      publish("pty.started", again);
    } else {
      base::log::say(Level::warning, "session {}: cannot start the program again: {}", id(),
                     result.error().message());
      if (number == 0 && settings_.auto_restart && link_)
        restart_timer_.set_after(restarts_.after_exit(base::Duration(0)));
      else
        bury(*again, result.error().message());
    }
    if (done) done(std::move(result));
  });
}

void Session::restart(uint32_t number, Done<void> done) {
  Pty* each = pty(number);
  if (each == nullptr) return done(fail(Code::pty_session_not_found, 0, "the session has no such PTY"));
  if (!link_ || ending_ || ended())
    return done(fail(Code::pty_process_exited, 0, "the session has ended; start it anew with tend run"));
  if (restart_wanted_.contains(number))
    return done(fail(Code::invalid_param, 0, "it is being restarted already"));
  restart_wanted_[number] = std::move(done);
  switch (each->state()) {
    case PtyState::running:
    case PtyState::exited:
      kills_.insert(number);
      expect(link_->kill(number, kGrace), [this, number](const Result<pty::KeeperEvent>&) {
        kills_.erase(number);
        if (Pty* ended = pty(number)) ended->conclude();
        if (restart_wanted_.contains(number)) return respawn(number);
        forget_if_dead(number);
        let_keeper_go();
      });
      break;
    case PtyState::restarting:
      restart_timer_.cancel();
      respawn(number);
      break;
    case PtyState::dead:
      each->announce_restart(std::chrono::milliseconds(0));
      respawn(number);
      break;
  }
}

void Session::kill_pty(uint32_t number, base::Duration grace, const Done<uint32_t>& done) {
  Pty* each = pty(number);
  if (each == nullptr) return done(fail(Code::pty_session_not_found, 0, "the session has no such PTY"));
  if (!link_ || each->state() == PtyState::dead)
    return done(fail(Code::pty_process_exited, 0, "the program has ended already"));
  each->mark_killed();
  if (each->state() == PtyState::restarting) {
    restart_timer_.cancel();
    bury(*each, "killed");
    return done(0U);
  }
  kills_.insert(number);
  const auto asked =
      std::make_shared<Asked>(place_.loop, grace + patience(), no_answer(Code::pty_timeout), done);
  expect(link_->kill(number, grace), [this, number, asked](Result<pty::KeeperEvent> answer) {
    kills_.erase(number);
    if (Pty* killed = pty(number)) killed->conclude();
    forget_if_dead(number);
    let_keeper_go();
    if (!answer) return asked->tell(fail(answer));
    const auto* gone = std::get_if<pty::keeper::Gone>(&answer->what);
    asked->tell(gone != nullptr ? gone->survivors : 0U);
  });
}

void Session::kill(base::Duration grace, const Done<uint32_t>& done) {
  if (!link_ && seeks_keeper()) return done(std::unexpected(out_of_reach()));
  if (!link_ || ended()) return done(fail(Code::pty_process_exited, 0, "the session has ended already"));
  ending_ = true;
  restart_timer_.cancel();
  for (auto& [number, each] : ptys_) {
    each->mark_killed();
    if (each->state() == PtyState::restarting) bury(*each, "killed");
  }
  if (!link_) return done(0U);
  const auto asked =
      std::make_shared<Asked>(place_.loop, grace + patience(), no_answer(Code::pty_timeout), done);
  expect(link_->shut_down(grace), [this, asked](Result<pty::KeeperEvent> answer) {
    if (!answer) return asked->tell(fail(answer));
    for (auto& [number, each] : ptys_) each->conclude();
    const auto* gone = std::get_if<pty::keeper::Gone>(&answer->what);
    asked->tell(gone != nullptr ? gone->survivors : 0U);
  });
}

void Session::release() {
  if (!link_) return;
  for (auto& [number, each] : ptys_) {
    if (each->state() != PtyState::dead) each->save_screen();
    each->hand_back();
  }
  expect(link_->release(), [](const Result<pty::KeeperEvent>&) {});
}

}  // namespace session
