// SPDX-License-Identifier: Apache-2.0
#include "recording.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <sstream>

#include "support/temp_dir.h"

namespace vt_test {
namespace {

[[noreturn]] void give_up(const std::string& name, const std::string& line) {
  fmt::print(stderr, "{}: not a recording: '{}'\n", name, line);
  std::abort();
}

}  // namespace

Recording read_recording(const std::filesystem::path& path) {
  Recording recording{.name = path.stem().string(), .events = {}};
  std::istringstream file(support::read_file(path));
  std::string line;
  std::getline(file, line);
  if (std::sscanf(line.c_str(), "tend-recording 1 %d %d", &recording.cols, &recording.rows) != 2)
    give_up(recording.name, line);
  while (std::getline(file, line)) {
    Event event;
    size_t length = 0;
    if (std::sscanf(line.c_str(), "o %zu", &length) == 1) {
      event.bytes.resize(length);
      file.read(event.bytes.data(), static_cast<std::streamsize>(length));
      if (file.get() != '\n') give_up(recording.name, line);
    } else if (std::sscanf(line.c_str(), "r %d %d", &event.cols, &event.rows) == 2) {
      event.kind = Event::Kind::resize;
    } else if (line.starts_with("m ")) {
      event.kind = Event::Kind::mark;
      event.bytes = line.substr(2);
    } else {
      give_up(recording.name, line);
    }
    recording.events.push_back(std::move(event));
  }
  return recording;
}

std::vector<std::string> recording_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(TEND_CORPUS))
    if (entry.path().extension() == ".rec") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Recording load_recording(const std::string& name) {
  return read_recording(std::filesystem::path(TEND_CORPUS) / (name + ".rec"));
}

}  // namespace vt_test
