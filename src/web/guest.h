// SPDX-License-Identifier: Apache-2.0
// Guest: one connection, as the listener sees it. It lives for as long as something of it is under way;
// whoever closes it early calls close().
#pragma once
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <memory>
#include <string>

namespace boost::asio::ssl {
class context;
}

namespace web {

class Door;
class Guest;

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
  // The token that it came in with is not good any more.
  virtual void dismiss() { close(); }

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
