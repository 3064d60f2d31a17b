// SPDX-License-Identifier: Apache-2.0
// The program `tend`.
#include <cstdio>
#include <exception>

#include "cli/app.h"

int main(int argc, char** argv) {
  try {
    return cli::run_app(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tend: %s\n", error.what());
    return cli::kFailed;
  }
}
