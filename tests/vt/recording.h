// SPDX-License-Identifier: Apache-2.0
// Recording: what happened at a terminal, in order: chunks a program printed, changes of the window's size,
// marks. Read from tests/corpus/vt (the format is in its README), or made up by a test.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace vt_test {

struct Event {
  enum class Kind { output, resize, mark };
  Kind kind = Kind::output;
  std::string bytes = {};  // of output; the name of a mark
  int cols = 0;            // of a resize
  int rows = 0;
};

struct Recording {
  std::string name;
  int cols = 80;
  int rows = 24;
  std::vector<Event> events;
};

Recording read_recording(const std::filesystem::path& path);

// The recordings of tests/corpus/vt by name; all of them, sorted.
std::vector<std::string> recording_names();
Recording load_recording(const std::string& name);

}  // namespace vt_test
