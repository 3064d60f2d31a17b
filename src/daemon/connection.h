// SPDX-License-Identifier: Apache-2.0
// Connection: one client on the daemon's socket. It reads frames, starts a call for each request, side by
// side, and writes what comes back; it may be attached to one PTY, and then its bytes are keys. What a client
// does not read is kept up to a bound, and then the client is dropped: nothing waits for it.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/unix_socket.h"
#include "daemon/asker.h"
#include "daemon/borrowed_terminal.h"
#include "daemon/context.h"
#include "event/loop.h"
#include "session/viewer.h"
#include "wire/frame.h"
#include "wire/message.h"

namespace host {

class Connection final : public Asker,
                         public std::enable_shared_from_this<Connection>,
                         private session::Viewer {
 public:
  using Closed = std::function<void(Connection&)>;

  Connection(Context& context, base::Fd socket, base::PeerIdentity peer, Closed closed);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();

  const std::string& agent() const override { return agent_; }
  const std::string& channel() const override { return channel_; }
  // A process that the daemon has started to be a channel; the kind of it.
  bool is_channel() const { return !channel_kind_.empty(); }
  const std::string& channel_kind() const { return channel_kind_; }

  void send(std::string_view json) override;
  void send_bytes(std::string_view bytes);
  size_t waiting_output() const { return output_.size(); }
  void call_ended() override { calls_--; }

  // Attaching; the PTY is named by session and number, so that it may go while a client holds on to it.
  base::Result<session::Attached> attach(session::Session& session, session::Pty& pty,
                                         const session::AttachOptions& options);
  bool detach();
  session::Pty* attached() const;
  base::Result<session::Attached> resync(std::optional<pty::Size> window);
  void set_window(pty::Size size);
  // `lent`: its terminal may be used.
  struct Lent {
    uint64_t round;
    uint64_t heard;  // messages of ours
  };
  void ready(uint64_t offset, std::optional<Lent> lent);
  // What came with the request that asks for it is the terminal.
  base::Result<void> borrow(std::vector<std::string> stops);
  void progress(uint64_t offset);
  void end_input();

  // Called when the connection has gone.
  session::Listeners& closed_listeners() override { return closed_listeners_; }

  // Sends the events behind this number, and those to come.
  void follow(uint64_t after);

 private:
  uint64_t show(const pty::Journal& journal, uint64_t shown, uint64_t end) override;
  void output(uint64_t end) override;
  void notice(const session::Notice& notice) override;
  void resized(pty::Size size) override;
  void paced(session::Pace pace) override;
  void suspend() override;
  std::string name() const override { return agent_; }
  void detached(std::string_view why) override;

  void on_ready(event::Ready ready);
  void receive();
  void take_frames();
  void take(const wire::FrameView& frame);
  bool takes_more() const;
  void take_keys(std::string_view keys);
  void take_borrowed(std::string_view keys, std::string_view rest);
  void return_keys(std::string_view keys);
  uint64_t typed_so_far() const;
  void tell_typed();
  void audit_keys(std::string_view keys, Keys kind);
  void stop_waiting();
  void resume();
  void request(wire::Request request);
  void greet(const wire::Request& request);
  void refuse(const wire::Refusal& refusal);
  void note_told();
  void flush();
  void close();
  void watch();
  void send_events();
  void audit_detach(std::string_view why);

  Context& context_;
  base::Fd socket_;
  pid_t peer_;
  Closed closed_;
  event::Watch watch_;
  wire::FrameReader reader_;
  std::string output_;
  std::string agent_;
  std::string channel_;
  std::string channel_kind_;
  bool greeted_ = false;
  bool closing_ = false;  // once what waits is written
  bool gone_ = false;
  size_t calls_ = 0;
  uint64_t told_ = 0;                  // messages that were sent
  std::vector<base::Fd> descriptors_;  // that came last
  std::unique_ptr<BorrowedTerminal> terminal_;

  std::string session_;  // attached to
  uint32_t pty_ = 0;
  bool attached_ = false;
  session::Listeners::Handle input_;  // while the program has to catch up with what was typed
  std::string held_keys_;
  std::optional<wire::Request> later_;  // a request that must not overtake them
  bool told_to_wait_ = false;
  uint64_t typed_ = 0;                  // bytes of keys since it was attached
  uint64_t told_typed_ = 0;             // of which it knows that the terminal has them
  event::Timer tell_typed_;             // if no output comes that could say it
  session::Listeners::Handle drained_;  // while the program has not taken them
  uint64_t followed_ = 0;
  session::Listeners::Handle events_;
  session::Listeners closed_listeners_;
};

}  // namespace host
