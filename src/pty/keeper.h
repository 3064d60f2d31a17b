// SPDX-License-Identifier: Apache-2.0
// Keeper: the process that a session lives in. It starts the PTYs, is the parent of their programs and the
// subreaper of all that these start, knows how they ended, and gives the masters, with pipe and journal, to
// one holder at a time (the daemon). While there is a holder the keeper does no input or output on the
// masters; when the holder is gone it drains them into the journals itself, so that programs go on and
// nothing is lost, and starts a new holder if the last one said how and did not leave on purpose.
//
// One thread, one epoll, no timeout while nothing is under way. It answers to the same user only. Whatever
// comes over its socket, the programs it keeps are not touched by it.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "pty/cage.h"
#include "pty/doors.h"
#include "pty/keeper_connection.h"
#include "pty/keeper_protocol.h"
#include "pty/kept_pty.h"
#include "pty/revival.h"
#include "pty/termination.h"

namespace pty::keeper {

struct Options {
  std::string session;                    // id; names the journals and marks the programs
  Doors doors;                            // where later holders find the keeper, where journals are made
  base::Fd ready_journal = {};            // for the first PTY, or none
  base::Fd groups = {};                   // the folder of its own control group, or none
  base::Fd first_peer = {};               // a connection that is there from the start, or none
  std::unique_ptr<Cage> cage = {};        // the sandbox that it is in, or none
  std::optional<uid_t> outside_uid = {};  // as which its user appears, where that is another number in here
};

class Keeper {
 public:
  static base::Result<std::unique_ptr<Keeper>> create(Options options);

  // Until the session has ended.
  void run();

 private:
  struct Peer {
    Connection line;
    uint64_t serial;                            // never given twice
    std::optional<base::Moment> start_by = {};  // of its next spawn
  };
  // Who asked for something that takes time.
  struct Asker {
    uint64_t peer = 0;
    uint32_t request = 0;
  };
  struct Slot {
    std::unique_ptr<KeptPty> pty;
    std::optional<Termination> termination;
    Asker killer;
    bool leads = false;  // the session ends with it
    bool watched = false;
  };

  explicit Keeper(Options options) : options_(std::move(options)) {}
  base::Result<void> set_up();
  void clean_up();

  // The loop.
  void handle(uint64_t tag, uint32_t events);
  void settle();
  void run_due(base::Moment now);
  std::optional<base::Moment> next_due() const;
  std::optional<base::Moment> revival_due() const;
  bool reachable() const;
  void watch(int operation, int fd, uint32_t events, uint64_t tag) const;
  void watch_master(uint32_t number, bool wanted);
  Stamp wall() const;
  void drain(uint32_t number);
  void reap();

  // Peers.
  void accept_one();
  void add_peer(base::Fd socket);
  void close_lost();
  Peer* peer(uint64_t serial);
  void hear(Peer& from, uint32_t events);
  void answer(Asker asker, Type type, uint32_t pty, std::string_view payload);

  // What the holder asks for.
  void obey(Peer& from, const Frame& frame);
  void greet(Peer& from, const Frame& frame);
  base::Result<void> limit_spawn(Peer& from, const Frame& frame);
  base::Result<void> spawn(Peer& from, const Frame& frame);
  base::Result<void> deliver_signal(const Frame& frame);
  base::Result<void> kill(Peer& from, const Frame& frame);
  base::Result<void> forget(const Frame& frame);
  base::Result<void> respawn(Peer& from, const Frame& frame);
  base::Result<void> replace(Peer& from, const Frame& frame);
  base::Result<void> may_run_again(uint32_t number);
  base::Result<void> lead(const Frame& frame);
  base::Result<void> shut_down(Peer& from, const Frame& frame);
  base::Result<void> look(Peer& from, const Frame& frame);
  void start_shutdown(Asker asker, base::Duration grace);
  void end_with(Slot& leader);
  bool leader_has_ended() const;
  void send_held(Connection& to, uint32_t request, uint32_t number);
  int32_t number_outside(pid_t pid) const;
  Slot* slot(uint32_t number);

  Options options_;
  base::RealClock clock_;
  base::Fd epoll_;
  base::Fd signals_;
  std::array<std::optional<Peer>, 8> peers_;
  std::array<Slot, kMostPtys> slots_;
  uint64_t last_serial_ = 0;
  uint64_t holder_ = 0;  // its serial, or 0
  bool end_when_alone_ = false;
  Revival revival_;
  std::optional<Termination> shutdown_;
  Asker shutdown_asker_;
  bool ended_ = false;
};

}  // namespace pty::keeper
