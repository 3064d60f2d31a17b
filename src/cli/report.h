// SPDX-License-Identifier: Apache-2.0
// What the commands say to a person when something fails: one line on stderr, and the exit code of docs and
// scripts.
#pragma once
#include "base/result.h"

namespace cli {

enum ExitCode {
  kDone = 0,
  kFailed = 1,
  kBadUsage = 2,
  kNotFound = 3,
  kNoDaemon = 4,
  kTimedOut = 124,
  kInterrupted = 130,
};

// Prints "tend: …" and gives the code that fits.
int report(const base::Error& error);

// The code that a command came to, or that of its error, which is printed.
int finish(const base::Result<int>& code);

}  // namespace cli
