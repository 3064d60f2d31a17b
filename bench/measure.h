// SPDX-License-Identifier: Apache-2.0
// Small tools of the benchmarks: time, order statistics, and an outer terminal that runs a command line. What
// is compared is measured in turns within one run, because only ratios within a run mean anything.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace bench {

double now();  // seconds

// The value below which this part (0 to 1) of them lies; they need not be sorted.
double quantile(std::vector<double> values, double part);
inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

bool is_installed(const std::string& program);

// A person's terminal, raw, with a command in it; nothing of tend's.
class OuterTerminal {
 public:
  explicit OuterTerminal(const std::string& command_line);
  ~OuterTerminal();  // ends the command with its process group
  OuterTerminal(const OuterTerminal&) = delete;
  OuterTerminal& operator=(const OuterTerminal&) = delete;

  void type(std::string_view keys) const;
  // Reads until the text has come, and drops what came before; false after ten seconds of silence.
  bool wait_for(std::string_view text);
  // Reads until the command has ended.
  void wait_for_end();

  int master() const { return master_; }
  // Reads what is there; whether the text has come by now.
  bool has_seen(std::string_view text);

 private:
  bool read_some();

  int master_ = -1;
  pid_t pid_ = -1;
  std::string tail_;
};

// Reads them all until each has seen the text; false after ten seconds of silence.
bool wait_for_all(const std::vector<std::unique_ptr<OuterTerminal>>& terminals, std::string_view text);

}  // namespace bench
