// SPDX-License-Identifier: Apache-2.0
// EvidenceKeeper: captures what agents do to terminals. begin() takes the screen before it is done, finish()
// says what was done; the rest comes by itself: the screen after, once the PTY was quiet for a moment, the
// output in between, and what git says has changed. A pack is in the store from finish() on, and whole later;
// when the PTY, the session or the daemon ends meanwhile it is concluded with what is there.
//
// On the way of a key a screen is not read: it is the one that was read when the PTY was quiet, and the
// output since, which together are bytes that make the same screen. Pictures are made when somebody wants
// them.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "daemon/git_diffs.h"
#include "event/loop.h"
#include "session/listeners.h"
#include "session/sessions.h"
#include "store/evidence.h"
#include "store/store.h"

namespace host {

class Call;

class EvidenceKeeper {
 public:
  // What is known before; nothing comes of one that is dropped.
  class Pending {
   public:
    const std::string& id() const { return pack_.id; }
    // What the program hid while it was typed is nobody's to keep.
    bool secret() const { return pack_.secret; }

   private:
    friend class EvidenceKeeper;
    store::EvidencePack pack_;
    uint64_t offset_ = 0;  // of the output before
  };

  enum class After {
    now,         // what was done is over
    when_quiet,  // the screen is taken after 300 ms without output, at most 3 s from now
    never,       // there is only one screen
  };
  struct What {
    std::optional<std::string> sent = {};
    std::optional<std::string> output = {};  // nothing: whatever the PTY printed from begin() on
    std::optional<int64_t> exit_code = {};
    After after = After::when_quiet;
  };
  using Done = std::function<void(const base::Result<void>&)>;

  EvidenceKeeper(event::Loop& loop, store::Store& store, session::Sessions& sessions,
                 std::string blank_folder);

  // Nothing: a person's doing, or the session's settings do not want it.
  std::optional<Pending> begin(const Call& call, const session::Session& session, const session::Pty& pty);
  // On request: whoever does it, and whatever the settings are.
  Pending capture(const Call& call, const session::Session& session, const session::Pty& pty,
                  std::string note);
  void finish(Pending pending, What what, Done done = {});

  // The daemon stops: all of them, with what is there.
  void conclude_all();

  static constexpr size_t kMostOutput = 256 << 10;
  static constexpr size_t kMostScreen = 1 << 20;
  static constexpr size_t kMostWithGit = 256;  // packs that wait for git
  static constexpr size_t kMostSince = 64 << 10;
  static constexpr size_t kMostBases = 64;

 private:
  using Place = std::pair<std::string, uint32_t>;  // session and PTY
  struct Open {
    store::EvidencePack pack;
    Done done;
    uint64_t offset = 0;
    bool wants_output = false;
    base::Moment since = {};
    session::Listeners::Handle changes = {};
  };

  // A screen that was read, and where in the output.
  struct Base {
    store::ScreenShot shot;
    uint64_t offset = 0;
    uint32_t restarts = 0;
  };

  Pending take(const Call& call, const session::Session& session, const session::Pty& pty);
  store::ScreenShot screen_of(const Place& place, const session::Pty& pty);
  const store::ScreenShot& read_screen(const Place& place, const session::Pty& pty);
  session::Pty* find(const Place& place) const;
  void settle(const Place& place, Open open);
  void look();
  void take_after(const Place& place);
  void complete(Open open, const session::Pty* pty);
  void save(Open open);

  store::Store& store_;
  session::Sessions& sessions_;
  base::RealClock clock_;
  std::map<Place, Open> settling_;        // until their PTY is quiet; one of each
  std::map<std::string, Open> with_git_;  // by the pack's id
  std::map<Place, Base> bases_;
  event::Timer timer_;
  GitDiffs git_;  // ends first
};

}  // namespace host
