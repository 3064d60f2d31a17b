// SPDX-License-Identifier: Apache-2.0
// KeptPty: one PTY in its keeper: the descriptors that a holder gets, the program and how it ended, and the
// draining of its output into the journal while there is no holder.
//
// A full ring (all of it not processed yet) makes the program wait, because what would be overwritten exists
// nowhere else; after ten seconds the program matters more, and the oldest bytes go, counted.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "pty/control_group.h"
#include "pty/journal.h"
#include "pty/keeper_protocol.h"
#include "pty/pump.h"

namespace pty::keeper {

class KeptPty {
 public:
  struct Surroundings {
    int journals;                    // the folder
    base::Fd& ready_journal;         // one without a name, which the first that it fits takes
    int groups;                      // the folder of the keeper's own control group; open as long as this PTY
    const Confinement* confinement;  // of the programs, or none
  };
  static base::Result<std::unique_ptr<KeptPty>> start(const std::string& session, uint32_t number,
                                                      Spawn request, Surroundings where, Stamp now);

  // The same command once more, on a new terminal, with the same journal. For a program that has ended, while
  // the holder has handed the PTY back and moves nothing. After an error everything is as it was.
  base::Result<void> respawn(Size size, Stamp now);
  // The same with another command.
  base::Result<void> replace(const std::string& session, uint32_t number, Spawn request, Stamp now);

  pid_t pid() const { return pid_; }
  int master() const { return master_.get(); }
  const std::string& journal_name() const { return journal_name_; }
  ControlGroup* group() { return group_ ? &*group_ : nullptr; }
  const std::optional<ExitStatus>& exit() const { return exit_; }
  void set_exit(ExitStatus status, Stamp now) {
    exit_ = status;
    exited_at_ = now;
  }
  Held describe() const;
  std::array<int, kDescriptorsPerPty> descriptors() const;

  void start_draining();
  void stop_draining();
  // Moves what is there, within reason. Call it when wants_input() and the master is readable, and at
  // deadline().
  void drain(base::Moment now);
  bool wants_input() const { return draining_ && !closed_ && !paused_until_; }
  std::optional<base::Moment> deadline() const { return paused_until_; }

 private:
  KeptPty() = default;
  base::Result<void> make_journal(const Surroundings& where, size_t capacity);
  base::Result<void> spawn_on(int master);
  base::Result<uint64_t> take_the_rest();  // where the journal ends then
  bool ready_to_pump();
  bool full() const;
  void count_lost();

  base::Fd master_;
  base::Pipe pipe_;
  base::Fd journal_file_;
  std::string journal_name_;
  int groups_ = -1;
  std::string group_name_;
  std::optional<ControlGroup> group_;
  const Confinement* confinement_ = nullptr;
  Command command_;  // kept for a respawn, so that no secret in its environment need be on a disk
  pid_t pid_ = 0;
  std::optional<ExitStatus> exit_;
  Stamp spawned_at_;
  Stamp exited_at_;
  uint32_t restarts_ = 0;
  uint64_t run_offset_ = 0;

  // Mapped only while draining, so that an idle keeper stays small.
  std::optional<Journal> journal_;
  std::optional<Pump> pump_;
  bool draining_ = false;
  bool closed_ = false;
  bool may_lose_ = false;
  std::optional<base::Moment> paused_until_;
};

// What marks the programs of a PTY in their environment, as "NAME=value".
std::vector<std::string> environment_marks(const std::string& session, uint32_t number);

}  // namespace pty::keeper
