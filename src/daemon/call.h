// SPDX-License-Identifier: Apache-2.0
// Call: one request on its way through the daemon. A method fills in what the audit should say, and ends the
// call with finish() or fail(), at once or later; if the connection has gone by then, nobody hears it.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "daemon/context.h"
#include "session/pty.h"
#include "wire/message.h"

namespace host {

class Asker;
class Connection;

class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(Context& context, std::weak_ptr<Asker> asker, wire::Request request);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Context& context() { return context_; }
  const wire::json::object& params() const { return request_.params; }
  const std::string& method() const { return request_.method; }
  // Null when it has gone.
  std::shared_ptr<Asker> asker() const { return asker_.lock(); }
  // The same, if it is a client on the socket: one that can be attached, and hears notifications.
  std::shared_ptr<Connection> connection() const;

  void finish(wire::json::value result);
  // What to do when the answer is out.
  void then(std::function<void()> work) { then_ = std::move(work); }
  // `data` stands beside the error's code in the answer.
  void fail(const base::Error& error, wire::json::object data = {});

  // The session and PTY that the parameters name, noted for the audit; nothing after the call has failed.
  session::Session* session();
  session::Pty* pty();

  store::AuditEntry& audit() { return audit_; }
  const store::AuditEntry& audit() const { return audit_; }

 private:
  void answer(std::string text);

  Context& context_;
  std::weak_ptr<Asker> asker_;
  wire::Request request_;
  store::AuditEntry audit_;
  std::function<void()> then_;
  bool ended_ = false;
};

}  // namespace host
