// SPDX-License-Identifier: Apache-2.0
#include "wire/client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/unix_socket.h"

namespace wire {
namespace {

using base::Code;
using base::fail;
using base::Result;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kConnectDeadline{10};
constexpr int kBusyPauseMs = 2;
constexpr uint64_t kHelloId = 0;

base::Error gone() { return {Code::internal, ECONNRESET, "the daemon has closed the connection"}; }

// Of the message that begins there; behind everything where there is none.
size_t end_of_frame(std::string_view output, size_t at) {
  if (output.size() - at < kHeaderBytes) return output.size() + 1;
  size_t length = 0;
  for (size_t i = 0; i < kHeaderBytes - 1; i++)
    length = length << 8 | static_cast<unsigned char>(output[at + i]);
  return at + kHeaderBytes + length;
}

// A full backlog is a daemon that is busy, not one that is not there.
Result<base::Fd> connect_patiently(const std::string& path) {
  const base::RealClock clock;
  const base::Moment end = clock.now() + kConnectDeadline;
  for (;;) {
    auto socket = base::connect_to(path);
    if (socket || socket.error().sys != EAGAIN || clock.now() >= end) return socket;
    ::poll(nullptr, 0, kBusyPauseMs);
  }
}

}  // namespace

std::string default_agent() {
  if (const char* given = std::getenv("TEND_AGENT_ID"); given != nullptr && *given != '\0') return given;
  return fmt::format("uid:{} pid:{}", ::getuid(), ::getpid());
}

Result<Client> Client::connect(const std::string& socket_path, const Greeting& greeting) {
  auto socket = connect_patiently(socket_path);
  if (!socket) return fail(socket);
  const auto peer = base::peer_of(socket->get());
  if (!peer || (peer->uid != ::geteuid() && peer->uid != 0))
    return fail(Code::pty_access_denied, 0, "somebody else listens at " + socket_path);
  Client client(std::move(*socket));
  append_frame(
      client.output_, FrameType::json,
      make_request(kHelloId, "hello",
                   {{"version", kVersion}, {"agent_id", greeting.agent}, {"channel", greeting.channel}}));
  return client;
}

uint64_t Client::send(std::string_view method, json::object params) {
  append_frame(output_, FrameType::json, make_request(++last_id_, method, std::move(params)));
  return last_id_;
}

void Client::notify(std::string_view method, json::object params) {
  append_frame(output_, FrameType::json, make_notification(method, std::move(params)));
}

std::optional<uint64_t> Client::send_with(std::string_view method, json::object params,
                                          std::span<const int> descriptors) {
  if (!flush() || waiting_output() > 0) return {};
  std::string frame;
  append_frame(frame, FrameType::json, make_request(last_id_ + 1, method, std::move(params)));
  const auto sent = base::send_some(fd(), frame, descriptors);
  if (!sent || *sent == 0) return {};
  output_ = std::move(frame);
  sent_ = *sent;
  return ++last_id_;
}

void Client::send_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t count = std::min(bytes.size(), kMostPayload);
    append_frame(output_, FrameType::bytes, bytes.substr(0, count));
    bytes.remove_prefix(count);
  }
}

Result<void> Client::flush() {
  Result<void> done;
  while (waiting_output() > 0) {
    auto sent = base::send_some(fd(), std::string_view(output_).substr(sent_), {});
    if (!sent) done = fail(sent);
    if (!sent || *sent == 0) break;
    sent_ += *sent;
  }
  // Whole messages only: of one that has gone in part, the daemon has had nothing.
  size_t whole = 0;
  for (size_t next = 0; next <= sent_; next = end_of_frame(output_, whole)) whole = next;
  output_.erase(0, whole);
  sent_ -= whole;
  return done;
}

std::string Client::unsent_bytes() const {
  std::string bytes;
  for (size_t at = 0; at < output_.size(); at = end_of_frame(output_, at)) {
    if (output_[at + kHeaderBytes - 1] == static_cast<char>(FrameType::bytes))
      bytes += output_.substr(at + kHeaderBytes, end_of_frame(output_, at) - at - kHeaderBytes);
  }
  return bytes;
}

Result<json::value> Client::call(std::string_view method, json::object params,
                                 std::optional<base::Duration> deadline) {
  const base::RealClock clock;
  const auto end = deadline ? std::optional(clock.now() + *deadline) : std::nullopt;
  const uint64_t id = send(method, std::move(params));
  for (;;) {
    // What the daemon said before it closed the connection counts, so a failed write is not the end.
    const auto flushed = flush();
    auto received = receive();
    const auto found = std::find_if(incoming_.begin(), incoming_.end(), [&](const Incoming& each) {
      const auto* answer = std::get_if<Response>(&each);
      return answer != nullptr && answer->id == id;
    });
    if (found != incoming_.end()) {
      auto result = std::move(std::get<Response>(*found).result);
      incoming_.erase(found);
      return result;
    }
    if (!received) return fail(received);
    int wait = -1;
    if (end) {
      const auto left = std::chrono::ceil<milliseconds>(*end - clock.now()).count();
      if (left <= 0) return fail(Code::pty_timeout, 0, "the daemon does not answer");
      wait = static_cast<int>(std::min<int64_t>(left, 60'000));
    }
    pollfd ready{fd(), static_cast<short>(POLLIN | (flushed && waiting_output() > 0 ? POLLOUT : 0)), 0};
    if (::poll(&ready, 1, wait) < 0 && errno != EINTR) return fail(Code::internal, errno, "cannot wait");
  }
}

Result<std::optional<Incoming>> Client::next() {
  if (incoming_.empty()) {
    // What came before the end still counts, so the end is an error only when nothing is left.
    auto received = receive();
    if (!received && incoming_.empty()) return fail(received);
  }
  if (incoming_.empty()) return std::nullopt;
  Incoming first = std::move(incoming_.front());
  incoming_.pop_front();
  return first;
}

Result<void> Client::receive() {
  std::array<char, 64 << 10> buffer;
  for (;;) {
    auto received = base::receive_some(fd(), buffer);
    if (!received) return fail(received);
    reader_.append({buffer.data(), received->count});
    for (;;) {
      auto frame = reader_.next();
      if (!frame) return fail(frame);
      if (!*frame) break;
      if (auto taken = take(**frame); !taken) return taken;
    }
    if (received->closed) return std::unexpected(gone());
    if (received->count < buffer.size()) return {};
  }
}

Result<void> Client::take(const FrameView& frame) {
  heard_++;
  if (frame.type == FrameType::bytes) {
    incoming_.emplace_back(Bytes{std::string(frame.payload)});
    return {};
  }
  auto message = parse_message(frame.payload);
  if (!message) return std::unexpected(message.error().error);
  if (auto* request = std::get_if<Request>(&*message)) {
    incoming_.emplace_back(std::move(*request));
    return {};
  }
  auto& response = std::get<Response>(*message);
  // A greeting that was refused, or something the daemon could not even read, is the end of the talk.
  if (response.id == kHelloId || response.id.is_null()) {
    if (!response.result) return std::unexpected(std::move(response.result.error()));
    return {};
  }
  incoming_.emplace_back(std::move(response));
  return {};
}

}  // namespace wire
