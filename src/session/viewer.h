// SPDX-License-Identifier: Apache-2.0
// Viewer: somebody who looks at a PTY, and types if it is a writer: a terminal, a browser. It belongs to its
// connection, which detaches it before it goes. Output is not handed over but announced: the viewer reads the
// journal at its own pace, and the PTY never waits for it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "pty/journal.h"
#include "pty/pty.h"

namespace session {

enum class Role { writer, observer };

enum class PtyState { running, exited, restarting, dead };

std::string_view state_name(PtyState state);

// What the PTY tells its viewers beside the output. `text` stands in their terminals behind the output up to
// `offset`.
struct Notice {
  enum class Kind { exited, restarting, restarted, note };
  Kind kind;
  uint64_t offset = 0;
  std::string text = {};
  std::optional<pty::ExitStatus> exit = {};
};

std::string_view notice_name(Notice::Kind kind);

// How a viewer does beside the output. The program waits, a moment at a time, for one that is abreast; one
// that has fallen behind is not waited for until the flood is over, and shows the screen now and then
// instead.
enum class Pace { abreast, behind };

class Viewer {
 public:
  virtual ~Viewer() = default;

  // Who it is, for the record of what was typed.
  virtual std::string name() const { return {}; }
  // Shows output of the journal itself, if it can, so that nobody has to be told: up to the offset that it
  // gives.
  virtual uint64_t show(const pty::Journal&, uint64_t shown, uint64_t /*end*/) { return shown; }
  // There is output up to `end`, beyond what it said it has; told once, until it says ready() again.
  virtual void output(uint64_t end) = 0;
  virtual void notice(const Notice& notice) = 0;
  virtual void resized(pty::Size size) = 0;
  virtual void paced(Pace) {}
  // It typed the key that would stop the program and give the terminal back to its shell.
  virtual void suspend() = 0;
  // It is not attached any more.
  virtual void detached(std::string_view why) = 0;
};

struct AttachOptions {
  Role role = Role::writer;
  bool takeover = false;  // detach the other writers
  // The program waits for this viewer instead of going on without it: for output that goes into a pipe or a
  // file, where a gap cannot be painted over.
  bool lossless = false;
  std::optional<pty::Size> window = {};  // of its terminal
  size_t scrollback = 0;                 // rows of it before the snapshot, as far as there are so many
  std::optional<uint64_t> from = {};  // continue here, if the journal still has it, and not with a snapshot
};

struct Attached {
  uint64_t offset = 0;                       // live output goes on from here
  std::optional<std::string> snapshot = {};  // what the screen showed then; none: it continues
  pty::Size size = {};
};

}  // namespace session
