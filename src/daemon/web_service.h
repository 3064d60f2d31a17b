// SPDX-License-Identifier: Apache-2.0
// WebService: the server for browsers as the daemon sees it. It stands in a room above (`web`), which uses
// the methods' table; whoever starts the daemon hands in how to make it.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "wire/message.h"

namespace host {

struct Context;

struct WebRequest {
  std::string host;                     // empty: where it is open, or on loopback
  uint16_t port = 0;                    // 0: where it is open, or any that is free
  std::optional<std::string> tls_cert;  // both, or none
  std::optional<std::string> tls_key;
  bool insecure = false;
  std::vector<std::string> names;  // under which it is reached
  bool read_only = false;          // the token that is made
};

class WebService {
 public:
  using Done = std::function<void(base::Result<wire::json::object>)>;

  virtual ~WebService() = default;

  // Opens again what was open when an earlier daemon ended.
  virtual void resume() = 0;
  virtual bool is_open() const = 0;
  // The daemon ends: browsers are told so, and `done` is called when they have gone, or soon. What was open
  // is opened again by the next one.
  virtual void leave(std::function<void()> done) = 0;
  // Null while it is closed.
  virtual wire::json::value status() const = 0;
  // Opens it, if it is not open yet, and makes a token; answers when that is on the disk.
  virtual void start(const WebRequest& request, Done done) = 0;
  // Closes it, and forgets all tokens.
  virtual void stop(Done done) = 0;
  virtual wire::json::array tokens() const = 0;
  virtual void revoke(const std::string& id, Done done) = 0;
  virtual std::vector<std::string> degraded() const = 0;
};

// `changed` is called when it opens or closes.
using MakeWebService = std::function<std::unique_ptr<WebService>(Context&, const std::string& folder,
                                                                 std::function<void()> changed)>;

}  // namespace host
