// SPDX-License-Identifier: Apache-2.0
#include "mcp/server.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "base/strings.h"
#include "mcp/help.h"
#include "mcp/line_reader.h"
#include "mcp/protocol.h"
#include "mcp/resources.h"
#include "mcp/schema.h"

namespace mcp {
namespace {

constexpr size_t kMostBatch = 200;
constexpr size_t kMostName = 100;
// A log that the client does not read is not kept.
constexpr size_t kMuchOutput = 1 << 20;

}  // namespace

Server::Server(ServerOptions options, const base::Clock& clock)
    : options_(std::move(options)), clock_(clock) {}

void Server::take_line(std::string_view line) {
  if (base::trim(line).empty()) return;
  boost::system::error_code wrong;
  json::value value = json::parse(line, wrong);
  if (wrong) return send(make_error(nullptr, kParseError, "not JSON: " + wrong.message()));
  take_value(std::move(value));
}

void Server::refuse_long_line() {
  send(make_error(nullptr, kInvalidRequest, fmt::format("a message may have {} bytes", kMostLine)));
}

void Server::take_value(json::value value) {
  if (value.is_array()) return take_batch(std::move(value.get_array()));
  take_message(std::move(value), {});
}

void Server::take_batch(json::array batch) {
  const Asker nobody{nullptr};
  if (!has_batches(protocol_))
    return refuse(nobody, kInvalidRequest, "there are no batches in this version: one message a line");
  if (batch.empty() || batch.size() > kMostBatch)
    return refuse(nobody, kInvalidRequest, fmt::format("a batch has 1 to {} messages", kMostBatch));
  const auto answers = std::make_shared<Batch>([this](const std::string& text) { send(text); });
  for (json::value& each : batch) take_message(std::move(each), answers);
}

void Server::take_message(json::value value, const std::shared_ptr<Batch>& batch) {
  auto message = wire::read_message(std::move(value));
  if (!message) {
    const wire::Refusal& refusal = message.error();
    return refuse({refusal.id, batch}, refusal.number, refusal.error.what);
  }
  auto* request = std::get_if<wire::Request>(&*message);
  // Nothing is asked of the client, so an answer of its is to nothing.
  if (request == nullptr) return;
  if (!request->id) return take_notification(*request);
  if (request->id->is_null()) return refuse({nullptr, batch}, kInvalidRequest, "an id must not be null");
  Asker asker{*request->id, batch};
  take_request(std::move(*request), std::move(asker));
}

void Server::take_request(wire::Request request, Asker asker) {
  const std::string& method = request.method;
  if (method == "ping") return answer(asker, json::object());
  if (method == "initialize") return initialize(asker, request.params);
  if (protocol_.empty()) return refuse(asker, kInvalidRequest, "initialize comes first");
  if (calls_.contains(json::serialize(asker.id)))
    return refuse(asker, kInvalidRequest, "there is a request with this id under way");
  if (method == "tools/list") return list_tools(asker, request.params);
  if (method == "tools/call") return call_tool(std::move(asker), std::move(request.params));
  if (method == "resources/list") return list_all_resources(std::move(asker), request.params);
  if (method == "resources/templates/list")
    return answer(asker, json::object{{"resourceTemplates", resource_templates()}});
  if (method == "resources/read") return read_resource(std::move(asker), request.params);
  if (method == "logging/setLevel") return set_level(asker, request.params);
  refuse(asker, kUnknownMethod, fmt::format("there is no method '{}'", base::printable(method, 64)));
}

void Server::take_notification(const wire::Request& request) {
  if (request.method == "notifications/initialized") ready_ = !protocol_.empty();
  if (request.method != "notifications/cancelled") return;
  if (const json::value* id = request.params.if_contains("requestId")) cancel(json::serialize(*id));
}

void Server::initialize(const Asker& asker, const json::object& params) {
  if (!protocol_.empty()) return refuse(asker, kInvalidRequest, "it was initialized already");
  if (asker.batch) return refuse(asker, kInvalidRequest, "initialize must not be part of a batch");
  const auto asked = text_at(params, "protocolVersion");
  const json::object* client = object_at(params, "clientInfo");
  if (!asked || client == nullptr)
    return refuse(asker, kInvalidParams, "initialize needs a protocolVersion and a clientInfo");
  protocol_ = negotiate(*asked);
  const std::string name = base::printable(text_at(*client, "name").value_or("mcp"), kMostName);
  greeting_ = {.agent = options_.agent.empty() ? fmt::format("{} pid:{}", name, ::getpid()) : options_.agent,
               .channel = "mcp"};
  answer(asker,
         json::object{
             {"protocolVersion", protocol_},
             {"capabilities",
              {{"tools", {{"listChanged", false}}},
               {"resources", {{"subscribe", false}, {"listChanged", false}}},
               {"logging", json::object()}}},
             {"serverInfo", {{"name", "tend"}, {"title", "tend: terminals"}, {"version", options_.version}}},
             {"instructions", instructions()}});
}

void Server::set_level(const Asker& asker, const json::object& params) {
  const auto level = level_named(text_at(params, "level").value_or(""));
  if (!level) return refuse(asker, kInvalidParams, "level must be one from debug to emergency");
  level_ = *level;
  answer(asker, json::object());
}

void Server::list_tools(const Asker& asker, const json::object& params) {
  // They fit into one page, so that no cursor was ever given out.
  if (params.contains("cursor")) return refuse(asker, kInvalidParams, "there is no such cursor");
  json::array list;
  for (const Tool& each : tools()) list.push_back(describe(each));
  answer(asker, json::object{{"tools", std::move(list)}});
}

void Server::tell_log(base::log::Level level, std::string_view line) {
  if (!ready_ || level < level_ || output_.size() > kMuchOutput) return;
  send(
      wire::make_notification("notifications/message",
                              {{"level", base::log::level_name(level)}, {"logger", "tend"}, {"data", line}}));
}

void Server::send(std::string_view line) {
  output_ += line;
  output_ += '\n';
}

void Server::answer(const Asker& asker, json::value result) {
  const std::string text = wire::make_result(asker.id, std::move(result));
  if (asker.batch) return asker.batch->add(text);
  send(text);
}

void Server::refuse(const Asker& asker, int number, std::string_view what, json::object data) {
  const std::string text = make_error(asker.id, number, what, std::move(data));
  if (asker.batch) return asker.batch->add(text);
  send(text);
}

}  // namespace mcp
