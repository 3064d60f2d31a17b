// SPDX-License-Identifier: Apache-2.0
#include "web/websocket.h"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <utility>

#include "base/strings.h"
#include "web/door.h"
#include "web/limits.h"

namespace web {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using base::Code;

constexpr int64_t kMostScrollback = 10'000;
constexpr std::chrono::seconds kFarewell{5};

template <typename Stream>
class WebSocket final : public Guest, private Link, public std::enable_shared_from_this<WebSocket<Stream>> {
 public:
  WebSocket(House& house, const Guest& before, Stream stream, UpgradeRequest request,
            std::unique_ptr<TerminalClient> client)
      : house_(house),
        socket_(std::move(stream)),
        request_(std::move(request)),
        client_(std::move(client)),
        deadline_(house.door().context().loop, [this] { close(); }) {
    number = before.number;
    address = before.address;
    local_address = before.local_address;
    token = before.token;
    admitted = true;
  }
  ~WebSocket() override {
    if (!closed_) house_.leave(*this);
  }

  void start() {
    socket_.set_option(websocket::stream_base::timeout{kHeaderTime, kIdleTime, true});
    socket_.read_message_max(kMostFrame);
    socket_.auto_fragment(false);
    socket_.async_accept(request_, [self = this->shared_from_this()](Error wrong) {
      if (wrong || self->closed_) return self->close();
      self->open_ = true;
      self->request_ = {};
      self->client_->use(*self);
      self->read();
    });
  }

  void close() override {
    if (std::exchange(closed_, true)) return;
    const auto self = this->weak_from_this().lock();
    deadline_.cancel();
    if (client_) client_->leave();
    Error none;
    beast::get_lowest_layer(socket_).close(none);
    house_.leave(*this);
  }

  void dismiss(uint16_t code, std::string_view reason) override { close(code, reason); }

 private:
  using Error = boost::system::error_code;

  void read() {
    socket_.async_read(buffer_, [self = this->shared_from_this()](Error wrong, size_t) {
      if (wrong || self->closed_) return self->close();
      // What comes after the farewell is nobody's any more, but unread it would take the farewell with it.
      if (!self->ending_) self->take();
      self->buffer_.consume(self->buffer_.size());
      self->read();
    });
  }

  void take() {
    const std::string_view bytes(static_cast<const char*>(buffer_.data().data()), buffer_.size());
    if (socket_.got_text())
      client_->take_control(bytes);
    else
      client_->take_keys(bytes);
  }

  void wake() override {
    if (!open_ || closed_ || ending_ || writing_) return;
    // Asking for a frame may wake: it must not ask again.
    writing_ = true;
    auto next = client_->next_frame();
    if (!next || closed_ || ending_) {
      writing_ = false;
      return say_farewell();
    }
    frame_ = std::move(*next);
    socket_.binary(frame_.kind == Frame::Kind::binary);
    socket_.async_write(asio::buffer(frame_.bytes), [self = this->shared_from_this()](Error wrong, size_t) {
      self->writing_ = false;
      if (wrong || self->closed_) return self->close();
      if (self->ending_) return self->say_farewell();
      self->frame_.bytes = {};
      self->wake();
    });
  }

  // When the frame that is under way has gone.
  void close(uint16_t code, std::string_view reason) override {
    if (closed_ || ending_) return;
    ending_ = true;
    reason_ = {static_cast<websocket::close_code>(code), reason};
    deadline_.set_after(kFarewell);
    house_.door().context().loop.post([self = this->shared_from_this()] { self->say_farewell(); });
  }

  void say_farewell() {
    if (!ending_ || closed_ || writing_ || said_) return;
    if (!open_) return close();
    said_ = true;
    client_->leave();
    socket_.async_close(reason_, [self = this->shared_from_this()](Error) { self->close(); });
  }

  House& house_;
  websocket::stream<Stream> socket_;
  UpgradeRequest request_;
  std::unique_ptr<TerminalClient> client_;
  event::Timer deadline_;
  beast::flat_buffer buffer_;
  Frame frame_;
  websocket::close_reason reason_;
  bool open_ = false;
  bool closed_ = false;
  bool ending_ = false;
  bool said_ = false;
  bool writing_ = false;
};

template <typename Stream>
void open(House& house, const Guest& before, Stream stream, UpgradeRequest request,
          std::unique_ptr<TerminalClient> client) {
  const auto socket = std::make_shared<WebSocket<Stream>>(house, before, std::move(stream),
                                                          std::move(request), std::move(client));
  house.enter(socket);
  socket->start();
}

}  // namespace

base::Result<void> attach_as_asked(TerminalClient& client, host::Context& context, const Target& target,
                                   const Visitor& visitor) {
  session::AttachOptions options;
  std::string name;
  int64_t number = 0;
  std::optional<int64_t> cols;
  std::optional<int64_t> rows;
  for (const auto& [key, text] : target.query) {
    const auto value = base::parse_number<int64_t>(text, 0, INT64_MAX);
    const bool numeric =
        key == "pty" || key == "cols" || key == "rows" || key == "from" || key == "scrollback";
    if (numeric && !value) return base::fail(Code::invalid_param, 0, key + " must be a number");
    if (key == "session")
      name = text;
    else if (key == "pty")
      number = *value;
    else if (key == "cols")
      cols = value;
    else if (key == "rows")
      rows = value;
    else if (key == "from")
      options.from = static_cast<uint64_t>(*value);
    else if (key == "scrollback")
      options.scrollback = static_cast<size_t>(std::min(*value, kMostScrollback));
    else if (key == "role" && (text == "observer" || text == "writer"))
      options.role = text == "observer" ? session::Role::observer : session::Role::writer;
    else
      return base::fail(Code::invalid_param, 0, "'" + base::printable(key, 40) + "' is not understood");
  }
  if (visitor.access != Access::full) options.role = session::Role::observer;
  const auto fit = [](int64_t cells) {
    return static_cast<uint16_t>(std::clamp<int64_t>(cells, 1, pty::kMostCells));
  };
  if (cols && rows) options.window = pty::Size{fit(*cols), fit(*rows)};
  auto session = context.sessions.find(name);
  if (!session) return base::fail(session);
  if (number > 63) return base::fail(Code::invalid_param, 0, "pty must be 0 to 63");
  return client.attach(**session, static_cast<uint32_t>(number), options);
}

void open_websocket(House& house, const Guest& before, asio::ip::tcp::socket stream, UpgradeRequest request,
                    std::unique_ptr<TerminalClient> client) {
  open(house, before, std::move(stream), std::move(request), std::move(client));
}

void open_websocket(House& house, const Guest& before, asio::ssl::stream<asio::ip::tcp::socket> stream,
                    UpgradeRequest request, std::unique_ptr<TerminalClient> client) {
  open(house, before, std::move(stream), std::move(request), std::move(client));
}

}  // namespace web
