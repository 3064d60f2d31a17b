// SPDX-License-Identifier: Apache-2.0
// What a keeper and its holder say to each other over a Unix stream socket: frames in the host's byte order,
// each a header of 16 bytes and a payload. docs/keeper.md describes the messages and when they are sent.
// Decoding trusts nothing: every length is checked against what is there.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "pty/look.h"
#include "pty/packing.h"
#include "pty/pty.h"

namespace pty::keeper {

constexpr uint32_t kVersion = 1;
constexpr uint32_t kOldestVersion = 1;
constexpr uint32_t kMostPtys = 64;
constexpr size_t kMostPayload = 1 << 20;
constexpr size_t kDescriptorsPerPty = 4;  // master, pipe's read end, pipe's write end, journal

enum class Type : uint16_t {
  // to the keeper
  hello = 1,
  spawn = 2,
  signal = 3,
  kill = 4,
  forget = 5,
  shutdown = 6,
  release = 7,
  respawn = 8,
  look = 9,
  lead = 10,
  replace = 11,
  start_by = 12,
  // from the keeper
  welcome = 64,
  held = 65,
  failed = 66,
  done = 67,
  exited = 68,
  gone = 69,
  looked = 70,
  confined = 71,
};

struct Header {
  uint32_t length;  // of the payload
  uint16_t type;
  uint16_t reserved;
  uint32_t request;  // chosen by the holder, repeated in the answer; 0 where nothing was asked
  uint32_t pty;
};
static_assert(sizeof(Header) == 16 && std::is_trivially_copyable_v<Header>);

struct Frame {
  Type type;
  uint32_t request;
  uint32_t pty;
  std::string payload;
};

using pty::Stamp;

struct Hello {
  uint32_t version = kVersion;
  bool end_when_alone = false;  // end the session when this holder goes, instead of keeping it
  // What to start when this holder is lost without a `release`; it should become the next holder.
  std::optional<Command> revive = {};
};

struct Spawn {
  Size size = {};
  uint64_t journal_capacity = 0;
  Command command = {};
};

struct Signal {
  enum class To : uint32_t { foreground = 0, leader = 1 };
  int signo = 0;
  To to = To::foreground;
};

struct Grace {  // of kill and shutdown
  uint32_t milliseconds = 5000;
};

struct Welcome {
  uint32_t version = kVersion;
  int32_t pid = 0;
  uint32_t ptys = 0;
  std::string session;
};

struct Respawn {
  Size size = {};
};

// The next spawn is not begun later: then nobody waits for it any more.
struct StartBy {
  base::Moment moment;
};

// All that a holder needs to know of a PTY that it has never heard of, but the environment, which may hold
// secrets.
struct Held {
  int32_t pid = 0;
  std::optional<ExitStatus> exit = {};  // there once it has ended
  Stamp spawned_at = {};                // the program as it runs now, not its first run
  Stamp exited_at = {};                 // once it has ended
  uint32_t restarts = 0;                // respawns so far
  uint64_t run_offset = 0;              // where in the journal the output of this run starts
  Size size = {};                       // of the terminal when this was sent
  std::string cwd = {};
  std::vector<std::string> argv = {};
};

struct Gone {
  uint32_t survivors = 0;
};

// A keeper in a sandbox says so after its welcome: what of it could not be had and was done without.
struct Confined {
  std::vector<std::string> missing;
};

std::string encode(const Hello& message);
std::string encode(const Spawn& message);
std::string encode(const Signal& message);
std::string encode(const Grace& message);
std::string encode(const Respawn& message);
std::string encode(const StartBy& message);
std::string encode(const Welcome& message);
std::string encode(const Held& message);
std::string encode(const base::Error& message);  // failed
std::string encode(const ExitStatus& message);   // exited
std::string encode(const Gone& message);
std::string encode(const Look& message);  // looked
std::string encode(const Confined& message);

// Nothing for a payload that is not exactly such a message.
template <typename T>
std::optional<T> decode(std::string_view payload);
template <>
std::optional<Hello> decode(std::string_view payload);
template <>
std::optional<Spawn> decode(std::string_view payload);
template <>
std::optional<Signal> decode(std::string_view payload);
template <>
std::optional<Grace> decode(std::string_view payload);
template <>
std::optional<Respawn> decode(std::string_view payload);
template <>
std::optional<StartBy> decode(std::string_view payload);
template <>
std::optional<Welcome> decode(std::string_view payload);
template <>
std::optional<Held> decode(std::string_view payload);
template <>
std::optional<base::Error> decode(std::string_view payload);
template <>
std::optional<ExitStatus> decode(std::string_view payload);
template <>
std::optional<Gone> decode(std::string_view payload);
template <>
std::optional<Look> decode(std::string_view payload);
template <>
std::optional<Confined> decode(std::string_view payload);

std::string make_frame(Type type, uint32_t request, uint32_t pty, std::string_view payload);

// Collects bytes as they come and gives whole frames out. A frame that is too large is an error for good: the
// stream has no next beginning to wait for.
class FrameReader {
 public:
  void append(std::string_view bytes);
  base::Result<std::optional<Frame>> next();

 private:
  std::string bytes_;
  size_t start_ = 0;
};

}  // namespace pty::keeper
