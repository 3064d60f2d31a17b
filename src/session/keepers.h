// SPDX-License-Identifier: Apache-2.0
// Keepers: how the keeper of a session is started, and where it is found again. The next session's is started
// before anybody asks for that: starting a process takes longer than all the rest of a session's start. The
// session gets the id that its keeper was started with. Such a spare one has no PTY: it ends by itself when
// this process goes, and starts nothing in its place.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "event/loop.h"
#include "pty/keeper_link.h"

namespace session {

class Keepers {
 public:
  struct Place {
    std::string program;
    std::string sockets_folder;
    std::string journals_folder;
    pty::Command revive;  // what a keeper starts when this daemon is lost
  };

  Keepers(event::Loop& loop, Place place);
  Keepers(const Keepers&) = delete;
  Keepers& operator=(const Keepers&) = delete;

  // The id for a new session.
  std::string next_session() const;
  // The plan is that of its sandbox, or empty.
  base::Result<pty::KeeperLink> start(const std::string& session, const std::string& plan);
  base::Result<pty::KeeperLink> connect(const std::string& session) const;
  // The sessions that have a keeper, or had one a moment ago.
  std::vector<std::string> sessions() const;
  // Nobody listens there any more.
  void remove_socket(const std::string& session) const;
  // The files of a PTY's output begin with this.
  std::string output_of(const std::string& session, uint32_t pty) const;

  // A spare one is started now, unless there is one.
  void prepare();
  void dismiss_spare();

 private:
  struct Spare {
    std::string session;
    pty::WaitingKeeper keeper;
  };
  std::string socket_of(const std::string& session) const;
  pty::KeeperLaunch launch_of(const std::string& session) const;

  Place place_;
  std::optional<Spare> spare_;
  event::Timer soon_;  // the next one, when what is under way has the processors no more
};

}  // namespace session
