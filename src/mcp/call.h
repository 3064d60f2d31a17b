// SPDX-License-Identifier: Apache-2.0
// A request of the client that is under way, and where its answer goes.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "mcp/plan.h"

namespace mcp {

// Answers of one batch go out together, when the last of its requests is done or forgotten.
class Batch {
 public:
  using Send = std::function<void(const std::string&)>;
  explicit Batch(Send send) : send_(std::move(send)) {}
  ~Batch() {
    if (!answers_.empty()) send_("[" + answers_ + "]");
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void add(const std::string& answer) { answers_ += (answers_.empty() ? "" : ",") + answer; }

 private:
  Send send_;
  std::string answers_;
};

struct Asker {
  boost::json::value id;
  std::shared_ptr<Batch> batch = {};  // null: it came alone
};

struct Call {
  enum class For : uint8_t { tool, resource_list, resource };

  Asker asker;
  For what = For::tool;
  Plan plan;
  std::string uri = {};  // of a resource
  std::optional<boost::json::value> progress_token = {};
  base::Moment begun{};
  base::Moment asked{};  // of the daemon, the last time
  base::Moment next_progress{};
  std::string last_line = {};        // of a run, as the daemon told
  boost::json::array gathered = {};  // sessions of the pages so far
  int tries = 0;
};

}  // namespace mcp
