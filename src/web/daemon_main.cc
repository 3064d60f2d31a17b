// SPDX-License-Identifier: Apache-2.0
// The program `tend-daemon [--ready-fd FD] [--idle-seconds N]`: the daemon, with its server for browsers. The
// first command that needs it starts it, keepers bring it back, `tend daemon run` becomes it.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string_view>

#include "base/fd.h"
#include "base/folders.h"
#include "base/programs.h"
#include "base/strings.h"
#include "daemon/daemon.h"
#include "web/service.h"

namespace {

constexpr int kFailed = 1;
constexpr int kBadUsage = 2;
constexpr int kMost = std::numeric_limits<int>::max();

struct Options {
  int ready_fd = -1;
  int idle_seconds = 30;
};

base::Result<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    const auto value = base::parse_number<int>(i + 1 < argc ? argv[i + 1] : "", 0, kMost);
    if (!value || (name != "--ready-fd" && name != "--idle-seconds"))
      return base::fail(base::Code::invalid_param, 0,
                        "usage: tend-daemon [--ready-fd FD] [--idle-seconds N]");
    (name == "--ready-fd" ? options.ready_fd : options.idle_seconds) = *value;
  }
  return options;
}

int report(const base::Error& error) {
  std::fprintf(stderr, "tend: %s\n", base::printable(error.message(), 2000).c_str());
  return error.code == base::Code::invalid_param ? kBadUsage : kFailed;
}

// Whoever started it waits for a line, and its standard error is nobody's.
int fail_start(const base::Error& error, int ready_fd) {
  if (ready_fd >= 0) (void)base::write_all(ready_fd, error.message() + "\n");
  return report(error);
}

int run(const Options& options) {
  auto folders = base::find_folders(std::getenv);
  if (!folders) return fail_start(folders.error(), options.ready_fd);
  auto keeper = base::find_program("tend-keeper");
  if (!keeper) return fail_start(keeper.error(), options.ready_fd);
  const auto ran = host::run_daemon({.folders = *folders,
                                     .keeper_program = *keeper,
                                     .channel_program = base::find_program("tend-channel"),
                                     .own_program = base::own_program(),
                                     .ready_fd = options.ready_fd,
                                     .idle = std::chrono::seconds(options.idle_seconds),
                                     .make_web = web::make_service});
  return ran ? 0 : report(ran.error());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto options = parse(argc, argv);
    return options ? run(*options) : report(options.error());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tend: %s\n", error.what());
    return kFailed;
  }
}
