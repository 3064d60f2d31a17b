// SPDX-License-Identifier: Apache-2.0
#include "sandbox/proxy.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <semaphore>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "sandbox/request_head.h"

namespace sandbox {
namespace {

using base::Fd;

constexpr size_t kMostHead = 64 << 10;
constexpr int kMostConnections = 64;
constexpr int kHeadMs = 30'000;
constexpr int kConnectMs = 30'000;
constexpr int kIdleMs = 600'000;

// An address that no name of the outside world should have: the machine itself and its own wires.
enum class Place { world, loopback, local };

Place place_of_v4(uint32_t address) {
  if (address >> 24 == 127) return Place::loopback;
  const bool local =
      address >> 24 == 0 || address >> 16 == 0xA9FE || address >> 28 == 0xE || address == 0xFFFFFFFF;
  return local ? Place::local : Place::world;
}

Place place_of(const sockaddr* address) {
  if (address->sa_family == AF_INET)
    return place_of_v4(ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr));
  const in6_addr& six = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  if (IN6_IS_ADDR_LOOPBACK(&six)) return Place::loopback;
  if (IN6_IS_ADDR_V4MAPPED(&six) || IN6_IS_ADDR_V4COMPAT(&six)) {
    const uint8_t* last = six.s6_addr + 12;
    return place_of_v4(uint32_t{last[0]} << 24 | uint32_t{last[1]} << 16 | uint32_t{last[2]} << 8 | last[3]);
  }
  return IN6_IS_ADDR_LINKLOCAL(&six) || IN6_IS_ADDR_MULTICAST(&six) || IN6_IS_ADDR_UNSPECIFIED(&six)
             ? Place::local
             : Place::world;
}

// The machine itself only where the rule says so in as many words.
bool may_be_loopback(const base::DomainRule& rule) {
  return rule.port && (rule.name == "localhost" || rule.name.ends_with(".localhost"));
}

bool wait_for(int fd, short what, int milliseconds) {
  pollfd wait{fd, what, 0};
  int ready = 0;
  do ready = ::poll(&wait, 1, milliseconds);
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

bool send_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n > 0) bytes.remove_prefix(static_cast<size_t>(n));
    if (n < 0 && errno == EAGAIN && wait_for(to, POLLOUT, kIdleMs)) continue;
    if (n < 0 && errno != EINTR) return false;
  }
  return true;
}

void answer(int to, std::string_view status, const std::string& why) {
  const std::string body = "tend: " + why + "\n";
  send_all(to, "HTTP/1.1 " + std::string(status) +
                   "\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: " +
                   std::to_string(body.size()) + "\r\n\r\n" + body);
}

// The head, and what came behind it.
struct Heard {
  std::string head;
  std::string rest;
};

std::optional<Heard> hear(int from) {
  std::string text;
  std::array<char, 4096> piece;
  while (text.size() < kMostHead && wait_for(from, POLLIN, kHeadMs)) {
    const ssize_t n = ::recv(from, piece.data(), piece.size(), 0);
    if (n <= 0) return {};
    text.append(piece.data(), static_cast<size_t>(n));
    if (const size_t end = text.find("\r\n\r\n"); end != std::string::npos)
      return Heard{text.substr(0, end + 4), text.substr(end + 4)};
  }
  return {};
}

Fd connect_to(const addrinfo& to) {
  Fd socket(::socket(to.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return socket;
  if (::connect(socket.get(), to.ai_addr, to.ai_addrlen) == 0) return socket;
  int reason = errno;
  socklen_t size = sizeof reason;
  if (reason != EINPROGRESS || !wait_for(socket.get(), POLLOUT, kConnectMs) ||
      ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &reason, &size) != 0 || reason != 0)
    return {};
  return socket;
}

// The address that was looked at is the one that is used: nobody asks for the name a second time.
Fd reach(const std::string& host, uint16_t port, const base::DomainRule& rule, std::string& why) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int reason = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
      reason != 0) {
    why = "cannot look up " + host + ": " + ::gai_strerror(reason);
    return {};
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, ::freeaddrinfo);
  why = "cannot connect to " + host;
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    const Place place = place_of(each->ai_addr);
    if (place == Place::local || (place == Place::loopback && !may_be_loopback(rule))) {
      why = host + " is an address of this machine";
      continue;
    }
    if (Fd socket = connect_to(*each)) return socket;
  }
  return {};
}

// Both ways until both have ended, or nothing moves for ten minutes.
void relay(int one, int other) {
  std::array<char, 64 << 10> piece;
  pollfd ends[2] = {{one, POLLIN, 0}, {other, POLLIN, 0}};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    const int ready = ::poll(ends, 2, kIdleMs);
    if (ready == 0 || (ready < 0 && errno != EINTR)) return;
    for (int i = 0; i < 2; i++) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      const int to = i == 0 ? other : one;
      const ssize_t n = ::recv(ends[i].fd, piece.data(), piece.size(), 0);
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (n < 0 || (n > 0 && !send_all(to, {piece.data(), static_cast<size_t>(n)}))) return;
      if (n > 0) continue;
      ::shutdown(to, SHUT_WR);
      ends[i].fd = -1;
    }
  }
}

}  // namespace

const base::DomainRule* Proxy::rule_for(const std::string& host, uint16_t port) const {
  const auto found = std::find_if(rules_.begin(), rules_.end(),
                                  [&](const base::DomainRule& each) { return each.allows(host, port); });
  return found != rules_.end() ? &*found : nullptr;
}

void Proxy::handle(Fd client) const {
  const auto heard = hear(client.get());
  if (!heard) return;
  auto head = parse_head(heard->head);
  if (!head) return answer(client.get(), "400 Bad Request", head.error().what);
  const base::DomainRule* rule = rule_for(head->host, head->port);
  if (rule == nullptr)
    return answer(client.get(), "403 Forbidden",
                  head->host + ":" + std::to_string(head->port) + " is not in sandbox.allow_domains");
  std::string why;
  const Fd server = reach(head->host, head->port, *rule, why);
  if (!server) return answer(client.get(), "502 Bad Gateway", why);
  if (head->tunnel && !send_all(client.get(), "HTTP/1.1 200 Connection established\r\n\r\n")) return;
  if (!send_all(server.get(), head->forward + heard->rest)) return;
  relay(client.get(), server.get());
}

void Proxy::serve(int listener) const {
  std::counting_semaphore<kMostConnections> places(kMostConnections);
  for (;;) {
    places.acquire();
    Fd client(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    if (!client) {
      places.release();
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS) return;
      ::poll(nullptr, 0, 100);
      continue;
    }
    std::thread([this, &places, socket = std::move(client)]() mutable {
      handle(std::move(socket));
      places.release();
    }).detach();
  }
}

}  // namespace sandbox
