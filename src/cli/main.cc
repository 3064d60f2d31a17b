// SPDX-License-Identifier: Apache-2.0
// The program `tend`: the client.
#include <cstdio>
#include <exception>

#include "cli/app.h"
#include "cli/become.h"

int main(int argc, char** argv) {
  try {
    const auto lab = [&] { return cli::become("tend-lab", {argv + 1, argv + argc}); };
    return cli::run_app(argc, argv,
                        {.list = [&](const auto&) { return lab(); },
                         .run = [&](const auto&) { return lab(); },
                         .corpus = [&](const auto&) { return lab(); },
                         .part = [&](const auto&) { return lab(); }});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tend: %s\n", error.what());
    return cli::kFailed;
  }
}
