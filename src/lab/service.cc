// SPDX-License-Identifier: Apache-2.0
#include "lab/service.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <cctype>
#include <deque>
#include <mutex>

namespace lab {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;

}  // namespace

struct Service::Core {
  struct Socket : std::enable_shared_from_this<Socket> {
    Socket(Core& of, tcp::socket socket, std::string path)
        : core(of), stream(std::move(socket)), target(std::move(path)) {}
    Core& core;
    websocket::stream<tcp::socket> stream;
    std::string target;
    beast::flat_buffer buffer;
    std::deque<std::string> waiting;
    std::vector<std::string> received;
    bool open = false;
    bool silent = false;

    void begin(const http::request<http::string_body>& request) {
      stream.async_accept(request, [self = shared_from_this()](beast::error_code wrong) {
        if (wrong) return;
        {
          const std::lock_guard lock(self->core.mutex);
          self->open = true;
          if (!self->core.greeting.empty()) self->waiting.push_back(self->core.greeting);
        }
        if (!self->waiting.empty()) self->write();
        self->read();
      });
    }
    void read() {
      if (silent) return;
      stream.async_read(buffer, [self = shared_from_this()](beast::error_code wrong, size_t) {
        const std::lock_guard lock(self->core.mutex);
        if (wrong) {
          self->open = false;
          return;
        }
        self->received.push_back(beast::buffers_to_string(self->buffer.data()));
        self->buffer.consume(self->buffer.size());
        self->read();
      });
    }
    void send(std::string text) {
      waiting.push_back(std::move(text));
      if (waiting.size() == 1) write();
    }
    void write() {
      stream.text(true);
      stream.async_write(asio::buffer(waiting.front()),
                         [self = shared_from_this()](beast::error_code wrong, size_t) {
                           if (wrong) return;
                           self->waiting.pop_front();
                           if (!self->waiting.empty()) self->write();
                         });
    }
  };

  // One request; a connection is not used twice.
  struct Connection : std::enable_shared_from_this<Connection> {
    Connection(Core& of, tcp::socket from)
        : core(of), socket(std::move(from)), timer(socket.get_executor()) {}
    Core& core;
    tcp::socket socket;
    asio::steady_timer timer;
    beast::flat_buffer buffer;
    http::request<http::string_body> request;
    http::response<http::string_body> response;

    void begin() {
      http::async_read(socket, buffer, request, [self = shared_from_this()](beast::error_code wrong, size_t) {
        if (!wrong) self->handle();
      });
    }
    void handle() {
      if (websocket::is_upgrade(request)) {
        auto upgraded = std::make_shared<Socket>(core, std::move(socket), std::string(request.target()));
        {
          const std::lock_guard lock(core.mutex);
          core.sockets.push_back(upgraded);
        }
        return upgraded->begin(request);
      }
      Request one{.method = std::string(request.method_string()),
                  .target = std::string(request.target()),
                  .headers = {},
                  .body = request.body(),
                  .at = std::chrono::steady_clock::now()};
      for (const auto& field : request) {
        std::string name(field.name_string());
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        one.headers[name] = field.value();
      }
      answer(core.answer(one));
    }
    void answer(Answer with) {
      if (with.never) {
        const std::lock_guard lock(core.mutex);
        core.kept.push_back(shared_from_this());
        return;
      }
      response.result(static_cast<unsigned>(with.status));
      for (const auto& [name, value] : with.headers) response.set(name, value);
      response.set(http::field::connection, "close");
      response.body() = std::move(with.body);
      response.prepare_payload();
      timer.expires_after(with.delay);
      timer.async_wait([self = shared_from_this()](beast::error_code) {
        http::async_write(self->socket, self->response, [self](beast::error_code, size_t) {
          beast::error_code ignored;
          self->socket.shutdown(tcp::socket::shutdown_send, ignored);
        });
      });
    }
  };

  explicit Core(Handler h)
      : handler(std::move(h)), acceptor(context, {asio::ip::address_v4::loopback(), 0}) {}

  Answer answer(const Request& request) {
    std::unique_lock lock(mutex);
    asked.push_back(request);
    const auto found = std::find_if(faults.begin(), faults.end(),
                                    [&](const auto& each) { return request.target.ends_with(each.first); });
    if (found != faults.end()) {
      Answer wrong = found->second;
      faults.erase(found);
      return wrong;
    }
    lock.unlock();
    return handler(request);
  }
  void accept() {
    // What waits in the context belongs to it, and goes with it: it must not own it.
    acceptor.async_accept([this](beast::error_code wrong, tcp::socket socket) {
      if (wrong) return;
      std::make_shared<Connection>(*this, std::move(socket))->begin();
      accept();
    });
  }
  std::shared_ptr<Socket> socket(size_t number) const {
    const std::lock_guard lock(mutex);
    return number < sockets.size() ? sockets[number] : nullptr;
  }

  Handler handler;
  asio::io_context context;
  tcp::acceptor acceptor;
  mutable std::mutex mutex;
  std::vector<Request> asked;
  std::vector<std::pair<std::string, Answer>> faults;
  std::vector<std::shared_ptr<Socket>> sockets;
  std::vector<std::shared_ptr<Connection>> kept;
  std::string greeting;
};

Service::Service(Handler handler) : core_(std::make_shared<Core>(std::move(handler))) {
  port_ = core_->acceptor.local_endpoint().port();
  core_->accept();
  thread_ = std::thread([core = core_] { core->context.run(); });
}

Service::~Service() {
  core_->context.stop();
  thread_.join();
  core_->kept.clear();
  core_->sockets.clear();
}

void Service::fault(const std::string& target_end, Answer answer) {
  const std::lock_guard lock(core_->mutex);
  core_->faults.emplace_back(target_end, std::move(answer));
}

std::vector<Service::Request> Service::all(std::string_view target_end) const {
  const std::lock_guard lock(core_->mutex);
  std::vector<Request> found;
  std::copy_if(core_->asked.begin(), core_->asked.end(), std::back_inserter(found),
               [&](const Request& each) { return each.target.ends_with(target_end); });
  return found;
}

size_t Service::count(std::string_view target_end) const {
  const std::lock_guard lock(core_->mutex);
  return static_cast<size_t>(
      std::count_if(core_->asked.begin(), core_->asked.end(),
                    [&](const Request& each) { return each.target.ends_with(target_end); }));
}

size_t Service::sockets() const {
  const std::lock_guard lock(core_->mutex);
  return core_->sockets.size();
}

std::string Service::socket_target(size_t number) const { return core_->socket(number)->target; }

bool Service::is_open(size_t number) const {
  const auto socket = core_->socket(number);
  const std::lock_guard lock(core_->mutex);
  return socket && socket->open;
}

void Service::send(size_t number, std::string text) {
  asio::post(core_->context, [socket = core_->socket(number), text = std::move(text)]() mutable {
    if (socket) socket->send(std::move(text));
  });
}

std::vector<std::string> Service::received(size_t number) const {
  const auto socket = core_->socket(number);
  const std::lock_guard lock(core_->mutex);
  return socket ? socket->received : std::vector<std::string>{};
}

void Service::drop(size_t number) {
  asio::post(core_->context, [socket = core_->socket(number)] {
    beast::error_code ignored;
    if (socket) socket->stream.next_layer().close(ignored);
  });
}

void Service::fall_silent(size_t number) {
  asio::post(core_->context, [socket = core_->socket(number)] {
    if (!socket) return;
    socket->silent = true;
    socket->stream.next_layer().cancel();
  });
}

void Service::set_greeting(std::string text) {
  const std::lock_guard lock(core_->mutex);
  core_->greeting = std::move(text);
}

}  // namespace lab
