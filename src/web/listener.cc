// SPDX-License-Identifier: Apache-2.0
#include "web/listener.h"

#include <algorithm>
#include <utility>

#include "web/door.h"
#include "web/limits.h"

namespace web {
namespace {

namespace asio = boost::asio;
using base::Code;
using boost::system::error_code;
using tcp = asio::ip::tcp;

constexpr std::chrono::milliseconds kPause{200};
constexpr int kWaitingOutside = 128;

}  // namespace

Listener::Listener(event::Loop& loop, Door& door)
    : loop_(loop), door_(door), acceptor_(loop.context()), pause_(loop, [this] { accept(); }) {}

Listener::~Listener() {
  shut();
  gone_ = {};
  for (const auto& each : present()) each->close();
}

base::Result<void> Listener::open(const std::string& address, uint16_t port, const Tls& tls) {
  error_code wrong;
  const auto parsed = asio::ip::make_address(address, wrong);
  if (wrong) return base::fail(Code::invalid_param, 0, "'" + address + "' is no address to listen at");
  const tcp::endpoint where(parsed, port);
  const auto failed = [&] {
    error_code none;
    acceptor_.close(none);
    return base::fail(Code::internal, wrong.value(),
                      "cannot listen at " + address + " port " + std::to_string(port));
  };
  acceptor_.open(where.protocol(), wrong);
  if (!wrong) acceptor_.set_option(tcp::acceptor::reuse_address(true), wrong);
  if (!wrong) acceptor_.bind(where, wrong);
  if (!wrong) acceptor_.listen(kWaitingOutside, wrong);
  if (wrong) return failed();
  port_ = acceptor_.local_endpoint(wrong).port();
  tls_ = tls;
  accept();
  return {};
}

void Listener::shut() {
  error_code none;
  acceptor_.close(none);
  pause_.cancel();
}

void Listener::close(std::string_view why, std::function<void()> gone) {
  shut();
  for (const auto& each : present()) each->dismiss(kGoingAway, why);
  if (!gone) return;
  if (guests_.empty()) return loop_.post(std::move(gone));
  gone_ = std::move(gone);
}

std::vector<std::shared_ptr<Guest>> Listener::present() const {
  std::vector<std::shared_ptr<Guest>> all;
  for (const auto& [guest, held] : guests_)
    if (auto kept = held.lock()) all.push_back(std::move(kept));
  return all;
}

void Listener::accept() {
  if (!acceptor_.is_open()) return;
  acceptor_.async_accept([this, alive = std::weak_ptr(alive_)](error_code wrong, tcp::socket socket) {
    if (alive.expired() || wrong == asio::error::operation_aborted) return;
    if (wrong == asio::error::no_descriptors) {
      // Those who wait outside stay there until there is room.
      out_of_descriptors_ = true;
      return pause_.set_after(kPause);
    }
    out_of_descriptors_ = false;
    if (!wrong) admit(std::move(socket));
    accept();
  });
}

void Listener::admit(tcp::socket socket) {
  error_code wrong;
  const auto peer = socket.remote_endpoint(wrong);
  if (wrong) return;
  const auto mapped = peer.address().is_v6() && peer.address().to_v6().is_v4_mapped();
  const std::string address =
      mapped ? asio::ip::make_address_v4(asio::ip::v4_mapped, peer.address().to_v6()).to_string()
             : peer.address().to_string();
  const auto of_address = std::count_if(guests_.begin(), guests_.end(),
                                        [&](const auto& each) { return each.first->address == address; });
  if (static_cast<size_t>(of_address) >= kMostOfAddress && !make_room(&address)) return;
  if (guests_.size() >= kMostGuests && !make_room(nullptr)) return;
  welcome(*this, std::move(socket), tls_.context.get(), ++last_);
}

bool Listener::make_room(const std::string* address) {
  Guest* oldest = nullptr;
  for (const auto& [guest, held] : guests_) {
    if (guest->admitted || (address != nullptr && guest->address != *address)) continue;
    if (oldest == nullptr || guest->number < oldest->number) oldest = guest;
  }
  if (oldest == nullptr) return false;
  const auto kept = guests_[oldest].lock();
  if (kept) kept->close();
  return true;
}

void Listener::enter(const std::shared_ptr<Guest>& guest) { guests_[guest.get()] = guest; }

void Listener::leave(Guest& guest) {
  guests_.erase(&guest);
  if (guests_.empty() && gone_) loop_.post(std::exchange(gone_, {}));
}

void Listener::dismiss(const std::string& token) {
  for (const auto& each : present())
    if (each->token == token) each->dismiss(kNotAllowed, "the token is not good any more");
}

}  // namespace web
