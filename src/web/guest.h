// SPDX-License-Identifier: Apache-2.0
// Guest: one connection, as the listener sees it. It lives for as long as something of it is under way;
// whoever closes it early calls close().
#pragma once
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace boost::asio::ssl {
class context;
}

namespace web {

class Door;
class Guest;

constexpr uint16_t kGoingAway = 1001;
constexpr uint16_t kNotAllowed = 1008;

// Where guests are known from their first moment to their last.
class House {
 public:
  virtual ~House() = default;
  virtual void enter(const std::shared_ptr<Guest>& guest) = 0;
  virtual void leave(Guest& guest) = 0;
  virtual Door& door() = 0;
};

class Guest {
 public:
  virtual ~Guest() = default;
  virtual void close() = 0;
  // It is told why it has to go, in words of the WebSocket protocol, where it speaks that.
  virtual void dismiss(uint16_t code, std::string_view reason) {
    (void)code;
    (void)reason;
    close();
  }

  uint64_t number = 0;
  std::string address;
  std::string local_address;
  std::string token;      // its id, once it has shown one
  bool admitted = false;  // has made a whole request that was not refused
};

// A new connection; with a context, it speaks TLS.
std::shared_ptr<Guest> welcome(House& house, boost::asio::ip::tcp::socket socket,
                               boost::asio::ssl::context* tls, uint64_t number);

}  // namespace web
