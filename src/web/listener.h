// SPDX-License-Identifier: Apache-2.0
// Listener: takes connections in, as many as there may be. At the bound, whoever has not made a request yet
// goes first, the oldest of them: connections that say nothing keep nobody out.
#pragma once
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "event/loop.h"
#include "web/guest.h"
#include "web/tls.h"

namespace web {

class Listener final : private House {
 public:
  Listener(event::Loop& loop, Door& door);
  ~Listener() override;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  base::Result<void> open(const std::string& address, uint16_t port, const Tls& tls);
  // Nobody comes in any more, and those who are here are told so. `gone`: when the last of them has left.
  void close(std::string_view why, std::function<void()> gone = {});
  bool is_open() const { return acceptor_.is_open(); }
  uint16_t port() const { return port_; }
  size_t guests() const { return guests_.size(); }
  bool out_of_descriptors() const { return out_of_descriptors_; }

  // Those that came in with this token are told that it is over.
  void dismiss(const std::string& token);

 private:
  void enter(const std::shared_ptr<Guest>& guest) override;
  void leave(Guest& guest) override;
  Door& door() override { return door_; }
  void accept();
  void admit(boost::asio::ip::tcp::socket socket);
  bool make_room(const std::string* address);
  void shut();
  std::vector<std::shared_ptr<Guest>> present() const;

  event::Loop& loop_;
  Door& door_;
  boost::asio::ip::tcp::acceptor acceptor_;
  Tls tls_;
  uint16_t port_ = 0;
  event::Timer pause_;  // while there are no descriptors left
  bool out_of_descriptors_ = false;
  uint64_t last_ = 0;
  std::map<Guest*, std::weak_ptr<Guest>> guests_;
  std::function<void()> gone_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace web
