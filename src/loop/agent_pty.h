// SPDX-License-Identifier: Apache-2.0
// AgentPty: PTY 1 of the loop's session, as the runner sees it from the first run to the last. The runner is
// an observer of it that must have everything: the output is read from the journal, which is mapped here.
// When the daemon is replaced it attaches again, where it was, and asks what happened meanwhile.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "loop/station.h"
#include "pty/journal.h"
#include "pty/pty.h"
#include "vt/line.h"
#include "vt/screen.h"

namespace loop {

// What the daemon knows of the agent.
struct AgentLook {
  bool running = false;
  std::optional<base::Duration> typed = {};  // how long ago
  struct Prompt {
    std::string id;
    std::string question;
    base::Duration age{};
  };
  std::optional<Prompt> prompt = {};
};

class AgentPty {
 public:
  AgentPty(Station& station, std::string session);

  // Before the next run is asked for: what comes from now on is the new one's.
  void prepare();
  // It runs, and its output begins there.
  base::Result<void> begin(uint64_t offset, const std::string& journal);
  // After every wait: attaches where that is needed. An error: the session has gone.
  base::Result<void> turn();

  // Nothing before it is attached.
  const std::optional<vt::Size>& size() const { return size_; }
  // Gives a good deal of what is new; true where there is more.
  bool read(const std::function<void(std::string_view)>& take);

  // How the run has ended, once all it has written was read.
  std::optional<pty::ExitStatus> exit() const;
  bool ended() const { return end_.has_value(); }

  void ask_look();
  std::optional<AgentLook> take_look();
  // Whether the prompt that was there has gone since this was asked last.
  bool take_prompt_left() { return std::exchange(prompt_left_, false); }

 private:
  struct End {
    pty::ExitStatus exit;
    uint64_t offset;
  };

  void hear(const wire::Request& told);
  void take_attached(const wire::Response& response);
  base::Result<void> take_looked(wire::Response response);

  Station& station_;
  std::string session_;
  std::optional<pty::Journal> journal_;
  std::string journal_path_;
  uint64_t offset_ = 0;
  bool begun_ = false;
  unsigned attached_on_ = 0;  // epoch of the line
  std::optional<uint64_t> attach_asked_;
  std::optional<uint64_t> look_asked_;
  std::optional<AgentLook> look_;
  std::optional<vt::Size> size_;
  std::optional<End> end_;
  bool rung_ = false;
  bool prompt_left_ = false;
};

}  // namespace loop
