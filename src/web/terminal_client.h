// SPDX-License-Identifier: Apache-2.0
// TerminalClient: one browser at one PTY. It gives frames when it is asked for one, and is asked when the one
// before has gone: so a slow browser costs no memory, and is sent the screen instead of what it missed. Knows
// nothing of sockets.
#pragma once
#include <boost/json/object.hpp>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "daemon/context.h"
#include "filter/paste.h"
#include "session/viewer.h"
#include "web/gate.h"
#include "web/pace.h"

namespace web {

struct Frame {
  enum class Kind { text, binary };
  Kind kind = Kind::text;
  std::string bytes;
};

// The connection, as its client sees it.
class Link {
 public:
  virtual ~Link() = default;
  // There may be a frame to send.
  virtual void wake() = 0;
  virtual void close(uint16_t code, std::string_view reason) = 0;
};

class TerminalClient final : private session::Viewer {
 public:
  TerminalClient(host::Context& context, Gates& gates, std::string agent);
  ~TerminalClient() override;
  TerminalClient(const TerminalClient&) = delete;
  TerminalClient& operator=(const TerminalClient&) = delete;

  base::Result<void> attach(session::Session& session, uint32_t number,
                            const session::AttachOptions& options);
  // From then on the link is told.
  void use(Link& link);
  // Nothing of it is at the PTY any more.
  void leave();

  std::optional<Frame> next_frame();
  void take_keys(std::string_view keys);
  // One JSON object.
  void take_control(std::string_view text);

 private:
  struct Mark {  // what stands behind the output up to `offset`
    uint64_t offset;
    std::string text;
  };

  void output(uint64_t end) override;
  void notice(const session::Notice& notice) override;
  void resized(pty::Size size) override;
  void suspend() override {}
  std::string name() const override { return agent_; }
  void detached(std::string_view why) override;

  session::Session* session() const;
  session::Pty* pty() const;
  bool writes() const;
  void say(const boost::json::object& message);
  void say_at_end(const boost::json::object& message);
  void say_prompt();
  void begin(const session::Attached& attached, std::string_view reason);
  void resync(std::string_view reason);
  std::optional<Frame> next_output();
  void type(std::string_view bytes);
  void pass(std::string_view bytes);
  void warn(const filter::Filtered& result);
  void paste(std::string_view text);
  void resume_input();
  void audit(std::string_view action, std::string_view summary);
  void wake() const;

  host::Context& context_;
  Gates& gates_;
  std::string agent_;
  host::PtyName at_;
  bool attached_ = false;
  bool over_ = false;  // detached by the other side: the rest is sent, then it closes
  Link* link_ = nullptr;

  std::deque<std::string> control_;
  size_t control_bytes_ = 0;
  std::string snapshot_;
  size_t snapshot_sent_ = 0;
  std::deque<Mark> marks_;
  uint64_t offset_ = 0;           // of the output that was given
  std::optional<uint64_t> seen_;  // what the browser says it has shown
  base::RealClock clock_;
  Pace pace_;

  filter::PasteGuard guard_;
  std::string held_keys_;  // while the program does not take its input
  session::Listeners::Handle input_;
  session::Listeners::Handle events_;
  uint64_t followed_ = 0;
  std::string last_prompt_;
};

}  // namespace web
