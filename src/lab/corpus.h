// SPDX-License-Identifier: Apache-2.0
// Corpus: a folder of cases with their recordings, played or run live, and what comes of it: a line for each
// program, and precision, recall and latency over all of them.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/corpus_case.h"
#include "lab/judgement.h"

namespace lab {

struct CorpusOptions {
  std::string folder;
  std::vector<std::string> only = {};  // names; empty: all
  bool live = false;                   // the real programs; otherwise their recordings
  bool record = false;                 // and write down what was seen
  int stop = -1;                       // readable when a person wants it to end
};

struct CorpusResult {
  CorpusCase what;
  std::string missing;  // not here: neither right nor wrong
  std::string failed;   // did not get to its point, or has no recording: wrong
  Judgement judgement;

  bool counts() const { return missing.empty() && failed.empty(); }
  bool right() const { return counts() && judgement.right(); }
};

// The cases of a folder, by name.
base::Result<std::vector<CorpusCase>> load_cases(const std::string& folder);
std::string recording_path(const std::string& folder, const CorpusCase& what);

CorpusResult replay_case(const std::string& folder, const CorpusCase& what, const detect::Patterns& patterns);

// `done` hears of each as soon as it is known.
base::Result<std::vector<CorpusResult>> run_corpus(const CorpusOptions& options,
                                                   const std::function<void(const CorpusResult&)>& done);

// Latencies in milliseconds.
struct TypeFigures {
  std::string type;
  size_t cases = 0;
  size_t found = 0;
  size_t right = 0;
  double median_ms = 0;
  double worst_ms = 0;
};

struct Figures {
  size_t cases = 0;
  size_t missing = 0;
  size_t failed = 0;
  size_t waiting = 0;      // truth
  size_t found = 0;        // of these, with an event that is routed
  size_t told_right = 0;   // of these, with everything as it should be
  size_t others = 0;       // truth: nobody waits
  size_t alarms = 0;       // of these, with an event
  size_t stall_found = 0;  // the same for 300 ms without output
  size_t stall_alarms = 0;
  size_t right = 0;
  std::vector<TypeFigures> types;

  double recall() const;
  double precision() const;
  double stall_recall() const;
  double stall_precision() const;
};

Figures add_up(const std::vector<CorpusResult>& results);

// Of the programs whose truth was written down before they were first run, as they were first seen: what they
// taught has been learnt since.
struct FirstRuns {
  size_t cases = 0;
  size_t right = 0;
  size_t wrong = 0;  // found, but not told right
  size_t missed = 0;
  size_t alarms = 0;
  size_t mistaken = 0;  // the truth was, and nothing is counted
  size_t waiting = 0;   // without the mistaken

  double recall() const;
  double precision() const;
};
FirstRuns add_up_first_runs(const std::vector<CorpusResult>& results);

std::string line_of(const CorpusResult& result);
std::string text_of(const Figures& figures);
std::string text_of(const FirstRuns& runs);
std::string markdown_of(const std::vector<CorpusResult>& results);

}  // namespace lab
