// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

#include <algorithm>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include "support/wait.h"
#include "wire/params.h"

namespace host_test {

json::value Peer::ok(std::string_view method, json::object params) {
  auto answer = client_.call(method, std::move(params), support::kDeadline);
  if (answer) return *answer;
  ADD_FAILURE() << method << ": " << answer.error().message();
  return json::object();
}

std::string Peer::code(std::string_view method, json::object params) {
  auto answer = client_.call(method, std::move(params), support::kDeadline);
  if (answer) return "";
  EXPECT_FALSE(answer.error().what.empty());
  return std::string(base::code_name(answer.error().code));
}

void Peer::take_all() {
  while (!closed_) {
    (void)client_.flush();
    auto next = client_.next();
    if (!next) closed_ = true;
    if (!next || !*next) return;
    kept_.push_back(std::move(**next));
  }
}

bool Peer::wait(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + support::kDeadline;
  for (;;) {
    take_all();
    if (condition()) return true;
    if (closed_ || std::chrono::steady_clock::now() > end) return false;
    pollfd ready{client_.fd(), static_cast<short>(POLLIN | (client_.waiting_output() > 0 ? POLLOUT : 0)), 0};
    ::poll(&ready, 1, 1000);
  }
}

std::optional<json::object> Peer::heard(std::string_view method, const Fits& fits) {
  std::optional<json::object> found;
  wait([&] {
    const auto at = std::find_if(kept_.begin(), kept_.end(), [&](const wire::Incoming& each) {
      const auto* request = std::get_if<wire::Request>(&each);
      return request != nullptr && request->method == method && (!fits || fits(request->params));
    });
    if (at == kept_.end()) return false;
    found = std::move(std::get<wire::Request>(*at).params);
    kept_.erase(at);
    return true;
  });
  return found;
}

std::optional<wire::Response> Peer::answer(uint64_t id) {
  std::optional<wire::Response> found;
  wait([&] {
    const auto at = std::find_if(kept_.begin(), kept_.end(), [&](const wire::Incoming& each) {
      const auto* response = std::get_if<wire::Response>(&each);
      return response != nullptr && response->id == id;
    });
    if (at == kept_.end()) return false;
    found = std::move(std::get<wire::Response>(*at));
    kept_.erase(at);
    return true;
  });
  return found;
}

std::string Peer::bytes(size_t count) {
  std::string all;
  EXPECT_TRUE(wait([&] {
    for (auto at = kept_.begin(); at != kept_.end() && all.size() < count;) {
      const auto* piece = std::get_if<wire::Bytes>(&*at);
      if (piece != nullptr) all += piece->data;
      at = piece != nullptr ? kept_.erase(at) : at + 1;
    }
    return all.size() >= count;
  }));
  return all;
}

size_t Peer::count(std::string_view method) const {
  return static_cast<size_t>(std::count_if(kept_.begin(), kept_.end(), [&](const wire::Incoming& each) {
    const auto* request = std::get_if<wire::Request>(&each);
    return request != nullptr && request->method == method;
  }));
}

bool Peer::closed() {
  return wait([&] { return closed_; });
}

json::object Peer::attach(json::object params) {
  json::value answer = ok("pty.attach", std::move(params));
  if (!answer.as_object().contains("attached")) return {};
  json::object attached = answer.at("attached").as_object();
  use(attached);
  return attached;
}

void Peer::use(const json::object& attached) {
  offset_ = attached.at("offset").to_number<uint64_t>();
  shown_.clear();
  if (!attached.at("snapshot_bytes").is_null())
    shown_ = bytes(attached.at("snapshot_bytes").to_number<size_t>());
  const base::Fd file(::open(attached.at("journal").as_string().c_str(), O_RDONLY | O_CLOEXEC));
  journal_.emplace(pty::Journal::map(file.get(), pty::Journal::Access::read).value());
  client_.notify("pty.ready", {{"offset", offset_}});
}

void Peer::type(std::string_view keys) {
  client_.send_bytes(keys);
  (void)client_.flush();
}

void Peer::read_journal(uint64_t end) {
  std::string buffer(64 << 10, '\0');
  while (offset_ < end) {
    const auto piece =
        journal_->read(offset_, std::span(buffer).first(std::min<uint64_t>(buffer.size(), end - offset_)));
    if (piece.count == 0) break;
    shown_.append(buffer, 0, piece.count);
    offset_ = piece.offset + piece.count;
  }
  client_.notify("pty.ready", {{"offset", offset_}});
}

bool Peer::shows(std::string_view text) {
  return wait([&] {
    for (auto at = kept_.begin(); at != kept_.end();) {
      auto* request = std::get_if<wire::Request>(&*at);
      const bool output = request != nullptr && request->method == "pty.output";
      if (output) read_journal(request->params.at("end").to_number<uint64_t>());
      // A notice stands behind the output up to its offset; it stays for whoever wants to look at it.
      if (request != nullptr && request->method == "pty.notice" &&
          !request->params.at("text").as_string().empty()) {
        read_journal(request->params.at("offset").to_number<uint64_t>());
        shown_ += request->params.at("text").as_string();
        request->params["text"] = "";
      }
      at = output ? kept_.erase(at) : at + 1;
    }
    return shown_.find(text) != std::string::npos;
  });
}

}  // namespace host_test
