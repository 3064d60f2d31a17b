// SPDX-License-Identifier: Apache-2.0
// The folder of a loop, $STATE/loops/ID: plan.json (what it was asked to do), events.jsonl (what happened, a
// line each, the runner's alone to write), iteration-0001.txt and so on (what was read on the agent's
// screen). Private to the user. Lines are written whole, so that a runner that is killed leaves at most one
// that is cut, which readers pass over.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "loop/mode.h"

namespace loop {

namespace json = boost::json;

// What a runner must know.
struct Plan {
  std::string id;
  std::string cwd;
  Mode mode = Mode::headless;
  std::string settings;  // YAML, as config::show_changes() writes it, the flags of the command in it
  std::vector<std::string> extra = {};  // arguments behind --
};

// One line of events.jsonl: `kind` and `at` always; the rest as docs/loop.md says.
class Record {
 public:
  static base::Result<Record> open(const std::string& folder);

  base::Result<void> add(std::string_view kind, json::object fields);
  // A readable text of the iteration's screen; appended to.
  base::Result<void> note_line(int iteration, std::string_view line);

 private:
  std::string folder_;
  base::Fd events_;
  base::Fd lines_;
  int lines_of_ = 0;
  uint64_t text_bytes_ = 0;
};

// $STATE/loops.
std::string loops_folder(const std::string& state_folder);
// Makes the folder and plan.json; gives the folder's path.
base::Result<std::string> create_folder(const std::string& loops_folder, const Plan& plan);
base::Result<Plan> read_plan(const std::string& folder);

// Every line that is whole; `most` counts from the newest.
base::Result<std::vector<json::object>> read_events(const std::string& folder, size_t most = SIZE_MAX);

// How a loop stands, by its lines alone.
struct Standing {
  std::string id;
  std::string folder;
  std::string session;  // id
  std::string name;
  std::string backend;
  Mode mode = Mode::headless;
  int iteration = 0;
  int64_t started_at = 0;  // microseconds of the wall clock
  std::optional<int64_t> ended_at = {};
  std::optional<int> exit_code = {};  // of the loop; nothing while no `ended` was written
  std::string why = {};               // it ended
  std::string phase = {};             // running, verifying, waiting (for a limit), cooling
};
base::Result<Standing> read_standing(const std::string& folder);
// Newest first.
std::vector<Standing> all_standings(const std::string& loops_folder);
// Removes those that ended, or were begun and never went on, before this moment.
void remove_old(const std::string& loops_folder, base::WallTime before);

}  // namespace loop
