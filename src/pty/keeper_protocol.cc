// SPDX-License-Identifier: Apache-2.0
#include "pty/keeper_protocol.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "pty/packing.h"

namespace pty::keeper {
namespace {

using base::Code;
using base::fail;

// In the flags of `hello`.
constexpr uint32_t kEndWhenAlone = 1;
constexpr uint32_t kRevive = 2;

// In the flags of `looked`.
constexpr uint32_t kCanonical = 1;
constexpr uint32_t kEcho = 2;
constexpr uint32_t kShell = 4;
constexpr uint32_t kRelayed = 8;
constexpr size_t kLongestCommand = 15;

}  // namespace

std::string encode(const Hello& message) {
  Writer out;
  out.u32(message.version).u32((message.end_when_alone ? kEndWhenAlone : 0) | (message.revive ? kRevive : 0));
  if (message.revive) {
    const Command& command = *message.revive;
    out.u32(command.umask).text(command.cwd).list(command.argv).list(command.env);
  }
  return out.take();
}

template <>
std::optional<Hello> decode(std::string_view payload) {
  Reader in(payload);
  const uint32_t version = in.u32();
  const uint32_t flags = in.u32();
  const bool end_when_alone = (flags & kEndWhenAlone) != 0;
  if ((flags & kRevive) == 0) return if_whole(in, Hello{version, end_when_alone, {}});
  Command command;
  command.umask = in.u32() & 0777;
  command.cwd = in.text();
  command.argv = in.list();
  command.env = in.list();
  return if_whole(in, Hello{version, end_when_alone, std::move(command)});
}

std::string encode(const Spawn& message) {
  return Writer()
      .size(message.size)
      .u32(message.command.umask)
      .u64(message.journal_capacity)
      .text(message.command.cwd)
      .list(message.command.argv)
      .list(message.command.env)
      .take();
}

template <>
std::optional<Spawn> decode(std::string_view payload) {
  Reader in(payload);
  Spawn message;
  message.size = in.size();
  message.command.umask = in.u32() & 0777;
  message.journal_capacity = in.u64();
  message.command.cwd = in.text();
  message.command.argv = in.list();
  message.command.env = in.list();
  return if_whole(in, std::move(message));
}

std::string encode(const Signal& message) {
  return Writer().i32(message.signo).u32(static_cast<uint32_t>(message.to)).take();
}

template <>
std::optional<Signal> decode(std::string_view payload) {
  Reader in(payload);
  const int signo = in.i32();
  const uint32_t to = in.u32();
  if (to > static_cast<uint32_t>(Signal::To::leader)) return {};
  return if_whole(in, Signal{signo, static_cast<Signal::To>(to)});
}

std::string encode(const Grace& message) { return Writer().u32(message.milliseconds).take(); }

template <>
std::optional<Grace> decode(std::string_view payload) {
  Reader in(payload);
  const uint32_t milliseconds = in.u32();
  return if_whole(in, Grace{milliseconds});
}

std::string encode(const Respawn& message) { return Writer().size(message.size).take(); }

template <>
std::optional<Respawn> decode(std::string_view payload) {
  Reader in(payload);
  const Size size = in.size();
  return if_whole(in, Respawn{size});
}

std::string encode(const StartBy& message) {
  return Writer().u64(static_cast<uint64_t>(message.moment.time_since_epoch().count())).take();
}

template <>
std::optional<StartBy> decode(std::string_view payload) {
  Reader in(payload);
  const auto moment = static_cast<int64_t>(in.u64());
  return if_whole(in, StartBy{base::Moment(base::Duration(moment))});
}

std::string encode(const Welcome& message) {
  return Writer().u32(message.version).i32(message.pid).u32(message.ptys).text(message.session).take();
}

template <>
std::optional<Welcome> decode(std::string_view payload) {
  Reader in(payload);
  Welcome message;
  message.version = in.u32();
  message.pid = in.i32();
  message.ptys = in.u32();
  message.session = in.text();
  return if_whole(in, std::move(message));
}

std::string encode(const Held& message) {
  const ExitStatus exit = message.exit.value_or(ExitStatus{});
  return Writer()
      .i32(message.pid)
      .u32(message.exit ? 1 : 0)
      .i32(exit.code)
      .i32(exit.signal)
      .stamp(message.spawned_at)
      .stamp(message.exited_at)
      .u32(message.restarts)
      .u64(message.run_offset)
      .size(message.size)
      .text(message.cwd)
      .list(message.argv)
      .take();
}

template <>
std::optional<Held> decode(std::string_view payload) {
  Reader in(payload);
  Held message{.pid = in.i32()};
  const bool ended = in.u32() != 0;
  const int code = in.i32();
  const int signal = in.i32();
  if (ended) message.exit = ExitStatus{code, signal};
  message.spawned_at = in.stamp();
  message.exited_at = in.stamp();
  message.restarts = in.u32();
  message.run_offset = in.u64();
  message.size = in.size();
  message.cwd = in.text();
  message.argv = in.list();
  return if_whole(in, std::move(message));
}

std::string encode(const base::Error& message) {
  return Writer().u32(static_cast<uint32_t>(message.code)).i32(message.sys).text(message.what).take();
}

template <>
std::optional<base::Error> decode(std::string_view payload) {
  Reader in(payload);
  const uint32_t code = in.u32();
  base::Error message;
  if (code <= static_cast<uint32_t>(Code::internal)) message.code = static_cast<Code>(code);
  message.sys = in.i32();
  message.what = in.text();
  return if_whole(in, std::move(message));
}

std::string encode(const ExitStatus& message) {
  return Writer().i32(message.code).i32(message.signal).take();
}

template <>
std::optional<ExitStatus> decode(std::string_view payload) {
  Reader in(payload);
  const int code = in.i32();
  const int signal = in.i32();
  return if_whole(in, ExitStatus{code, signal});
}

std::string encode(const Gone& message) { return Writer().u32(message.survivors).take(); }

template <>
std::optional<Gone> decode(std::string_view payload) {
  Reader in(payload);
  const uint32_t survivors = in.u32();
  return if_whole(in, Gone{survivors});
}

std::string encode(const Look& message) {
  return Writer()
      .u32(static_cast<uint32_t>(message.verdict))
      .u32((message.canonical ? kCanonical : 0) | (message.echo ? kEcho : 0) | (message.shell ? kShell : 0) |
           (message.relayed ? kRelayed : 0))
      .u32(static_cast<uint32_t>(message.call))
      .i32(message.timeout_ms)
      .i32(message.group)
      .i32(message.reader)
      .i32(message.thread)
      .u64(message.turns)
      .u64(message.cpu_ns)
      .u32(message.unread)
      .u32(message.processes)
      .u32(message.threads)
      .u32(message.refused)
      .u32(message.sockets)
      .u32(message.requests)
      .u32(message.pipes)
      .u32(message.timers)
      .text(message.command)
      .take();
}

template <>
std::optional<Look> decode(std::string_view payload) {
  Reader in(payload);
  const uint32_t verdict = in.u32();
  const uint32_t flags = in.u32();
  const uint32_t call = in.u32();
  Look message;
  // A keeper may be newer than its holder: what is not known here is not known.
  if (verdict <= static_cast<uint32_t>(Look::Verdict::gone))
    message.verdict = static_cast<Look::Verdict>(verdict);
  if (call <= static_cast<uint32_t>(Look::Call::epoll)) message.call = static_cast<Look::Call>(call);
  message.canonical = (flags & kCanonical) != 0;
  message.echo = (flags & kEcho) != 0;
  message.shell = (flags & kShell) != 0;
  message.relayed = (flags & kRelayed) != 0;
  message.timeout_ms = in.i32();
  message.group = in.i32();
  message.reader = in.i32();
  message.thread = in.i32();
  message.turns = in.u64();
  message.cpu_ns = in.u64();
  message.unread = in.u32();
  message.processes = in.count();
  message.threads = in.count();
  message.refused = in.count();
  message.sockets = in.count();
  message.requests = in.count();
  message.pipes = in.count();
  message.timers = in.count();
  message.command = in.text();
  if (message.command.size() > kLongestCommand) return {};
  return if_whole(in, std::move(message));
}

std::string encode(const Confined& message) { return Writer().list(message.missing).take(); }

template <>
std::optional<Confined> decode(std::string_view payload) {
  Reader in(payload);
  Confined message{in.list()};
  return if_whole(in, std::move(message));
}

std::string make_frame(Type type, uint32_t request, uint32_t pty, std::string_view payload) {
  const Header header{static_cast<uint32_t>(payload.size()), static_cast<uint16_t>(type), 0, request, pty};
  std::string frame(reinterpret_cast<const char*>(&header), sizeof header);
  frame.append(payload);
  return frame;
}

void FrameReader::append(std::string_view bytes) {
  if (start_ == bytes_.size())
    std::string().swap(bytes_);  // nothing is pending: a large message's memory goes back
  else
    bytes_.erase(0, start_);
  start_ = 0;
  bytes_.append(bytes);
}

base::Result<std::optional<Frame>> FrameReader::next() {
  const std::string_view pending = std::string_view(bytes_).substr(start_);
  Header header{};
  if (pending.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, pending.data(), sizeof header);
  if (header.length > kMostPayload) return fail(Code::message_too_large, 0, "a message of more than 1 MiB");
  if (pending.size() < sizeof header + header.length) return std::nullopt;
  start_ += sizeof header + header.length;
  return Frame{static_cast<Type>(header.type), header.request, header.pty,
               std::string(pending.substr(sizeof header, header.length))};
}

}  // namespace pty::keeper
