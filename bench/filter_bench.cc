// SPDX-License-Identifier: Apache-2.0
// What the input filter costs: gigabytes a second of CPU time, beside copying the same bytes, in one run.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "filter/input_filter.h"
#include "filter/paste.h"
#include "measure.h"

namespace {

constexpr size_t kBytes = 64 << 20;
constexpr size_t kPiece = 64 << 10;
constexpr int kRounds = 5;
constexpr double kTarget = 1.0;

std::string repeated(std::string_view text) {
  std::string all;
  while (all.size() < kBytes) all += text;
  return all;
}

// Of this process: the filter only computes, and what else the machine does is none of its business.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <typename Work>
double gigabytes_a_second(const std::string& input, const Work& work) {
  std::vector<double> rates;
  for (int round = 0; round < kRounds; round++) {
    const double start = cpu_seconds();
    work();
    rates.push_back(static_cast<double>(input.size()) / 1e9 / (cpu_seconds() - start));
  }
  return bench::median(rates);
}

double filter_rate(const std::string& input, const filter::Rules& rules) {
  return gigabytes_a_second(input, [&] {
    filter::InputFilter filter(rules);
    size_t passed = 0;
    for (std::string_view rest = input; !rest.empty(); rest.remove_prefix(std::min(kPiece, rest.size())))
      passed += filter.take(rest.substr(0, kPiece), base::Moment(std::chrono::hours(1))).bytes.size();
    if (passed == 0) std::abort();
  });
}

double copy_rate(const std::string& input) {
  std::string copy;
  return gigabytes_a_second(input, [&] {
    for (std::string_view rest = input; !rest.empty(); rest.remove_prefix(std::min(kPiece, rest.size())))
      copy.assign(rest.substr(0, kPiece));
  });
}

}  // namespace

int main() {
  struct Row {
    const char* name;
    std::string text;
    filter::Rules rules;
  };
  const std::string prose =
      "The quick brown fox jumps over the lazy dog, and nobody knows how to quit that game.\r"
      "  for (size_t i = 0; i < n; i++) total += weights[i] * values[i];  // exits early if it can\r";
  const std::vector<Row> rows = {
      {"prose and code", prose, {}},
      {"one long line", "x1y2z3 ", {}},
      {"with ten sequences",
       prose,
       {.sequences = {"\x1a", "\x18\x03", "\x1b[A", "\x0f", "\x10", "\x11", "\x12", "\x13", "\x14", "\x16"}}},
      {"words anywhere", prose, {.anchor = filter::Anchor::anywhere}},
  };
  std::printf("%-22s %12s %12s %10s\n", "", "filter GB/s", "copy GB/s", "target 1");
  for (const Row& row : rows) {
    const std::string input = repeated(row.text);
    const double rate = filter_rate(input, row.rules);
    std::printf("%-22s %12.2f %12.2f %10s\n", row.name, rate, copy_rate(input),
                rate >= kTarget ? "ok" : "MISSED");
  }
}
