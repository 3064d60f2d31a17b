// SPDX-License-Identifier: Apache-2.0
// KeeperLink: the holder's end of the line to a keeper. It starts a keeper or finds one that is there,
// becomes its holder, asks for things, and hears what happens. Closing it hands the PTYs back to the keeper
// at once, so whoever owns a link must have stopped pumping before: destroy pumps first, the link last.
//
// next() never waits; a program that has nothing else to do may use wait_for().
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <variant>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "pty/keeper_connection.h"
#include "pty/keeper_protocol.h"
#include "pty/pty.h"

namespace pty {

// A PTY as the holder gets it: what the keeper says of it, and the descriptors.
struct HeldPty : keeper::Held {
  base::Fd master;
  base::Pipe pipe;
  base::Fd journal;
};

// Something that happened, or the answer to request number `request` (0: nobody asked).
struct KeeperEvent {
  struct Done {};
  uint32_t request = 0;
  uint32_t pty = 0;
  std::variant<keeper::Welcome, HeldPty, base::Error, Done, ExitStatus, keeper::Gone, Look, keeper::Confined>
      what;
};

struct KeeperLaunch {
  std::string program;  // path of tend-keeper
  std::string session;
  std::string socket_path;
  std::string journals_folder;
};

// One that waits to be told that it is wanted; when the socket closes before, it ends.
struct WaitingKeeper {
  base::Fd socket;
  pid_t starter = -1;  // ends at once, the keeper is its child
};
base::Result<WaitingKeeper> start_keeper(const KeeperLaunch& launch);
// It has gone when this returns, unless it has not noticed for a second.
void dismiss(WaitingKeeper keeper);

class KeeperLink {
 public:
  // The number of the `hello` that each of these says: its answer is Welcome, or why not.
  static constexpr uint32_t kHello = 1;

  // Returns with the answer.
  static base::Result<KeeperLink> launch(const KeeperLaunch& launch, const keeper::Hello& hello);
  // One that waits is wanted, in a sandbox with this plan (sandbox/plan.h) unless that is empty. Requests may
  // follow at once; an error that answers nothing comes if the keeper could not start. The caller's process
  // ignores SIGCHLD.
  static base::Result<KeeperLink> begin(WaitingKeeper keeper, const std::string& plan,
                                        const keeper::Hello& hello);
  // One that is there, whatever it is doing: it may be long until it answers.
  static base::Result<KeeperLink> connect(const std::string& socket_path, const keeper::Hello& hello);

  int fd() const { return line_.fd(); }
  bool wants_output() const { return line_.wants_output(); }
  void flush() { line_.flush(); }
  // Nothing but zeros until it has come.
  const keeper::Welcome& welcome() const { return welcome_; }

  // Each gives the number that the answer will carry.
  uint32_t spawn(uint32_t pty, const keeper::Spawn& request);    // → HeldPty
  uint32_t signal(uint32_t pty, const keeper::Signal& request);  // → Done
  uint32_t kill(uint32_t pty, base::Duration grace);             // → Gone
  uint32_t forget(uint32_t pty);                                 // → Done
  // The program of a PTY that has ended, once more. Asking hands the PTY back to the keeper: the caller has
  // destroyed its pump before, and pumps again with the new descriptors; the journal is still the same. What
  // was refused leaves the PTY as it was, with the descriptors that the caller has.
  uint32_t respawn(uint32_t pty, Size size);  // → HeldPty
  // Another program in place of one that has ended; the journal goes on, and its capacity stays.
  uint32_t replace(uint32_t pty, const keeper::Spawn& request);  // → HeldPty
  // When this program ends, every process of the session is ended.
  uint32_t lead(uint32_t pty);               // → Done
  uint32_t shut_down(base::Duration grace);  // → Gone, and the keeper ends
  // Whether somebody waits for the terminal's input. A keeper that cannot look yet answers unknown_method.
  uint32_t look(uint32_t pty);  // → Look
  // The next spawn is not begun later. A keeper that does not know this answers unknown_method.
  uint32_t start_by(base::Moment moment);  // → Done
  // This holder will go on purpose: nothing is started in its place. It stays the holder until it closes.
  uint32_t release();  // → Done

  // The next event, nothing if there is none now, an error when the keeper is gone or talks nonsense.
  base::Result<std::optional<KeeperEvent>> next();

  // The answer to a request; an Error in it becomes the error here. Other events stay for next().
  base::Result<KeeperEvent> wait_for(uint32_t request, base::Duration deadline);

 private:
  explicit KeeperLink(base::Fd socket);
  uint32_t ask(keeper::Type type, uint32_t pty, std::string_view payload);
  base::Result<KeeperEvent> interpret(const keeper::Frame& frame);
  base::Result<void> receive();

  keeper::Connection line_;
  keeper::Welcome welcome_;
  std::deque<KeeperEvent> events_;
  uint32_t last_request_ = 0;
};

}  // namespace pty
