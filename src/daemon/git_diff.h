// SPDX-License-Identifier: Apache-2.0
// What git says has changed in a folder. Repositories are not trusted: their configuration may name programs
// that git would run (external diffs, filters, monitors, fetches of missing objects), and a program in a cage
// may write there what we would then run outside of it. So git never sees it: it works on a blank repository
// of ours, with only the index, the objects and the files of theirs. It blocks, and belongs beside the loop.
#pragma once
#include <cstddef>
#include <string>

#include "base/clock.h"

namespace host {

struct GitDiff {
  std::string stat;
  std::string diff;
  bool truncated = false;  // there was more
  std::string note;        // why there is nothing, for a person; empty: there is, or nothing has changed
};

struct GitLimits {
  base::Duration time = std::chrono::seconds(5);
  size_t bytes = 256 << 10;  // of both texts together
};

// `blank` is a folder of ours, made if missing. Once `stop` can be read it gives up.
GitDiff git_diff(const std::string& folder, const std::string& blank, int stop, const GitLimits& limits = {});

}  // namespace host
