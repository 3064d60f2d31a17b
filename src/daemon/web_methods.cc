// SPDX-License-Identifier: Apache-2.0
// The server for browsers: opening and closing it, and who may come in.
#include <utility>

#include "daemon/method_functions.h"
#include "wire/params.h"

namespace host {
namespace {

using base::Code;
using base::Result;
namespace json = wire::json;

// Nothing after the call has failed.
WebService* service_of(const CallPtr& call) {
  WebService* service = call->context().web;
  if (service == nullptr) call->fail({Code::internal, 0, "this daemon has no server for browsers"});
  return service;
}

WebService::Done finishing(const CallPtr& call) {
  return [call](Result<json::object> result) {
    if (!result) return call->fail(result.error());
    call->finish(std::move(*result));
  };
}

}  // namespace

void start_web(const CallPtr& call) {
  WebService* service = service_of(call);
  if (service == nullptr) return;
  const WebRequest request{.host = wire::text(call->params(), "host").value_or(""),
                           .port = static_cast<uint16_t>(wire::integer(call->params(), "port").value_or(0)),
                           .tls_cert = wire::text(call->params(), "tls_cert"),
                           .tls_key = wire::text(call->params(), "tls_key"),
                           .insecure = wire::flag(call->params(), "insecure"),
                           .names = wire::texts(call->params(), "names"),
                           .read_only = wire::flag(call->params(), "read_only")};
  call->audit().summary = request.read_only ? "read-only" : "full";
  service->start(request, finishing(call));
}

void stop_web(const CallPtr& call) {
  if (WebService* service = service_of(call)) service->stop(finishing(call));
}

void web_status(const CallPtr& call) {
  if (const WebService* service = service_of(call)) call->finish(service->status());
}

void list_tokens(const CallPtr& call) {
  if (const WebService* service = service_of(call)) call->finish(service->tokens());
}

void revoke_token(const CallPtr& call) {
  WebService* service = service_of(call);
  if (service == nullptr) return;
  const std::string id = wire::text(call->params(), "token").value_or("");
  call->audit().summary = id;
  service->revoke(id, finishing(call));
}

}  // namespace host
