// SPDX-License-Identifier: Apache-2.0
// Http: requests over libcurl on the loop, many side by side. Proxies come from the environment, and so does
// another file of authorities (SSL_CERT_FILE); `ca_file` has some that are trusted beside those. Redirects
// are not followed, only http and https are spoken, and a body has a bound: what the network sends is not
// trusted. Errors name the host and never the rest of a URL, because tokens stand there.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "event/loop.h"

namespace channel {

struct HttpRequest {
  std::string url;
  std::string method = "POST";
  std::vector<std::string> headers = {};  // "Name: value"
  std::string body = {};
  base::Duration more_time = {};  // beyond the usual timeout: a long poll waits for its answer
};

struct HttpResponse {
  int status = 0;
  std::string body = {};
  std::optional<base::Duration> retry_after = {};
};

class Http {
 public:
  static constexpr size_t kMostBody = 256 << 10;
  using Done = std::function<void(base::Result<HttpResponse>)>;

  // `timeout` is for connecting, and for a whole request.
  Http(event::Loop& loop, base::Duration timeout, std::optional<std::string> ca_file = {});
  ~Http();  // what is under way comes to nothing
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  // Never calls back before it returns. Any status is a response; the error is for what is none: PTY_TIMEOUT
  // in time, MESSAGE_TOO_LARGE for a body above its bound.
  uint64_t send(HttpRequest request, Done done);
  // Nothing is called any more.
  void cancel(uint64_t id);

 private:
  struct Transfer;
  struct Multi;

  void act(int socket, event::Ready ready);
  void take_finished();
  void set_timer(long milliseconds);
  void watch(int socket, event::Ready wanted, bool remove);

  event::Loop& loop_;
  base::Duration timeout_;
  std::optional<std::string> ca_file_;
  std::unique_ptr<Multi> multi_;
  std::map<int, std::unique_ptr<event::Watch>> watches_;
  std::map<uint64_t, std::unique_ptr<Transfer>> transfers_;
  uint64_t last_id_ = 0;
  event::Timer timer_;
  std::shared_ptr<int> life_ = std::make_shared<int>(0);
};

// "api.telegram.org:8443" of a URL.
std::string host_of(std::string_view url);

}  // namespace channel
