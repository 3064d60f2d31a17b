// SPDX-License-Identifier: Apache-2.0
#include "channel/answer_server.h"

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/strings.h"

namespace channel {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using base::Code;
using base::fail;

constexpr std::chrono::seconds kTime{10};
constexpr std::chrono::seconds kPause{1};
constexpr size_t kMostRest = 1 << 20;
constexpr uint32_t kMostHeader = 8 << 10;

}  // namespace

struct AnswerServer::State {
  State(asio::io_context& context, Handler h) : acceptor(context), pause(context), handler(std::move(h)) {}
  tcp::acceptor acceptor;
  asio::steady_timer pause;  // while there are no descriptors
  Handler handler;
  size_t connections = 0;
  bool accepting = false;
  bool closed = false;
};

// Lives until its one request is answered, or its time is over.
class AnswerServer::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<State> state, tcp::socket socket)
      : state_(std::move(state)), stream_(std::move(socket)) {
    state_->connections++;
    parser_.body_limit(kMostBody);
    parser_.header_limit(kMostHeader);
  }
  ~Connection() {
    state_->connections--;
    if (state_->closed) return;
    try {
      accept(state_);
    } catch (const std::exception& error) {
      // The next connection that ends tries again.
      base::log::say(base::log::Level::error, "no more answers are taken for now: {}", error.what());
    }
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() {
    stream_.expires_after(kTime);
    http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](beast::error_code wrong, size_t) {
      if (!wrong) return self->handle();
      if (wrong == http::error::body_limit || wrong == http::error::header_limit)
        self->answer({.status = 413, .body = "too large\n"});
    });
  }

 private:
  void handle() {
    const auto& message = parser_.get();
    ServerRequest request{.method = std::string(message.method_string()),
                          .target = std::string(message.target()),
                          .content_type = std::string(message[http::field::content_type]),
                          .body = message.body()};
    if (state_->closed) return;
    // An answer waits for its program, as long as that may take.
    stream_.expires_never();
    state_->handler(std::move(request), [self = shared_from_this()](ServerResponse response) {
      self->answer(std::move(response));
    });
  }

  void answer(ServerResponse response) {
    response_.result(static_cast<unsigned>(response.status));
    response_.set(http::field::content_type, "text/plain; charset=utf-8");
    response_.set(http::field::cache_control, "no-store");
    response_.set(http::field::connection, "close");
    response_.body() = std::move(response.body);
    response_.prepare_payload();
    stream_.expires_after(kTime);
    http::async_write(stream_, response_, [self = shared_from_this()](beast::error_code, size_t) {
      beast::error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
      self->linger();
    });
  }

  // Whoever still sends would lose the answer if the connection were closed now.
  void linger() {
    stream_.async_read_some(asio::buffer(rest_),
                            [self = shared_from_this()](beast::error_code wrong, size_t count) {
                              self->lingered_ += count;
                              if (!wrong && self->lingered_ < kMostRest) self->linger();
                            });
  }

  std::shared_ptr<State> state_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{kMostHeader + kMostBody};
  http::request_parser<http::string_body> parser_;
  http::response<http::string_body> response_;
  std::array<char, 4096> rest_{};
  size_t lingered_ = 0;
};

base::Result<std::unique_ptr<AnswerServer>> AnswerServer::open(event::Loop& loop, const std::string& listen,
                                                               Handler handler) {
  const size_t colon = listen.rfind(':');
  const auto port = colon != std::string::npos
                        ? base::parse_number<uint16_t>(std::string_view(listen).substr(colon + 1), 0, 65535)
                        : std::nullopt;
  std::string host = listen.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  beast::error_code wrong;
  const auto address = asio::ip::make_address(host, wrong);
  if (wrong || !port)
    return fail(Code::invalid_param, 0, "channels.webhook.listen wants ADDRESS:PORT, as 127.0.0.1:8787");
  auto state = std::make_shared<State>(loop.context(), std::move(handler));
  const tcp::endpoint endpoint(address, *port);
  state->acceptor.open(endpoint.protocol(), wrong);
  if (!wrong) state->acceptor.set_option(asio::socket_base::reuse_address(true), wrong);
  if (!wrong) state->acceptor.bind(endpoint, wrong);
  if (!wrong) state->acceptor.listen(asio::socket_base::max_listen_connections, wrong);
  if (wrong) return fail(Code::internal, wrong.value(), "cannot listen at " + listen);
  accept(state);
  return std::unique_ptr<AnswerServer>(new AnswerServer(std::move(state)));
}

// Always one that waits for the next, as long as there is room.
void AnswerServer::accept(const std::shared_ptr<State>& state) {
  if (state->accepting || state->closed || state->connections >= kMostConnections) return;
  state->accepting = true;
  state->acceptor.async_accept([state](beast::error_code wrong, tcp::socket socket) {
    state->accepting = false;
    if (state->closed) return;
    if (!wrong) {
      std::make_shared<Connection>(state, std::move(socket))->start();
      return accept(state);
    }
    state->pause.expires_after(kPause);
    state->pause.async_wait([state](beast::error_code cancelled) {
      if (!cancelled) accept(state);
    });
  });
}

AnswerServer::~AnswerServer() {
  state_->closed = true;
  beast::error_code ignored;
  state_->acceptor.close(ignored);
  state_->pause.cancel();
}

uint16_t AnswerServer::port() const {
  beast::error_code wrong;
  return state_->acceptor.local_endpoint(wrong).port();
}

}  // namespace channel
