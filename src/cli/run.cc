// SPDX-License-Identifier: Apache-2.0
#include "cli/run.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folders.h"
#include "base/ids.h"
#include "base/strings.h"
#include "cli/foreground.h"
#include "cli/report.h"
#include "cli/settings.h"
#include "cli/user_terminal.h"
#include "pty/keeper_link.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;

constexpr std::chrono::seconds kSpawnDeadline{15};

Result<pty::Size> parse_size(const std::string& text) {
  const auto parts = base::split(text, 'x');
  if (parts.size() == 2) {
    const auto cols = base::parse_number<uint16_t>(parts[0], 1, pty::kMostCells);
    const auto rows = base::parse_number<uint16_t>(parts[1], 1, pty::kMostCells);
    if (cols && rows) return pty::Size{*cols, *rows};
  }
  return fail(Code::invalid_param, 0, "--size is COLSxROWS, each from 1 to 1000, as in 120x30");
}

// Beside this program in a build, in libexec of the same prefix once installed.
Result<std::string> find_keeper() {
  std::error_code ignored;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const auto& place : {here / "tend-keeper", here.parent_path() / "libexec/tend/tend-keeper"}) {
    if (::access(place.c_str(), X_OK) == 0) return place.string();
  }
  return fail(Code::internal, 0,
              "tend-keeper is neither beside tend nor in its libexec folder; install tend again");
}

Result<pty::KeeperLink> start_keeper() {
  auto program = find_keeper();
  if (!program) return fail(program);
  auto folders = base::find_folders(std::getenv);
  if (!folders) return fail(folders);
  pty::KeeperLaunch launch{.program = *program,
                           .session = base::new_id(),
                           .socket_path = folders->runtime + "/keepers",
                           .journals_folder = folders->state + "/journals"};
  for (const std::string& folder : {launch.socket_path, launch.journals_folder}) {
    if (auto made = base::make_private_folder(folder); !made) return fail(made);
  }
  launch.socket_path += "/" + launch.session + ".sock";
  return pty::KeeperLink::launch(launch, {.end_when_alone = true});
}

mode_t current_umask() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}

// This process's own, with what the configuration adds or says otherwise.
std::vector<std::string> make_environment(const config::Environment& configured) {
  std::vector<std::string> env;
  bool has_term = configured.contains("TERM");
  for (char** entry = environ; *entry != nullptr; entry++) {
    const std::string_view text = *entry;
    if (configured.contains(std::string(text.substr(0, text.find('='))))) continue;
    env.emplace_back(text);
    has_term = has_term || text.starts_with("TERM=");
  }
  for (const auto& [name, value] : configured) env.push_back(fmt::format("{}={}", name, value));
  if (!has_term) env.emplace_back("TERM=xterm-256color");
  return env;
}

Result<pty::Command> make_command(const RunOptions& options, const config::Session& session) {
  pty::Command command{
      .argv = options.command, .env = make_environment(session.env), .cwd = {}, .umask = current_umask()};
  std::error_code reason;
  const std::filesystem::path here = std::filesystem::current_path(reason);
  if (reason && options.cwd.empty())
    return fail(Code::pty_spawn_failed, reason.value(), "cannot find the current folder (use --cwd)");
  command.cwd = options.cwd.empty() ? here.string() : (here / options.cwd).string();
  return command;
}

Result<int> run_to_the_end(const RunOptions& options, const GlobalOptions& global) {
  auto settings = load_settings(global);
  if (!settings) return fail(settings);
  const config::Session& session = settings->config.session;
  std::optional<pty::Size> fixed;
  if (!options.size.empty()) {
    auto size = parse_size(options.size);
    if (!size) return fail(size);
    fixed = *size;
  }
  auto command = make_command(options, session);
  if (!command) return fail(command);
  auto terminal = UserTerminal::open();
  if (!terminal) return fail(terminal);
  auto link = start_keeper();
  if (!link) return fail(link);
  const uint32_t request = link->spawn(0, {.size = fixed.value_or(terminal->size()),
                                           .journal_capacity = session.journal_bytes,
                                           .command = std::move(*command)});
  auto answer = link->wait_for(request, kSpawnDeadline);
  if (!answer) return fail(answer);
  auto* held = std::get_if<pty::HeldPty>(&answer->what);
  if (held == nullptr) return fail(Code::internal, 0, "the keeper of the session talks nonsense");

  // The terminal turns raw only now: whatever failed until here was said on one that works.
  if (auto entered = terminal->enter(); !entered) return fail(entered);
  auto foreground = Foreground::create(*terminal, *link, std::move(*held), fixed);
  if (!foreground) return fail(foreground);
  auto status = (*foreground)->run();
  terminal->leave();
  if (!status) return fail(status);
  return status->code;
}

}  // namespace

int run(const RunOptions& options, const GlobalOptions& global) {
  const auto code = run_to_the_end(options, global);
  return code ? *code : report(code.error());
}

}  // namespace cli
