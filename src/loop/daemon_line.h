// SPDX-License-Identifier: Apache-2.0
// DaemonLine: the runner's talk with the daemon, whichever it is. When one is lost, the next is looked for,
// for ever; what was asked and not answered is asked again there. So only what may be asked twice is asked
// with Again::yes.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "wire/client.h"

namespace loop {

namespace json = wire::json;

class DaemonLine {
 public:
  using Connect = std::function<base::Result<wire::Client>()>;
  using Listen = std::function<void(const wire::Request& notification)>;

  DaemonLine(Connect connect, const base::Clock& clock);

  enum class Again { no, yes };
  // Gives a number, by which the answer is asked for. Without Again, a lost connection is the answer.
  uint64_t ask(std::string_view method, json::object params, Again again = Again::yes);
  // Once; nothing while it has not come.
  std::optional<wire::Response> answer(uint64_t number);
  void forget(uint64_t number);

  // The same without interest in the answer.
  void say(std::string_view method, json::object params);
  // Said first to every daemon, in place of what was kept for this method before.
  void keep(std::string_view method, json::object params);
  // To this daemon alone.
  void notify(std::string_view method, json::object params);
  void listen(Listen listen) { listen_ = std::move(listen); }

  // Nothing is under way.
  bool quiet() const { return open_.empty(); }
  bool up() const { return client_.has_value(); }
  // Which connection this is: counts from 1.
  unsigned epoch() const { return epoch_; }
  base::Moment lost_at() const { return lost_at_; }

  // For poll: what to watch, and when to come back at the latest.
  pollfd wanted() const;
  std::optional<base::Moment> due() const { return retry_; }
  // Moves everything that can be moved.
  void turn();
  // Whether anything has come since this was asked last.
  bool take_news() { return std::exchange(news_, false); }

 private:
  struct Asked {
    uint64_t number;
    std::string method;
    json::object params;
    Again again;
    bool wanted;      // somebody will ask for the answer
    uint64_t id = 0;  // on this connection
  };

  void connect();
  void lost();
  void send(Asked& asked);
  void take(wire::Response response);

  Connect connect_;
  const base::Clock& clock_;
  Listen listen_;
  std::optional<wire::Client> client_;
  std::deque<Asked> open_;
  std::map<uint64_t, wire::Response> answers_;
  std::map<std::string, json::object, std::less<>> kept_;
  uint64_t last_number_ = 0;
  unsigned epoch_ = 0;
  std::optional<base::Moment> retry_;
  base::Duration pause_;
  base::Moment lost_at_;
  bool news_ = false;
};

}  // namespace loop
