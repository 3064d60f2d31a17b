// SPDX-License-Identifier: Apache-2.0
#include "bot_server.h"

#include <algorithm>
#include <arpa/inet.h>
#include <boost/json/parse.hpp>
#include <ctime>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "base/strings.h"
#include "support/wait.h"

namespace channel_test {
namespace {

constexpr std::chrono::seconds kDeadline{30};

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

std::string response(int status, const std::string& body, const std::string& headers = {}) {
  return fmt::format("HTTP/1.1 {} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{}\r\n{}",
                     status, body.size(), headers, body);
}

int64_t number(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

std::string text(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
}

json::object person(int64_t user) {
  return {{"id", user}, {"is_bot", false}, {"first_name", "P"}, {"username", fmt::format("user{}", user)}};
}

}  // namespace

Fault too_many(int retry_after) {
  return {.status = 429,
          .body = fmt::format(
              R"({{"ok":false,"error_code":429,"description":"Too Many Requests: retry after {}",)"
              R"("parameters":{{"retry_after":{}}}}})",
              retry_after, retry_after)};
}
Fault internal_error() { return {.status = 500, .body = "<html>oops</html>"}; }
Fault conflict() {
  return {
      .status = 409,
      .body =
          R"({"ok":false,"error_code":409,"description":"Conflict: terminated by other getUpdates request"})"};
}
Fault says(std::string body) { return {.status = 200, .body = std::move(body)}; }

BotServer::BotServer(std::string token)
    : token_(std::move(token)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  ::listen(listener_.get(), 64);
  socklen_t size = sizeof address;
  ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  threads_.emplace_back([this] { accept_all(); });
}

BotServer::~BotServer() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    ::shutdown(listener_.get(), SHUT_RDWR);
    for (const int each : sockets_) ::shutdown(each, SHUT_RDWR);
    changed_.notify_all();
  }
  threads_[0].join();
  {
    const std::lock_guard lock(mutex_);
    threads.swap(threads_);
  }
  for (size_t i = 1; i < threads.size(); i++) threads[i].join();
}

std::string BotServer::url() const { return fmt::format("http://127.0.0.1:{}", port_); }

void BotServer::accept_all() {
  for (;;) {
    const int socket = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    const std::lock_guard lock(mutex_);
    if (ending_ || socket < 0) {
      if (socket >= 0) ::close(socket);
      return;
    }
    sockets_.push_back(socket);
    threads_.emplace_back([this, socket] {
      serve(socket);
      const std::lock_guard closing(mutex_);
      std::erase(sockets_, socket);
      ::close(socket);
    });
  }
}

void BotServer::serve(int socket) {
  std::string bytes;
  char piece[8192];
  for (;;) {
    const size_t head = bytes.find("\r\n\r\n");
    size_t length = 0;
    if (head != std::string::npos) {
      const size_t at = bytes.find("Content-Length: ");
      if (at < head) length = std::stoul(bytes.substr(at + 16));
    }
    if (head == std::string::npos || bytes.size() < head + 4 + length) {
      const ssize_t n = ::recv(socket, piece, sizeof piece, 0);
      if (n <= 0) return;
      bytes.append(piece, static_cast<size_t>(n));
      continue;
    }
    const std::string path = bytes.substr(5, bytes.find(' ', 5) - 5);
    const std::string body = bytes.substr(head + 4, length);
    bytes.erase(0, head + 4 + length);
    const std::string prefix = "/bot" + token_ + "/";
    if (!path.starts_with(prefix)) {
      {
        const std::lock_guard lock(mutex_);
        strangers_++;
      }
      if (!send_all(socket, response(401, R"({"ok":false,"error_code":401,"description":"Unauthorized"})")))
        return;
      continue;
    }
    boost::system::error_code wrong;
    const json::value parsed = json::parse(body.empty() ? "{}" : body, wrong);
    if (!answer(socket, path.substr(prefix.size()),
                parsed.is_object() ? parsed.get_object() : json::object()))
      return;
  }
}

std::optional<Fault> BotServer::next_fault(const std::string& method) {
  auto& waiting = faults_[method];
  if (waiting.empty()) return {};
  Fault fault = waiting.front();
  waiting.pop_front();
  return fault;
}

bool BotServer::answer(int socket, const std::string& method, const json::object& params) {
  std::optional<Fault> fault;
  {
    const std::lock_guard lock(mutex_);
    calls_.push_back({method, params, std::chrono::steady_clock::now()});
    fault = next_fault(method);
    changed_.notify_all();
  }
  if (fault && fault->kind != Fault::Kind::lost) return suffer(socket, *fault);
  const json::value result = run(method, params);
  if (fault) return false;
  return send_all(socket, response(200, json::serialize(json::object{{"ok", true}, {"result", result}})));
}

bool BotServer::suffer(int socket, const Fault& fault) {
  const auto ended = [this](std::chrono::milliseconds wait) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, wait, [this] { return ending_; });
  };
  switch (fault.kind) {
    case Fault::Kind::status:
      return send_all(socket, response(fault.status, fault.body, fault.headers));
    case Fault::Kind::trickle:
      if (!send_all(socket, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n{")) return false;
      while (!ended(std::chrono::milliseconds(100)))
        if (!send_all(socket, " ")) return false;
      return false;
    case Fault::Kind::flood:
      if (!send_all(socket, "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")) return false;
      while (send_all(socket, std::string(64 << 10, ' '))) {
      }
      return false;
    case Fault::Kind::silence:
      while (!ended(std::chrono::milliseconds(200))) {
        pollfd gone{socket, POLLIN | POLLRDHUP, 0};
        if (::poll(&gone, 1, 0) > 0) return false;
      }
      return false;
    default:
      return false;
  }
}

json::value BotServer::run(const std::string& method, const json::object& params) {
  if (method == "getUpdates") return updates(params);
  const std::lock_guard lock(mutex_);
  if (method == "getMe") return json::object{{"id", 1}, {"is_bot", true}, {"username", "tend_test_bot"}};
  if (method == "sendMessage") {
    const json::value* markup = params.if_contains("reply_markup");
    messages_.push_back({number(params, "chat_id"), next_message_++, text(params, "text"),
                         markup != nullptr ? markup->as_object() : json::object(), 0});
    changed_.notify_all();
    return json::object{{"message_id", messages_.back().id}};
  }
  if (method == "answerCallbackQuery") {
    alerts_[text(params, "callback_query_id")] = text(params, "text");
    changed_.notify_all();
  }
  if (method == "editMessageText") {
    for (BotMessage& each : messages_) {
      if (each.chat != number(params, "chat_id") || each.id != number(params, "message_id")) continue;
      each.text = text(params, "text");
      const json::value* markup = params.if_contains("reply_markup");
      each.markup = markup != nullptr ? markup->as_object() : json::object();
      each.edits++;
    }
    changed_.notify_all();
  }
  return true;
}

json::value BotServer::updates(const json::object& params) {
  std::unique_lock lock(mutex_);
  const int64_t offset = number(params, "offset");
  const auto wanted =
      std::min<std::chrono::milliseconds>(hold, std::chrono::seconds(number(params, "timeout")));
  if (offset > 0)
    std::erase_if(updates_, [&](const json::object& each) { return number(each, "update_id") < offset; });
  changed_.wait_for(lock, wanted, [&] { return ending_ || !updates_.empty(); });
  json::array list;
  const auto limit = static_cast<size_t>(std::max<int64_t>(number(params, "limit"), 1));
  for (const json::object& each : updates_) {
    if (list.size() < limit) list.push_back(each);
  }
  return list;
}

void BotServer::fail(const std::string& method, Fault fault, int times) {
  const std::lock_guard lock(mutex_);
  for (int i = 0; i < times; i++) faults_[method].push_back(fault);
}

void BotServer::heal() {
  const std::lock_guard lock(mutex_);
  faults_.clear();
}

void BotServer::add_update(json::object update) {
  const std::lock_guard lock(mutex_);
  if (!update.contains("update_id")) update["update_id"] = next_update_++;
  all_updates_.push_back(update);
  updates_.push_back(std::move(update));
  changed_.notify_all();
}

void BotServer::repeat_updates() {
  const std::lock_guard lock(mutex_);
  // With the newest first, so that they are out of order as well.
  for (auto each = all_updates_.rbegin(); each != all_updates_.rend(); ++each) updates_.push_back(*each);
  changed_.notify_all();
}

void BotServer::repeat_last_update() {
  const std::lock_guard lock(mutex_);
  if (!all_updates_.empty()) updates_.push_back(all_updates_.back());
  changed_.notify_all();
}

void BotServer::say(int64_t user, const std::string& said, int64_t reply_to, json::object more) {
  json::object message{{"message_id", 0},
                       {"from", person(user)},
                       {"chat", {{"id", user}, {"type", "private"}}},
                       {"date", std::time(nullptr)},
                       {"text", said}};
  {
    const std::lock_guard lock(mutex_);
    message["message_id"] = next_message_++;
  }
  if (reply_to != 0) message["reply_to_message"] = json::object{{"message_id", reply_to}};
  for (const auto& [key, value] : more) message[key] = value;
  add_update({{"message", std::move(message)}});
}

std::string BotServer::press_data(int64_t user, const std::string& data) {
  std::string press;
  {
    const std::lock_guard lock(mutex_);
    press = fmt::format("q{}", next_press_++);
  }
  add_update({{"callback_query",
               {{"id", press},
                {"from", person(user)},
                {"message", {{"message_id", 1}, {"chat", {{"id", user}, {"type", "private"}}}}},
                {"data", data}}}});
  return press;
}

void BotServer::press(int64_t user, const BotMessage& message, const std::string& label) {
  const json::value* rows = message.markup.if_contains("inline_keyboard");
  for (const json::value& row : rows != nullptr ? rows->as_array() : json::array()) {
    for (const json::value& button : row.as_array()) {
      if (text(button.as_object(), "text") != label) continue;
      press_data(user, text(button.as_object(), "callback_data"));
      return;
    }
  }
  press_data(user, "there is no button " + label);
}

std::vector<BotCall> BotServer::calls(std::string_view method) const {
  const std::lock_guard lock(mutex_);
  std::vector<BotCall> some;
  std::copy_if(calls_.begin(), calls_.end(), std::back_inserter(some),
               [&](const BotCall& each) { return each.method == method; });
  return some;
}

std::vector<BotMessage> BotServer::messages(int64_t chat) const {
  const std::lock_guard lock(mutex_);
  std::vector<BotMessage> some;
  std::copy_if(messages_.begin(), messages_.end(), std::back_inserter(some),
               [&](const BotMessage& each) { return each.chat == chat; });
  return some;
}

std::optional<BotMessage> BotServer::message(int64_t chat, std::string_view part) const {
  std::unique_lock lock(mutex_);
  std::optional<BotMessage> found;
  changed_.wait_for(lock, kDeadline, [&] {
    for (const BotMessage& each : messages_)
      if (each.chat == chat && each.text.find(part) != std::string::npos) found = each;
    return found.has_value();
  });
  return found;
}

std::vector<std::string> BotServer::alerts() const {
  std::vector<std::string> texts;
  for (const BotCall& each : calls("answerCallbackQuery")) texts.push_back(text(each.params, "text"));
  return texts;
}

std::optional<std::string> BotServer::alert(const std::string& press) const {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, kDeadline, [&] { return alerts_.contains(press); })) return {};
  return alerts_.at(press);
}

int BotServer::strangers() const {
  const std::lock_guard lock(mutex_);
  return strangers_;
}

}  // namespace channel_test
