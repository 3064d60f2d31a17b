// SPDX-License-Identifier: Apache-2.0
// tend lab corpus: the programs of tests/corpus/detect, played or run live, and how well they are understood.
#pragma once
#include <string>
#include <vector>

namespace cli {

struct CorpusCommand {
  std::string folder = "tests/corpus/detect";
  std::vector<std::string> only;
  bool live = false;
  bool record = false;
  bool json = false;
  bool markdown = false;
};

// kDone if all that could be run was right.
int lab_corpus(const CorpusCommand& command);

}  // namespace cli
