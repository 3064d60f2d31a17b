// SPDX-License-Identifier: Apache-2.0
// HttpConnection: HTTP/1.1 on one connection, plain or TLS: one request after the other, each within its
// time. It turns into a stream of events, or hands its socket on to become a WebSocket.
#pragma once
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>
#include <string>

#include "event/loop.h"
#include "web/door.h"
#include "web/event_stream.h"
#include "web/guest.h"

namespace web {

template <typename Stream>
class HttpConnection final : public Guest, public std::enable_shared_from_this<HttpConnection<Stream>> {
 public:
  HttpConnection(House& house, Stream stream);
  ~HttpConnection() override;
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void start();
  void close() override;

 private:
  using Error = boost::system::error_code;
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  void shake_hands();
  void await_request();
  void read_head();
  void on_head(Error wrong);
  void read_body(const Verdict& verdict);
  void answer(const Verdict& verdict);
  void watch_for_end();
  void respond(const Response& response);
  void after_response();
  void refuse_unread(Error wrong);
  void become_terminal(const Visitor& visitor);
  void become_stream();
  void write_events();

  House& house_;
  Stream stream_;
  event::Timer deadline_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  Request request_;
  Door::Pending pending_;
  std::string output_;
  std::optional<EventStream> events_;
  bool closed_ = false;
  bool reading_ = false;  // looks whether the other side is still there
  bool writing_ = false;
  bool next_ = false;  // waits for that look to end before it reads the next request
  bool keep_ = false;
  bool whole_ = false;  // the request was read to its end
};

}  // namespace web
