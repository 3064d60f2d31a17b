// SPDX-License-Identifier: Apache-2.0
// Runs the real program of a case in a throw-away folder, and writes down what it and the kernel show.
#pragma once
#include <string>

#include "lab/corpus_case.h"
#include "lab/judgement.h"
#include "lab/recording.h"

namespace lab {

struct LiveRun {
  std::string missing;  // what is not on this machine; then nothing was run
  std::string failed;   // why the point that matters was not reached
  Recording recording;
  Observation observed;
};

// `files` is the folder that the programs find as ../files. `stop` is readable when a person wants it to end.
LiveRun run_case(const CorpusCase& what, const std::string& files, int stop = -1);

}  // namespace lab
