// SPDX-License-Identifier: Apache-2.0
// AnswerServer: a small HTTP server for answers that come by a signed URL, on the loop. What comes in is not
// trusted: a request has 64 KiB at most and 10 s to arrive, at most 32 connections are open, and each serves
// one request. It knows nothing of prompts.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "event/loop.h"

namespace channel {

struct ServerRequest {
  std::string method;
  std::string target;  // path and query
  std::string content_type;
  std::string body;
};

struct ServerResponse {
  int status = 200;
  std::string body = {};  // plain text
};

class AnswerServer {
 public:
  static constexpr size_t kMostBody = 64 << 10;
  static constexpr size_t kMostConnections = 32;
  using Done = std::function<void(ServerResponse)>;
  using Handler = std::function<void(ServerRequest request, Done done)>;

  // `listen` is ADDRESS:PORT, with [ ] around an address of IPv6; port 0 takes a free one.
  static base::Result<std::unique_ptr<AnswerServer>> open(event::Loop& loop, const std::string& listen,
                                                          Handler handler);
  ~AnswerServer();

  uint16_t port() const;

 private:
  struct State;
  class Connection;
  explicit AnswerServer(std::shared_ptr<State> state) : state_(std::move(state)) {}
  static void accept(const std::shared_ptr<State>& state);
  std::shared_ptr<State> state_;
};

}  // namespace channel
