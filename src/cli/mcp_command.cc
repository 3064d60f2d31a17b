// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp_command.h"

#include <csignal>
#include <cstdlib>

#include "cli/access.h"
#include "cli/report.h"
#include "cli/settings.h"
#include "cli/surroundings.h"
#include "config/show.h"
#include "mcp/stdio.h"

namespace cli {

int run_mcp(const GlobalOptions& global) {
  auto settings = load_settings(global);
  if (!settings) return report(settings.error());
  auto folder = find_folder("");
  if (!folder) return report(folder.error());
  // A client that has gone shows as an error of the write.
  std::signal(SIGPIPE, SIG_IGN);
  const char* agent = std::getenv("TEND_AGENT_ID");
  mcp::ServerOptions options{.connect = reach_daemon_as,
                             .version = TEND_VERSION,
                             .agent = agent != nullptr ? agent : "",
                             .new_session = {{"cwd", *folder},
                                             {"env", make_environment(settings->config.session.env)},
                                             {"umask", current_umask()},
                                             {"settings", config::show_changes(*settings)}}};
  const auto served = mcp::serve(std::move(options), {});
  return served ? kDone : report(served.error());
}

}  // namespace cli
