// SPDX-License-Identifier: Apache-2.0
// Server: the talk with one MCP client. It is told each line that came, keeps what is to be said in output(),
// and asks the daemon over links(); whoever owns it moves the bytes. It never blocks but for starting a
// daemon, and never ends because of what a client says.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "mcp/call.h"
#include "mcp/link.h"
#include "wire/message.h"

namespace mcp {

struct ServerOptions {
  // Reaches the daemon, and starts it if need be.
  std::function<base::Result<wire::Client>(const wire::Greeting&)> connect;
  std::string version;                   // of tend
  std::string agent = {};                // who asks; empty: as the client calls itself
  boost::json::object new_session = {};  // cwd, env, umask, settings of a session that a tool starts
};

class Server {
 public:
  Server(ServerOptions options, const base::Clock& clock);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void take_line(std::string_view line);
  void refuse_long_line();

  // What the daemon has said on this link, or that it is gone.
  void take_news(std::list<Link>::iterator link);
  void on_time();
  std::optional<base::Moment> next() const;

  std::string& output() { return output_; }
  const std::string& output() const { return output_; }
  std::list<Link>& links() { return links_; }
  bool idle() const { return calls_.empty(); }
  // A line of the log, for a client that wants such.
  void tell_log(base::log::Level level, std::string_view line);

 private:
  // server.cc: the protocol.
  void take_value(wire::json::value value);
  void take_batch(wire::json::array batch);
  void take_message(wire::json::value value, const std::shared_ptr<Batch>& batch);
  void take_request(wire::Request request, Asker asker);
  void take_notification(const wire::Request& request);
  void initialize(const Asker& asker, const wire::json::object& params);
  void set_level(const Asker& asker, const wire::json::object& params);
  void list_tools(const Asker& asker, const wire::json::object& params);
  void send(std::string_view line);
  void answer(const Asker& asker, wire::json::value result);
  void refuse(const Asker& asker, int number, std::string_view what, wire::json::object data = {});

  // server_calls.cc: what needs the daemon.
  void call_tool(Asker asker, wire::json::object params);
  void list_all_resources(Asker asker, const wire::json::object& params);
  void read_resource(Asker asker, const wire::json::object& params);
  void begin(Call call);
  void ask(const std::string& key);
  base::Result<std::list<Link>::iterator> link_for(const Call& call);
  void answered(const std::string& key, wire::Response response);
  void conclude(const std::string& key, base::Result<wire::json::value> result, wire::json::object data);
  void finish_resource(const Call& call, const base::Result<wire::json::value>& result);
  void lost(std::list<Link>::iterator link, const base::Error& why);
  void cancel(const std::string& key);
  void progress(Call& call, base::Moment now);

  ServerOptions options_;
  const base::Clock& clock_;
  std::string protocol_;  // empty before initialize
  bool ready_ = false;    // the client has said that it is
  base::log::Level level_ = base::log::Level::warning;
  wire::Greeting greeting_;
  std::string output_;
  std::list<Link> links_;
  std::map<std::string, Call> calls_;  // by the client's id, as JSON
};

}  // namespace mcp
