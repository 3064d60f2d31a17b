// SPDX-License-Identifier: Apache-2.0
#include "web/http_connection.h"

#include <array>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/http/read.hpp>
#include <fmt/format.h>
#include <utility>

#include "base/strings.h"
#include "web/http_head.h"
#include "web/limits.h"
#include "web/websocket.h"

namespace web {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Plain = asio::ip::tcp::socket;
using Secure = asio::ssl::stream<Plain>;

template <typename Stream>
constexpr bool kIsSecure = std::is_same_v<Stream, Secure>;

std::string address_of(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  return address.to_string();
}

}  // namespace

template <typename Stream>
HttpConnection<Stream>::HttpConnection(House& house, Stream stream)
    : house_(house),
      stream_(std::move(stream)),
      deadline_(house.door().context().loop, [this] { close(); }),
      buffer_(kMostHeader + kMostFrame) {
  Error none;
  const auto& socket = beast::get_lowest_layer(stream_);
  address = address_of(socket.remote_endpoint(none).address());
  local_address = address_of(socket.local_endpoint(none).address());
}

template <typename Stream>
HttpConnection<Stream>::~HttpConnection() {
  if (!closed_) house_.leave(*this);
}

template <typename Stream>
void HttpConnection<Stream>::close() {
  if (std::exchange(closed_, true)) return;
  const auto self = this->weak_from_this().lock();
  deadline_.cancel();
  pending_.reset();
  events_.reset();
  Error none;
  beast::get_lowest_layer(stream_).shutdown(Plain::shutdown_both, none);
  beast::get_lowest_layer(stream_).close(none);
  house_.leave(*this);
}

template <typename Stream>
void HttpConnection<Stream>::start() {
  Error none;
  beast::get_lowest_layer(stream_).set_option(asio::ip::tcp::no_delay(true), none);
  if constexpr (kIsSecure<Stream>)
    shake_hands();
  else
    read_head();
}

template <typename Stream>
void HttpConnection<Stream>::shake_hands() {
  if constexpr (kIsSecure<Stream>) {
    deadline_.set_after(kHeaderTime);
    stream_.async_handshake(asio::ssl::stream_base::server, [self = this->shared_from_this()](Error wrong) {
      if (wrong || self->closed_) return self->close();
      self->read_head();
    });
  }
}

// Between requests a connection may be quiet for long; once one has begun, it must come.
template <typename Stream>
void HttpConnection<Stream>::await_request() {
  request_ = {};
  parser_.reset();
  if (buffer_.size() > 0) return read_head();
  deadline_.set_after(kIdleTime);
  stream_.async_read_some(buffer_.prepare(4096),
                          [self = this->shared_from_this()](Error wrong, size_t count) {
                            if (wrong || self->closed_) return self->close();
                            self->buffer_.commit(count);
                            self->read_head();
                          });
}

template <typename Stream>
void HttpConnection<Stream>::read_head() {
  parser_.emplace();
  parser_->header_limit(kMostHeader);
  parser_->body_limit(kMostBody);
  whole_ = false;
  deadline_.set_after(kHeaderTime);
  http::async_read_header(stream_, buffer_, *parser_,
                          [self = this->shared_from_this()](Error wrong, size_t) { self->on_head(wrong); });
}

template <typename Stream>
void HttpConnection<Stream>::on_head(Error wrong) {
  if (closed_) return;
  if (wrong) return refuse_unread(wrong);
  keep_ = parser_->keep_alive();
  auto request = request_in(parser_->get().base());
  if (!request) return respond(refusal(400, "BAD_REQUEST", "the request is not well formed"));
  request_ = std::move(*request);
  request_.address = address;
  request_.local_address = local_address;
  Verdict verdict = house_.door().judge(request_);
  if (verdict.visitor) {
    token = verdict.visitor->token;
    admitted = true;
  }
  switch (verdict.what) {
    case Verdict::What::respond:
      whole_ = parser_->is_done();
      return respond(verdict.response);
    case Verdict::What::read_body:
      return read_body(verdict);
    case Verdict::What::terminal:
      return become_terminal(*verdict.visitor);
    case Verdict::What::events:
      return become_stream();
  }
}

template <typename Stream>
void HttpConnection<Stream>::read_body(const Verdict& verdict) {
  if (parser_->is_done()) return answer(verdict);
  deadline_.set_after(kBodyTime);
  http::async_read(stream_, buffer_, *parser_,
                   [self = this->shared_from_this(), verdict](Error wrong, size_t) {
                     if (self->closed_) return;
                     if (wrong) return self->refuse_unread(wrong);
                     self->answer(verdict);
                   });
}

template <typename Stream>
void HttpConnection<Stream>::answer(const Verdict& verdict) {
  whole_ = true;
  deadline_.cancel();
  request_.body = std::move(parser_->get().body());
  watch_for_end();
  auto pending = house_.door().answer(request_, verdict.visitor,
                                      [weak = this->weak_from_this()](const Response& response) {
                                        if (const auto self = weak.lock()) self->respond(response);
                                      });
  if (!closed_) pending_ = std::move(pending);
}

// Whoever has gone does not wait any more. What comes instead is the beginning of the next request.
template <typename Stream>
void HttpConnection<Stream>::watch_for_end() {
  reading_ = true;
  stream_.async_read_some(buffer_.prepare(4096),
                          [self = this->shared_from_this()](Error wrong, size_t count) {
                            self->reading_ = false;
                            if (self->closed_) return;
                            if (wrong) return self->close();
                            self->buffer_.commit(count);
                            if (std::exchange(self->next_, false)) self->await_request();
                          });
}

template <typename Stream>
void HttpConnection<Stream>::refuse_unread(Error wrong) {
  if (wrong == http::error::body_limit) return respond(refusal(413, "TOO_LARGE", "a body has 1 MiB at most"));
  if (wrong == http::error::header_limit || wrong == http::error::buffer_overflow)
    return respond(refusal(431, "TOO_LARGE", "a header has 16 KiB at most"));
  if (wrong.category() == http::make_error_code(http::error::bad_method).category() &&
      wrong != http::error::end_of_stream && wrong != http::error::partial_message)
    return respond(refusal(400, "BAD_REQUEST", "the request is not well formed"));
  close();
}

template <typename Stream>
void HttpConnection<Stream>::respond(const Response& response) {
  if (closed_) return;
  house_.door().count_answer(response.status);
  // What was not read would be taken for the next request.
  keep_ = keep_ && whole_;
  output_ = head_of(response, keep_ ? "keep-alive" : "close");
  if (response.status != 304) output_ += fmt::format("Content-Length: {}\r\n", response.body.size());
  output_ += "\r\n";
  if (parser_->get().method() != http::verb::head && response.status != 304) output_ += response.body;
  deadline_.set_after(kAnswerTime);
  asio::async_write(stream_, asio::buffer(output_), [self = this->shared_from_this()](Error wrong, size_t) {
    if (self->closed_) return;
    if (wrong) return self->close();
    self->after_response();
  });
}

template <typename Stream>
void HttpConnection<Stream>::after_response() {
  pending_.reset();
  output_ = {};
  if (!keep_) {
    // What the other side still sends is taken for a moment: a reset would take the answer away from it.
    Error none;
    beast::get_lowest_layer(stream_).shutdown(Plain::shutdown_send, none);
    if (whole_) return close();
    deadline_.set_after(std::chrono::seconds(1));
    if (!reading_) watch_for_end();
    return;
  }
  if (!reading_) return await_request();
  next_ = true;
  deadline_.set_after(kIdleTime);
}

template <typename Stream>
void HttpConnection<Stream>::become_terminal(const Visitor& visitor) {
  Door& door = house_.door();
  auto client = std::make_unique<TerminalClient>(door.context(), door.gates(),
                                                 Door::agent_of(visitor, request_.address));
  if (auto attached = attach_as_asked(*client, door.context(), request_.target, visitor); !attached) {
    whole_ = parser_->is_done();
    return respond(failure(attached.error()));
  }
  deadline_.cancel();
  closed_ = true;
  const auto self = this->shared_from_this();
  house_.leave(*this);
  open_websocket(house_, *this, std::move(stream_), parser_->release(), std::move(client));
}

template <typename Stream>
void HttpConnection<Stream>::become_stream() {
  const std::string text =
      request_.last_event_id.empty() ? request_.target.value("after").value_or("") : request_.last_event_id;
  const auto after = base::parse_number<uint64_t>(text, 0, INT64_MAX);
  if (!text.empty() && !after) {
    whole_ = parser_->is_done();
    return respond(refusal(400, "BAD_REQUEST", "the number of an event is a number"));
  }
  deadline_.cancel();
  house_.door().count_answer(200);
  output_ =
      head_of({.type = "text/event-stream", .headers = {{"X-Accel-Buffering", "no"}}}, "close") + "\r\n";
  events_.emplace(house_.door().context(), after, [this] { write_events(); });
  watch_for_end();
  write_events();
}

template <typename Stream>
void HttpConnection<Stream>::write_events() {
  if (closed_ || writing_ || !events_) return;
  if (auto piece = events_->next_piece()) output_ += *piece;
  if (output_.empty()) return;
  writing_ = true;
  deadline_.set_after(kAnswerTime);
  asio::async_write(stream_, asio::buffer(output_), [self = this->shared_from_this()](Error wrong, size_t) {
    self->writing_ = false;
    if (self->closed_) return;
    if (wrong) return self->close();
    self->deadline_.cancel();
    self->output_.clear();
    self->write_events();
  });
}

std::shared_ptr<Guest> welcome(House& house, asio::ip::tcp::socket socket, asio::ssl::context* tls,
                               uint64_t number) {
  const auto begin = [&](auto connection) -> std::shared_ptr<Guest> {
    connection->number = number;
    house.enter(connection);
    connection->start();
    return connection;
  };
  if (tls == nullptr) return begin(std::make_shared<HttpConnection<Plain>>(house, std::move(socket)));
  return begin(std::make_shared<HttpConnection<Secure>>(house, Secure(std::move(socket), *tls)));
}

}  // namespace web
