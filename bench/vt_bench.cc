// SPDX-License-Identifier: Apache-2.0
// vt_bench [MB] [ROUNDS]: how fast vt takes output, side by side with libvterm in the same run, and what the
// scrollback costs. The inputs are like those of a flood: plain text, text full of escape sequences, and East
// Asian text. Rounds are interleaved and the best of each counts, as other programs only ever make a round
// slower.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "inputs.h"
#include "vt/screen.h"
#ifdef HAVE_LIBVTERM
extern "C" {
#include <vterm.h>
}
#endif

namespace {

using bench::Inputs;

constexpr size_t kChunk = 65536;
constexpr size_t kScrollbackRows = 10'000;

template <typename Feed>
double megabytes_per_second(const std::string& bytes, Feed feed) {
  // Processor time: what others take of the machine is not ours to measure.
  const std::clock_t start = std::clock();
  for (size_t at = 0; at < bytes.size(); at += kChunk) feed(std::string_view(bytes).substr(at, kChunk));
  const double taken = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return static_cast<double>(bytes.size()) / 1e6 / taken;
}

double run_vt(const std::string& bytes, vt::Size size) {
  vt::Options options;
  options.scrollback_rows = kScrollbackRows;
  vt::Screen screen(size, options);
  return megabytes_per_second(bytes, [&](std::string_view chunk) { screen.feed(chunk); });
}

#ifdef HAVE_LIBVTERM
using VtermLines = std::deque<std::vector<VTermScreenCell>>;

int push_line(int columns, const VTermScreenCell* cells, void* user) {
  auto& lines = *static_cast<VtermLines*>(user);
  std::vector<VTermScreenCell> line;
  if (lines.size() >= kScrollbackRows) {
    line = std::move(lines.front());
    lines.pop_front();
  }
  line.assign(cells, cells + columns);
  lines.push_back(std::move(line));
  return 1;
}

// With its screen layer and a scrollback of as many rows, which is what vt does too.
double run_libvterm(const std::string& bytes, vt::Size size) {
  VtermLines lines;
  VTermScreenCallbacks callbacks{};
  callbacks.damage = [](VTermRect, void*) { return 1; };
  callbacks.sb_pushline = push_line;
  VTerm* const vterm = vterm_new(size.rows, size.columns);
  vterm_set_utf8(vterm, 1);
  VTermScreen* const screen = vterm_obtain_screen(vterm);
  vterm_screen_set_callbacks(screen, &callbacks, &lines);
  vterm_screen_set_damage_merge(screen, VTERM_DAMAGE_SCROLL);
  vterm_screen_enable_altscreen(screen, 1);
  vterm_screen_reset(screen, 1);
  const double speed = megabytes_per_second(bytes, [&](std::string_view chunk) {
    vterm_input_write(vterm, chunk.data(), chunk.size());
    vterm_screen_flush_damage(screen);
  });
  vterm_free(vterm);
  return speed;
}
#else
double run_libvterm(const std::string&, vt::Size) { return 0; }
#endif

struct Kind {
  std::string_view name;
  std::string bytes;
  double ratio;  // to libvterm, at least
};

constexpr double kLeastSpeed = 300;

void measure(const Kind& kind, vt::Size size, int rounds) {
  double ours = 0;
  double theirs = 0;
  const std::string sample = kind.bytes.substr(0, kind.bytes.size() / 8);
  for (int round = 0; round < rounds; round++) {
    ours = std::max(ours, run_vt(kind.bytes, size));
    theirs = std::max(theirs, run_libvterm(sample, size));
  }
  const double ratio = theirs > 0 ? ours / theirs : 0;
  const bool good = ours >= kLeastSpeed && (theirs == 0 || ratio >= kind.ratio);
  fmt::print("{:<6} {:>4}x{:<3} {:>8.0f} {:>10.1f} {:>8.1f}   >= {:.0f} MB/s, >= {:.0f} x   {}\n", kind.name,
             size.columns, size.rows, ours, theirs, ratio, kLeastSpeed, kind.ratio,
             good ? "reached" : "MISSED");
}

}  // namespace

int main(int count, char** arguments) {
  const size_t size = (count > 1 ? static_cast<size_t>(std::atoi(arguments[1])) : 64) * 1'000'000;
  const int rounds = count > 2 ? std::atoi(arguments[2]) : 5;
  Inputs inputs;
  const Kind kinds[] = {{"plain", inputs.bytes(size, [&] { return inputs.plain(); }), 15},
                        {"ansi", inputs.bytes(size, [&] { return inputs.ansi(); }), 4},
                        {"wide", inputs.bytes(size, [&] { return inputs.wide(); }), 15}};
  fmt::print("MB/s, best of {}\n{:<6} {:>8} {:>8} {:>10} {:>8}   goal\n", rounds, "", "size", "vt",
             "libvterm", "ratio");
  for (const vt::Size screen : {vt::Size{80, 24}, vt::Size{200, 50}})
    for (const Kind& kind : kinds) measure(kind, screen, rounds);

  vt::Screen screen({120, 30});
  const size_t empty = screen.memory_usage();
  for (size_t row = 0; row < kScrollbackRows + 30; row++) screen.feed(inputs.log() + "\r\n");
  const size_t used = screen.memory_usage();
  fmt::print("\n{} rows of log text: {:.2f} MB (screen {:.2f})   < 2 MB   {}\n", screen.scrollback().size(),
             static_cast<double>(used) / 1e6, static_cast<double>(empty) / 1e6,
             used < 2'000'000 ? "reached" : "MISSED");
  return 0;
}
