// SPDX-License-Identifier: Apache-2.0
#include "pty/keeper_connection.h"

#include <array>
#include <cerrno>
#include <utility>

#include "base/unix_socket.h"

namespace pty::keeper {
namespace {

constexpr size_t kMostQueued = 256;
constexpr size_t kReadSize = 64 << 10;

}  // namespace

std::vector<Frame> Connection::receive() {
  std::vector<Frame> frames;
  std::array<char, kReadSize> buffer;
  auto received = base::receive_some(socket_.get(), buffer);
  if (!received || received->closed) lost_ = true;
  if (lost_) return frames;
  in_.append({buffer.data(), received->count});
  if (policy_ == Descriptors::keep) {
    for (base::Fd& fd : received->descriptors) descriptors_.push_back(std::move(fd));
  }
  for (;;) {
    auto frame = in_.next();
    if (!frame) lost_ = true;
    if (!frame || !*frame) return frames;
    frames.push_back(std::move(**frame));
  }
}

std::vector<base::Fd> Connection::take_descriptors(size_t count) {
  std::vector<base::Fd> taken;
  if (descriptors_.size() < count) return taken;
  for (; taken.size() < count; descriptors_.pop_front()) taken.push_back(std::move(descriptors_.front()));
  return taken;
}

void Connection::send(Type type, uint32_t request, uint32_t pty, std::string_view payload,
                      std::span<const int> fds) {
  if (lost_ || deaf_) return;
  if (out_.size() >= kMostQueued) {
    lost_ = true;
    return;
  }
  Outgoing message{.bytes = make_frame(type, request, pty, payload)};
  for (const int fd : fds) {
    auto copy = base::duplicate(fd);
    if (!copy) {
      lost_ = true;
      return;
    }
    message.descriptors.push_back(std::move(*copy));
  }
  out_.push_back(std::move(message));
  flush();
}

void Connection::flush() {
  while (!lost_ && !deaf_ && !out_.empty() && send_front(out_.front())) out_.pop_front();
  if (deaf_) out_.clear();
}

// True when all of it is gone.
bool Connection::send_front(Outgoing& message) {
  std::vector<int> descriptors;
  if (message.sent == 0) {
    for (const base::Fd& fd : message.descriptors) descriptors.push_back(fd.get());
  }
  const auto sent =
      base::send_some(socket_.get(), std::string_view(message.bytes).substr(message.sent), descriptors);
  if (!sent) {
    // A peer that has gone may have said something before: what it left is still to be read, and its end
    // comes behind that.
    if (sent.error().sys == EPIPE || sent.error().sys == ECONNRESET)
      deaf_ = true;
    else
      lost_ = true;
    return false;
  }
  message.sent += *sent;
  if (*sent > 0) message.descriptors.clear();
  return message.sent == message.bytes.size();
}

}  // namespace pty::keeper
