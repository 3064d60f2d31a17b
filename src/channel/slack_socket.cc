// SPDX-License-Identifier: Apache-2.0
#include "channel/slack_socket.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <deque>
#include <type_traits>
#include <utility>

#include "base/strings.h"

namespace channel {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using base::Code;
using base::fail;
using Plain = websocket::stream<beast::tcp_stream>;
using Tls = websocket::stream<beast::ssl_stream<beast::tcp_stream>>;

constexpr size_t kMostWaiting = 1000;

}  // namespace

base::Result<SocketUrl> read_socket_url(std::string_view url) {
  SocketUrl read;
  if (url.starts_with("wss://"))
    url.remove_prefix(6);
  else if (url.starts_with("ws://")) {
    url.remove_prefix(5);
    read.tls = false;
  } else {
    return fail(Code::invalid_param, 0, "Slack names no WebSocket");
  }
  const size_t path = std::min(url.find_first_of("/?"), url.size());
  std::string_view host = url.substr(0, path);
  read.target = url.substr(path);
  if (!read.target.starts_with('/')) read.target.insert(0, "/");
  read.port = read.tls ? "443" : "80";
  if (const size_t colon = host.rfind(':'); colon != std::string_view::npos && !host.ends_with(']')) {
    read.port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  read.host = host;
  if (host.empty() || !base::parse_number<uint16_t>(read.port, 1, 65535))
    return fail(Code::invalid_param, 0, "Slack names no WebSocket");
  if (!read.tls && host != "127.0.0.1" && host != "localhost" && host != "[::1]")
    return fail(Code::invalid_param, 0, "Slack names a WebSocket that is not encrypted");
  return read;
}

class SlackSocket::Line {
 public:
  virtual ~Line() = default;
  virtual void start(const SocketUrl& url) = 0;
  virtual void send(std::string text) = 0;
  virtual void stop() = 0;
};

namespace {

template <typename Stream>
class Talk final : public SlackSocket::Line, public std::enable_shared_from_this<Talk<Stream>> {
 public:
  Talk(event::Loop& loop, base::Duration timeout, SlackSocket::Calls calls)
      : timeout_(timeout), calls_(std::move(calls)), resolver_(loop.context()), stream_(loop.context()) {}
  Talk(event::Loop& loop, base::Duration timeout, SlackSocket::Calls calls,
       std::shared_ptr<asio::ssl::context> trust)
      : timeout_(timeout),
        calls_(std::move(calls)),
        resolver_(loop.context()),
        trust_(std::move(trust)),
        stream_(loop.context(), *trust_) {}

  void start(const SocketUrl& url) override {
    url_ = url;
    beast::get_lowest_layer(stream_).expires_after(timeout_);
    resolver_.async_resolve(url.host, url.port,
                            [self = this->shared_from_this()](beast::error_code wrong, const auto& found) {
                              if (wrong) return self->fail_with("cannot find " + self->url_.host, wrong);
                              self->connect(found);
                            });
  }

  void send(std::string text) override {
    if (stopped_ || !open_ || waiting_.size() >= kMostWaiting) return;
    waiting_.push_back(std::move(text));
    if (waiting_.size() == 1) write();
  }

  void stop() override {
    stopped_ = true;
    resolver_.cancel();
    beast::get_lowest_layer(stream_).cancel();
    beast::get_lowest_layer(stream_).close();
  }

 private:
  void connect(const tcp::resolver::results_type& found) {
    if (stopped_) return;
    auto& lowest = beast::get_lowest_layer(stream_);
    lowest.expires_after(timeout_);
    lowest.async_connect(found,
                         [self = this->shared_from_this()](beast::error_code wrong, const tcp::endpoint&) {
                           if (wrong) return self->fail_with("cannot reach " + self->url_.host, wrong);
                           if constexpr (std::is_same_v<Stream, Tls>)
                             self->secure();
                           else
                             self->shake_hands();
                         });
  }

  void secure() {
    auto& tls = stream_.next_layer();
    if (::SSL_set_tlsext_host_name(tls.native_handle(), url_.host.c_str()) != 1)
      return fail_with("cannot name " + url_.host, {});
    tls.set_verify_callback(asio::ssl::host_name_verification(url_.host));
    tls.async_handshake(asio::ssl::stream_base::client,
                        [self = this->shared_from_this()](beast::error_code wrong) {
                          if (wrong)
                            return self->fail_with("no safe connection to " + self->url_.host, wrong);
                          self->shake_hands();
                        });
  }

  void shake_hands() {
    if (stopped_) return;
    beast::get_lowest_layer(stream_).expires_never();
    // Half of the idle time without a word, and it is pinged.
    stream_.set_option(websocket::stream_base::timeout{
        .handshake_timeout = timeout_, .idle_timeout = 3 * timeout_, .keep_alive_pings = true});
    stream_.read_message_max(SlackSocket::kMostMessage);
    stream_.async_handshake(url_.host + ":" + url_.port, url_.target,
                            [self = this->shared_from_this()](beast::error_code wrong) {
                              if (wrong) return self->fail_with(self->url_.host + " refuses", wrong);
                              self->open_ = true;
                              self->read();
                            });
  }

  void read() {
    stream_.async_read(buffer_, [self = this->shared_from_this()](beast::error_code wrong, size_t) {
      if (wrong) return self->fail_with("the connection has gone", wrong);
      std::string text = beast::buffers_to_string(self->buffer_.data());
      self->buffer_.consume(self->buffer_.size());
      if (!self->stopped_ && self->calls_.message) self->calls_.message(std::move(text));
      if (!self->stopped_) self->read();
    });
  }

  void write() {
    stream_.text(true);
    stream_.async_write(asio::buffer(waiting_.front()),
                        [self = this->shared_from_this()](beast::error_code wrong, size_t) {
                          // Whoever reads hears of it too.
                          if (wrong || self->stopped_) return;
                          self->waiting_.pop_front();
                          if (!self->waiting_.empty()) self->write();
                        });
  }

  void fail_with(const std::string& what, beast::error_code wrong) {
    if (std::exchange(stopped_, true)) return;
    open_ = false;
    if (calls_.closed) calls_.closed(wrong ? what + ": " + wrong.message() : what);
  }

  base::Duration timeout_;
  SlackSocket::Calls calls_;
  SocketUrl url_;
  tcp::resolver resolver_;
  std::shared_ptr<asio::ssl::context> trust_;
  Stream stream_;
  beast::flat_buffer buffer_;
  std::deque<std::string> waiting_;
  bool open_ = false;
  bool stopped_ = false;
};

// A file that is no good is found out when the channel starts; here nobody is trusted for it.
std::shared_ptr<asio::ssl::context> tls_context(const std::optional<std::string>& ca_file) {
  auto made = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  made->set_options(asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
  made->set_verify_mode(asio::ssl::verify_peer);
  boost::system::error_code ignored;
  made->set_default_verify_paths(ignored);
  if (ca_file) made->load_verify_file(*ca_file, ignored);
  return made;
}

}  // namespace

SlackSocket::SlackSocket(event::Loop& loop, const SocketUrl& url, base::Duration timeout,
                         const std::optional<std::string>& ca_file, Calls calls) {
  if (url.tls)
    line_ = std::make_shared<Talk<Tls>>(loop, timeout, std::move(calls), tls_context(ca_file));
  else
    line_ = std::make_shared<Talk<Plain>>(loop, timeout, std::move(calls));
  line_->start(url);
}

SlackSocket::~SlackSocket() { line_->stop(); }

void SlackSocket::send(std::string text) { line_->send(std::move(text)); }

}  // namespace channel
