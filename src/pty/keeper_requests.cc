// SPDX-License-Identifier: Apache-2.0
// What a holder asks of its keeper. Requests of anyone else are refused.
#include <algorithm>
#include <csignal>
#include <unistd.h>
#include <utility>

#include "base/unix_socket.h"
#include "pty/keeper.h"
#include "pty/probe.h"

namespace pty::keeper {
namespace {

using base::Code;
using base::fail;
using base::Result;
using std::chrono::milliseconds;

constexpr uint32_t kLongestGraceMs = 600'000;
constexpr size_t kRoomInHeld = 256;
constexpr milliseconds kLeaderGrace{5000};

base::Error not_understood() {
  return {Code::invalid_param, 0, "the keeper does not understand this request"};
}
// What a later `held` says of a program must fit into a frame, too.
Result<void> fits_in_held(const Frame& spawn) {
  if (spawn.payload.size() <= kMostPayload - kRoomInHeld) return {};
  return fail(Code::message_too_large, 0, "the arguments and the environment are too long");
}

base::Error no_such_pty() { return {Code::pty_session_not_found, 0, "the keeper has no such terminal"}; }

}  // namespace

void Keeper::obey(Peer& from, const Frame& frame) {
  if (frame.type == Type::hello) return greet(from, frame);
  Result<void> done;
  if (from.serial != holder_) {
    done = fail(Code::pty_access_denied, 0, "only the holder of a keeper may ask it for something");
  } else {
    switch (frame.type) {
      case Type::spawn:
        done = spawn(from, frame);
        break;
      case Type::signal:
        done = deliver_signal(frame);
        break;
      case Type::kill:
        done = kill(from, frame);
        break;
      case Type::forget:
        done = forget(frame);
        break;
      case Type::shutdown:
        done = shut_down(from, frame);
        break;
      case Type::release:
        revival_.release();
        break;
      case Type::respawn:
        done = respawn(from, frame);
        break;
      case Type::replace:
        done = replace(from, frame);
        break;
      case Type::lead:
        done = lead(frame);
        break;
      case Type::look:
        done = look(from, frame);
        break;
      case Type::start_by:
        done = limit_spawn(from, frame);
        break;
      default:
        done = fail(Code::unknown_method, 0, "the keeper does not know this request");
        break;
    }
  }
  if (!done) {
    from.line.send(Type::failed, frame.request, frame.pty, encode(done.error()));
  } else if (frame.type == Type::signal || frame.type == Type::forget || frame.type == Type::release ||
             frame.type == Type::lead || frame.type == Type::start_by) {
    from.line.send(Type::done, frame.request, frame.pty, {});
  }
}

void Keeper::greet(Peer& from, const Frame& frame) {
  auto hello = decode<Hello>(frame.payload);
  base::Error refusal;
  if (!hello || (hello->revive && hello->revive->argv.empty())) {
    refusal = not_understood();
  } else if (hello->version < kOldestVersion) {
    refusal = {Code::version_mismatch, 0, "the keeper speaks a newer protocol"};
  } else if (holder_ != 0 && holder_ != from.serial) {
    refusal = {Code::pty_access_denied, 0, "the session is held already"};
    if (const Peer* holder = peer(holder_)) {
      if (const auto who = base::peer_of(holder->line.fd()))
        refusal.what += " by process " + std::to_string(who->pid);
    }
  } else {
    holder_ = from.serial;
    end_when_alone_ = hello->end_when_alone;
    revival_.held(std::move(hello->revive), clock_.now());
    const auto count =
        std::count_if(slots_.begin(), slots_.end(), [](const Slot& each) { return !!each.pty; });
    from.line.send(Type::welcome, frame.request, 0,
                   encode(Welcome{std::min(kVersion, hello->version), number_outside(::getpid()),
                                  static_cast<uint32_t>(count), options_.session}));
    if (options_.cage) from.line.send(Type::confined, 0, 0, encode(Confined{options_.cage->missing()}));
    for (uint32_t number = 0; number < kMostPtys; number++) {
      if (!slots_[number].pty) continue;
      slots_[number].pty->stop_draining();
      send_held(from.line, 0, number);
    }
    return;
  }
  from.line.send(Type::failed, frame.request, 0, encode(refusal));
}

Result<void> Keeper::limit_spawn(Peer& from, const Frame& frame) {
  const auto request = decode<StartBy>(frame.payload);
  if (!request) return std::unexpected(not_understood());
  from.start_by = request->moment;
  return {};
}

Result<void> Keeper::spawn(Peer& from, const Frame& frame) {
  const auto start_by = std::exchange(from.start_by, {});
  auto request = decode<Spawn>(frame.payload);
  if (!request || frame.pty >= kMostPtys) return std::unexpected(not_understood());
  if (start_by && clock_.now() > *start_by)
    return fail(Code::pty_timeout, 0, "the keeper of the session was asked too long ago");
  if (slots_[frame.pty].pty) return fail(Code::invalid_param, 0, "the keeper has a terminal of that number");
  if (shutdown_ || leader_has_ended()) return fail(Code::pty_spawn_failed, 0, "the session is ending");
  if (auto fits = fits_in_held(frame); !fits) return fail(fits);
  auto pty = KeptPty::start(options_.session, frame.pty, std::move(*request),
                            {.journals = options_.doors.journals(),
                             .ready_journal = options_.ready_journal,
                             .groups = options_.groups.get(),
                             .confinement = options_.cage.get()},
                            wall());
  if (!pty) return fail(pty);
  slots_[frame.pty] = Slot{.pty = std::move(*pty), .termination = {}, .killer = {}, .leads = false};
  send_held(from.line, frame.request, frame.pty);
  return {};
}

Result<void> Keeper::deliver_signal(const Frame& frame) {
  const auto request = decode<Signal>(frame.payload);
  if (!request || request->signo < 1 || request->signo >= NSIG) return std::unexpected(not_understood());
  Slot* each = slot(frame.pty);
  if (each == nullptr) return std::unexpected(no_such_pty());
  if (request->to == Signal::To::foreground) return signal_foreground(each->pty->master(), request->signo);
  // Not reaped yet, so that the number is still its own.
  if (each->pty->exit() || ::kill(each->pty->pid(), request->signo) != 0)
    return fail(Code::pty_process_exited, 0, "the program has ended");
  return {};
}

Result<void> Keeper::kill(Peer& from, const Frame& frame) {
  const auto request = decode<Grace>(frame.payload);
  if (!request) return std::unexpected(not_understood());
  Slot* each = slot(frame.pty);
  if (each == nullptr) return std::unexpected(no_such_pty());
  const milliseconds grace{std::min(request->milliseconds, kLongestGraceMs)};
  // With no other program left in the session, all that is left belongs to this one.
  const bool last = std::none_of(slots_.begin(), slots_.end(), [&](const Slot& other) {
    return &other != each && other.pty && !other.pty->exit();
  });
  const bool everyone = last || (each->leads && each->pty->exit());
  Family family{::getpid(), everyone ? 0 : each->pty->pid(), environment_marks(options_.session, frame.pty)};
  each->termination.emplace(std::move(family), each->pty->group(), clock_.now(), grace);
  each->killer = {from.serial, frame.request};
  return {};
}

Result<void> Keeper::forget(const Frame& frame) {
  Slot* each = slot(frame.pty);
  if (each == nullptr) return std::unexpected(no_such_pty());
  if (!each->pty->exit()) return fail(Code::invalid_param, 0, "the program still runs");
  // The holder has copies of the master, so that closing this one would not end the watching.
  watch_master(frame.pty, false);
  *each = Slot{};
  return {};
}

Result<void> Keeper::may_run_again(uint32_t number) {
  const Slot* each = slot(number);
  if (each == nullptr) return std::unexpected(no_such_pty());
  if (!each->pty->exit()) return fail(Code::invalid_param, 0, "the program still runs");
  // A termination under way would take the new program for one of the old one's.
  if (shutdown_ || each->termination || leader_has_ended())
    return fail(Code::pty_spawn_failed, 0, "the processes of the terminal are being ended");
  watch_master(number, false);
  return {};
}

Result<void> Keeper::respawn(Peer& from, const Frame& frame) {
  const auto request = decode<Respawn>(frame.payload);
  if (!request) return std::unexpected(not_understood());
  if (auto may = may_run_again(frame.pty); !may) return fail(may);
  if (auto done = slots_[frame.pty].pty->respawn(request->size, wall()); !done) return fail(done);
  send_held(from.line, frame.request, frame.pty);
  return {};
}

Result<void> Keeper::replace(Peer& from, const Frame& frame) {
  auto request = decode<Spawn>(frame.payload);
  if (!request) return std::unexpected(not_understood());
  if (auto fits = fits_in_held(frame); !fits) return fail(fits);
  if (auto may = may_run_again(frame.pty); !may) return fail(may);
  if (auto done = slots_[frame.pty].pty->replace(options_.session, frame.pty, std::move(*request), wall());
      !done)
    return fail(done);
  send_held(from.line, frame.request, frame.pty);
  return {};
}

Result<void> Keeper::lead(const Frame& frame) {
  Slot* each = slot(frame.pty);
  if (each == nullptr) return std::unexpected(no_such_pty());
  each->leads = true;
  if (each->pty->exit()) end_with(*each);
  return {};
}

// Everyone below the keeper goes, whoever started them. The keeper stays: how they ended is still to be told.
void Keeper::end_with(Slot& leader) {
  if (shutdown_) return;
  leader.termination.emplace(Family{::getpid(), 0}, nullptr, clock_.now(), kLeaderGrace);
}

bool Keeper::leader_has_ended() const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [](const Slot& each) { return each.leads && each.pty && each.pty->exit(); });
}

Result<void> Keeper::shut_down(Peer& from, const Frame& frame) {
  const auto request = decode<Grace>(frame.payload);
  if (!request) return std::unexpected(not_understood());
  start_shutdown({from.serial, frame.request},
                 milliseconds(std::min(request->milliseconds, kLongestGraceMs)));
  return {};
}

Result<void> Keeper::look(Peer& from, const Frame& frame) {
  if (!frame.payload.empty()) return std::unexpected(not_understood());
  const Slot* each = slot(frame.pty);
  if (each == nullptr) return std::unexpected(no_such_pty());
  Look found = Probe(each->pty->master(), each->pty->pid()).look();
  for (pid_t* number : {&found.group, &found.reader, &found.thread}) *number = number_outside(*number);
  from.line.send(Type::looked, frame.request, frame.pty, encode(found));
  return {};
}

void Keeper::start_shutdown(Asker asker, base::Duration grace) {
  shutdown_.emplace(Family{::getpid(), 0}, nullptr, clock_.now(), grace);
  shutdown_asker_ = asker;
}

void Keeper::send_held(Connection& to, uint32_t request, uint32_t number) {
  const KeptPty& pty = *slots_[number].pty;
  Held about = pty.describe();
  about.pid = number_outside(about.pid);
  to.send(Type::held, request, number, encode(about), pty.descriptors());
}

// A holder is outside, and knows processes by other numbers than a keeper in a sandbox.
int32_t Keeper::number_outside(pid_t pid) const {
  return options_.cage && pid > 0 ? options_.cage->number_outside(pid) : pid;
}

}  // namespace pty::keeper
