// SPDX-License-Identifier: Apache-2.0
#include "daemon/server.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/log.h"
#include "base/unix_socket.h"

namespace host {
namespace {

using base::Code;
using base::Fd;
using base::Result;

constexpr std::chrono::milliseconds kPause{200};
constexpr int kAcceptPerTurn = 64;

// Of a process, by its id; 0 for one that may not be looked at.
ino_t user_namespace(const std::string& process) {
  struct stat about{};
  return ::stat(("/proc/" + process + "/ns/user").c_str(), &about) == 0 ? about.st_ino : 0;
}

}  // namespace

Server::Server(Context& context, std::string socket_path, std::function<void()> changed)
    : context_(context),
      path_(std::move(socket_path)),
      changed_(std::move(changed)),
      pause_(context.loop, [this] {
        if (watch_) watch_->want({.input = true});
      }) {}

Server::~Server() {
  if (listener_) ::unlink(path_.c_str());
}

Result<void> Server::listen() {
  ::unlink(path_.c_str());
  auto listener = base::listen_at(path_);
  if (!listener) return base::fail(listener);
  watch_.reset();
  listener_ = std::move(*listener);
  watch_ =
      std::make_unique<event::Watch>(context_.loop, listener_.get(), [this](event::Ready) { accept_all(); });
  watch_->want({.input = true});
  return {};
}

bool Server::close_door() {
  ::unlink(path_.c_str());
  accept_all();
  if (clients() > 0) {
    if (auto again = listen(); !again) base::log::say(base::log::Level::error, "{}", again.error().message());
    return false;
  }
  watch_.reset();
  listener_.reset();
  return true;
}

void Server::accept_all() {
  for (int i = 0; i < kAcceptPerTurn; i++) {
    Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket) {
      out_of_descriptors_ = false;
      admit(std::move(socket));
      continue;
    }
    if (errno == EINTR || errno == ECONNABORTED) continue;
    if (errno == EAGAIN) return;
    // Those who wait outside stay there until there is room; asking at once again would be a busy loop.
    out_of_descriptors_ = true;
    watch_->want({});
    pause_.set_after(kPause);
    return;
  }
}

void Server::admit(Fd socket) {
  const auto peer = base::peer_of(socket.get());
  if (!peer) return;
  if (peer->uid != ::geteuid()) return refuse(std::move(socket), *peer, "another user");
  static const ino_t kOwn = user_namespace("self");
  const ino_t theirs = user_namespace(std::to_string(peer->pid));
  // It has gone already: there is nobody to let in, and nobody to refuse.
  if (theirs == 0 && peer->pid > 0 && ::kill(peer->pid, 0) != 0 && errno == ESRCH) return;
  if (theirs != kOwn) return refuse(std::move(socket), *peer, "a process in another user namespace");
  auto connection =
      std::make_shared<Connection>(context_, std::move(socket), *peer, [this](Connection& gone) {
        connections_.erase(&gone);
        changed_();
      });
  connections_[connection.get()] = connection;
  connection->start();
  changed_();
}

void Server::refuse(Fd socket, base::PeerIdentity peer, std::string_view why) {
  const base::Error error{Code::pty_access_denied, 0, fmt::format("the daemon does not talk to {}", why)};
  const std::string answer = wire::make_frame(
      wire::FrameType::json, wire::make_error(wire::Refusal{nullptr, wire::number_of(error.code), error}));
  [[maybe_unused]] const auto told = base::send_some(socket.get(), answer, {});
  store::AuditEntry entry =
      audit_entry("refused", fmt::format("uid:{} pid:{}", peer.uid, peer.pid), "socket");
  entry.result = base::code_name(error.code);
  entry.summary = why;
  context_.audit.add(std::move(entry));
}

size_t Server::clients() const {
  return static_cast<size_t>(std::count_if(connections_.begin(), connections_.end(),
                                           [](const auto& each) { return !each.second->is_channel(); }));
}

std::vector<std::string> Server::degraded() const {
  if (!out_of_descriptors_) return {};
  return {"no descriptors are left for new clients; close some, or raise the limit (ulimit -n)"};
}

}  // namespace host
