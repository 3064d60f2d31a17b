// SPDX-License-Identifier: Apache-2.0
#include "pty/keeper.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "base/unix_socket.h"
#include "pty/detached.h"

namespace pty::keeper {
namespace {

using base::Code;
using base::Fd;
using std::chrono::milliseconds;

// What an event is about: the kind above, a number below. A peer's number is its serial, so that an event for
// one that is closed already finds nobody.
enum class Kind : uint64_t { listener, signals, peer, pty };
constexpr int kKindShift = 56;

uint64_t tag_of(Kind kind, uint64_t number = 0) { return static_cast<uint64_t>(kind) << kKindShift | number; }
Kind kind_of(uint64_t tag) { return static_cast<Kind>(tag >> kKindShift); }
uint64_t number_of(uint64_t tag) { return tag & ((uint64_t{1} << kKindShift) - 1); }

constexpr milliseconds kDefaultGrace{5000};

}  // namespace

base::Result<std::unique_ptr<Keeper>> Keeper::create(Options options) {
  std::unique_ptr<Keeper> keeper(new Keeper(std::move(options)));
  if (auto done = keeper->set_up(); !done) return base::fail(done);
  return keeper;
}

base::Result<void> Keeper::set_up() {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGHUP, SIG_IGN);
  ::signal(SIGINT, SIG_IGN);
  sigset_t handled;
  sigemptyset(&handled);
  sigaddset(&handled, SIGCHLD);
  sigaddset(&handled, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &handled, nullptr);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);

  signals_.reset(::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK));
  epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!signals_ || !epoll_) return base::fail(Code::internal, errno, "cannot make a descriptor");
  watch(EPOLL_CTL_ADD, options_.doors.listener(), EPOLLIN, tag_of(Kind::listener));
  watch(EPOLL_CTL_ADD, signals_.get(), EPOLLIN, tag_of(Kind::signals));
  if (options_.first_peer) add_peer(std::move(options_.first_peer));
  return {};
}

void Keeper::run() {
  while (!ended_) {
    int timeout = -1;
    if (const auto due = next_due()) {
      // Rounded up: a timeout that is a little short would only come round again.
      const auto left = std::chrono::ceil<milliseconds>(*due - clock_.now());
      timeout = static_cast<int>(std::clamp<int64_t>(left.count(), 0, 60'000));
    }
    epoll_event events[16];
    const int count = ::epoll_wait(epoll_.get(), events, 16, timeout);
    for (int i = 0; i < count; i++) handle(events[i].data.u64, events[i].events);
    run_due(clock_.now());
    settle();
  }
  clean_up();
}

void Keeper::clean_up() {
  options_.doors.remove_name();
  if (!end_when_alone_) return;
  for (const Slot& each : slots_) {
    if (each.pty) ::unlinkat(options_.doors.journals(), each.pty->journal_name().c_str(), 0);
  }
}

void Keeper::handle(uint64_t tag, uint32_t events) {
  switch (kind_of(tag)) {
    case Kind::listener:
      accept_one();
      break;
    case Kind::signals:
      reap();
      break;
    case Kind::pty:
      drain(static_cast<uint32_t>(number_of(tag)));
      break;
    case Kind::peer:
      if (Peer* from = peer(number_of(tag))) hear(*from, events);
      break;
  }
}

void Keeper::hear(Peer& from, uint32_t events) {
  if ((events & EPOLLOUT) != 0) from.line.flush();
  if ((events & ~static_cast<uint32_t>(EPOLLOUT)) == 0) return;
  for (const Frame& frame : from.line.receive()) {
    if (!from.line.lost()) obey(from, frame);
  }
}

// After each turn: what is lost is closed, what is watched is what is wanted, and a keeper without purpose
// ends.
void Keeper::settle() {
  close_lost();
  for (auto& each : peers_) {
    if (!each) continue;
    const uint32_t output = each->line.wants_output() ? static_cast<uint32_t>(EPOLLOUT) : 0;
    watch(EPOLL_CTL_MOD, each->line.fd(), EPOLLIN | output, tag_of(Kind::peer, each->serial));
  }
  bool keeps_any = false;
  for (uint32_t number = 0; number < kMostPtys; number++) {
    const Slot& each = slots_[number];
    if (!each.pty) continue;
    keeps_any = true;
    watch_master(number, each.pty->wants_input());
  }
  const bool alone = std::none_of(peers_.begin(), peers_.end(), [](const auto& each) { return !!each; });
  if (!keeps_any && alone && !shutdown_) ended_ = true;
}

void Keeper::run_due(base::Moment now) {
  for (uint32_t number = 0; number < kMostPtys; number++) {
    Slot& each = slots_[number];
    if (!each.pty) continue;
    if (const auto due = each.pty->deadline(); due && now >= *due) drain(number);
    if (!each.termination || now < each.termination->next()) continue;
    if (each.termination->step(now) == Termination::State::going_on) continue;
    reap();  // the holder hears how it ended before it hears that it is gone
    const Gone gone{static_cast<uint32_t>(each.termination->survivors())};
    each.termination.reset();
    answer(std::exchange(each.killer, {}), Type::gone, number, encode(gone));
  }
  if (const auto due = revival_due(); due && now >= *due) {
    // Without its socket nobody finds this keeper any more, and with no program left nobody needs to.
    if (!reachable() && std::none_of(slots_.begin(), slots_.end(),
                                     [](const Slot& each) { return each.pty && !each.pty->exit(); })) {
      ended_ = true;
      return;
    }
    // Whether it started or not, what counts is that somebody says hello; until then it is tried again.
    if (options_.cage)
      options_.cage->start_outside(revival_.command());
    else
      (void)start_detached(revival_.command());
    revival_.tried(now);
  }
  if (!shutdown_ || now < shutdown_->next()) return;
  if (shutdown_->step(now) == Termination::State::going_on) return;
  reap();
  answer(shutdown_asker_, Type::gone, 0, encode(Gone{static_cast<uint32_t>(shutdown_->survivors())}));
  ended_ = true;
}

std::optional<base::Moment> Keeper::next_due() const {
  std::optional<base::Moment> earliest;
  const auto consider = [&](base::Moment due) { earliest = earliest ? std::min(*earliest, due) : due; };
  for (const Slot& each : slots_) {
    if (each.pty && each.pty->deadline()) consider(*each.pty->deadline());
    if (each.termination) consider(each.termination->next());
  }
  if (const auto due = revival_due()) consider(*due);
  if (shutdown_) consider(shutdown_->next());
  return earliest;
}

bool Keeper::reachable() const { return options_.doors.has_name(); }

std::optional<base::Moment> Keeper::revival_due() const {
  if (shutdown_) return {};
  return revival_.due();
}

void Keeper::watch(int operation, int fd, uint32_t events, uint64_t tag) const {
  epoll_event event{};
  event.events = events;
  event.data.u64 = tag;
  ::epoll_ctl(epoll_.get(), operation, fd, &event);
}

void Keeper::watch_master(uint32_t number, bool wanted) {
  Slot& each = slots_[number];
  if (wanted == each.watched) return;
  // Not watched at all rather than for no events: a hang-up is reported to whoever watches.
  watch(wanted ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, each.pty->master(), EPOLLIN, tag_of(Kind::pty, number));
  each.watched = wanted;
}

Stamp Keeper::wall() const { return std::chrono::floor<std::chrono::microseconds>(clock_.wall()); }

void Keeper::drain(uint32_t number) {
  if (Slot* each = slot(number)) each->pty->drain(clock_.now());
}

void Keeper::reap() {
  signalfd_siginfo info;
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    // The programs of a sandbox see this process. One that is asked from outside gets no sender.
    const bool by_a_program = options_.cage && info.ssi_pid != 0;
    if (info.ssi_signo == SIGTERM && !by_a_program) start_shutdown({}, kDefaultGrace);
  }
  while (const auto ended = wait_any()) {
    for (uint32_t number = 0; number < kMostPtys; number++) {
      Slot& each = slots_[number];
      if (!each.pty || each.pty->exit() || each.pty->pid() != ended->pid) continue;
      each.pty->set_exit(ended->status, wall());
      answer({holder_, 0}, Type::exited, number, encode(ended->status));
      if (each.leads) end_with(each);
    }
  }
}

void Keeper::accept_one() {
  Fd socket(::accept4(options_.doors.listener(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) return;
  const auto who = base::peer_of(socket.get());
  if (!who || (who->uid != ::geteuid() && who->uid != 0 && who->uid != options_.outside_uid)) return;
  add_peer(std::move(socket));
}

// With no place left, the oldest that is not the holder makes room: whoever only connects and waits keeps
// nobody out.
void Keeper::add_peer(Fd socket) {
  auto place = std::find_if(peers_.begin(), peers_.end(), [](const auto& each) { return !each; });
  if (place == peers_.end()) {
    place = std::min_element(peers_.begin(), peers_.end(), [&](const auto& a, const auto& b) {
      return std::pair(a->serial == holder_, a->serial) < std::pair(b->serial == holder_, b->serial);
    });
  }
  *place = Peer{Connection(std::move(socket)), ++last_serial_};
  watch(EPOLL_CTL_ADD, (*place)->line.fd(), EPOLLIN, tag_of(Kind::peer, last_serial_));
}

void Keeper::close_lost() {
  for (auto& each : peers_) {
    if (!each || !each->line.lost()) continue;
    const bool was_holder = each->serial == holder_;
    each.reset();
    if (!was_holder) continue;
    // A socket closes when its process has left the kernel in all its threads: nobody else moves output now.
    holder_ = 0;
    revival_.lost(clock_.now());
    if (end_when_alone_) start_shutdown({}, kDefaultGrace);
    for (Slot& slot : slots_) {
      if (slot.pty) slot.pty->start_draining();
    }
  }
}

Keeper::Peer* Keeper::peer(uint64_t serial) {
  for (auto& each : peers_) {
    if (each && each->serial == serial) return &*each;
  }
  return nullptr;
}

void Keeper::answer(Asker asker, Type type, uint32_t pty, std::string_view payload) {
  if (Peer* to = peer(asker.peer)) to->line.send(type, asker.request, pty, payload);
}

Keeper::Slot* Keeper::slot(uint32_t number) {
  return number < kMostPtys && slots_[number].pty ? &slots_[number] : nullptr;
}

}  // namespace pty::keeper
