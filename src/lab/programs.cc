// SPDX-License-Identifier: Apache-2.0
#include "lab/programs.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/strings.h"
#include "lab/slip.h"

namespace lab {
namespace {

constexpr int kBadUsage = 2;
constexpr uint64_t kMostBytes = 1ULL << 40;
constexpr int64_t kMostMilliseconds = 600'000;
constexpr size_t kPiece = 8192;

void read_line() {
  std::array<char, 256> line{};
  [[maybe_unused]] const ssize_t n = ::read(0, line.data(), line.size());
}

void sleep_until(base::Moment when) {
  const auto since = when.time_since_epoch();
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(since);
  const timespec until{.tv_sec = whole.count(), .tv_nsec = (since - whole).count()};
  ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

int read_at_once(const std::string& slip) {
  if (!stamp_time(slip)) return 1;
  read_line();
  return 0;
}

int play_silent(const std::string& slip, const std::string& gate, base::Duration work) {
  if (!stamp_time(slip) || !await_gate(gate)) return 1;
  sleep_until(base::RealClock().now() + work);
  return read_at_once(slip);
}

// Lines of a log, every tenth with what looks like a question. A piece ends behind one, so that it stands at
// the cursor whenever the flood pauses.
std::string make_piece() {
  std::string piece;
  for (int i = 0; piece.size() < kPiece - 200; i++) {
    piece += fmt::format("{:06d} compiling \x1b[32mmodule_{}\x1b[0m and all that depends on it\n", i * 37, i);
    if (i % 10 == 0) piece += "Do you want to continue? (y/n)\n";
  }
  return piece + "Overwrite the file? (y/n) ";
}

int play_flood(const std::string& slip, uint64_t bytes, uint64_t rate) {
  const base::Moment begun = base::RealClock().now();
  const std::string piece = make_piece();
  for (uint64_t sent = 0; sent < bytes;) {
    const size_t now = std::min<uint64_t>(piece.size(), bytes - sent);
    if (!base::write_all(1, std::string_view(piece).substr(0, now))) return 1;
    sent += now;
    if (rate > 0) sleep_until(begun + base::Duration(sent * 1'000'000'000 / rate));
  }
  if (!base::write_all(1, std::string_view("\nContinue? (y/n) "))) return 1;
  return read_at_once(slip);
}

}  // namespace

int play_part(const std::vector<std::string>& words) {
  if (words.size() == 4 && words[0] == "silent") {
    const auto work = base::parse_number<int64_t>(words[3], 0, kMostMilliseconds);
    if (work) return play_silent(words[1], words[2], std::chrono::milliseconds(*work));
  }
  if (words.size() == 4 && words[0] == "flood") {
    const auto bytes = base::parse_number<uint64_t>(words[2], 0, kMostBytes);
    const auto rate = base::parse_number<uint64_t>(words[3], 0, kMostBytes);
    if (bytes && rate) return play_flood(words[1], *bytes, *rate);
  }
  return kBadUsage;
}

}  // namespace lab
