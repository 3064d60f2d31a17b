// SPDX-License-Identifier: Apache-2.0
// Door: decides about requests, and answers them. First by the head alone, so that nobody sends a body who
// may not come in; then with the body. Knows nothing of sockets.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "daemon/asker.h"
#include "daemon/context.h"
#include "web/admission.h"
#include "web/gate.h"
#include "web/request.h"
#include "web/tokens.h"

namespace web {

// What becomes of a request after its head was read.
struct Verdict {
  enum class What { respond, read_body, terminal, events };
  What what = What::respond;
  Response response = {};
  std::optional<Visitor> visitor = {};
};

struct DoorOptions {
  uint16_t port = 0;
  bool secure = false;
  std::vector<std::string> names = {};
};

class Door {
 public:
  using Saved = std::function<void(base::Result<void>)>;

  // `save` writes the book to the disk. `counts` says how many connections there are.
  Door(host::Context& context, TokenBook& book, std::function<void(Saved)> save,
       std::function<size_t()> counts);

  void set(DoorOptions options) { options_ = std::move(options); }
  Gates& gates() { return gates_; }
  host::Context& context() { return context_; }

  Verdict judge(const Request& request);

  // Under way until it has answered. Dropping it gives it up.
  using Pending = std::shared_ptr<void>;
  Pending answer(const Request& request, const std::optional<Visitor>& visitor,
                 std::function<void(Response)> done);

  static std::string agent_of(const Visitor& visitor, const std::string& address);
  void count_answer(unsigned status) { answers_[status / 100 % 6]++; }

 private:
  std::optional<Response> refuse_foreign(const Request& request) const;
  std::optional<Visitor> visitor_of(const Request& request, bool& shown) const;
  Response unauthorized(const Request& request, bool shown);
  Response too_many_attempts(const Request& request) const;
  Response asset(const Request& request) const;
  Response metrics() const;
  void log_in(const Request& request, const std::string& token, unsigned status,
              const std::function<void(Response)>& done);
  void log_out(const Request& request, const std::function<void(Response)>& done);
  Response about_me(const Visitor& visitor) const;
  void audit_login(const Request& request, std::string_view result, std::string_view token);
  std::string cookie_name() const;
  std::string_view scheme() const { return options_.secure ? "https" : "http"; }

  host::Context& context_;
  TokenBook& book_;
  std::function<void(Saved)> save_;
  std::function<size_t()> counts_;
  DoorOptions options_;
  Gates gates_;
  Failures failures_;
  base::RealClock clock_;
  std::array<uint64_t, 6> answers_{};  // by the first digit of their status
};

}  // namespace web
