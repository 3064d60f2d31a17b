// SPDX-License-Identifier: Apache-2.0
// The program `tend-lab`: what `tend lab` becomes. It has the same command line, and what runs the scenarios.
#include <cstdio>
#include <exception>

#include "cli/app.h"
#include "lab/programs.h"

int main(int argc, char** argv) {
  try {
    return cli::run_app(argc, argv,
                        {.list = cli::list_scenarios,
                         .run = cli::run_scenarios,
                         .corpus = cli::lab_corpus,
                         .part = lab::play_part});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tend: %s\n", error.what());
    return cli::kFailed;
  }
}
