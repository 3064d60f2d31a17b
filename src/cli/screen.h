// SPDX-License-Identifier: Apache-2.0
// tend screen, tend read, tend resize: what a PTY shows, what it has written, how large it is; nobody
// attaches.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace cli {

struct ScreenOptions {
  std::string target;
  std::string format = "text";
  std::optional<uint64_t> scrollback;  // rows above the screen
  bool json = false;                   // the same as format json
};
int show_screen(const ScreenOptions& options);

struct ReadOptions {
  std::string target;
  std::optional<uint64_t> since;
  std::optional<uint64_t> max_bytes;
  uint64_t timeout_ms = 0;  // to wait for something new
  bool base64 = false;
  bool json = false;
};
int read_output(const ReadOptions& options);

struct ResizeOptions {
  std::string target;
  std::string size;
  bool json = false;
};
int resize(const ResizeOptions& options);

}  // namespace cli
