// SPDX-License-Identifier: Apache-2.0
#include "cli/loop_command.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "base/folders.h"
#include "base/ids.h"
#include "base/programs.h"
#include "cli/access.h"
#include "cli/loop_find.h"
#include "cli/loop_view.h"
#include "cli/loop_wait.h"
#include "cli/output.h"
#include "cli/relay.h"
#include "cli/report.h"
#include "cli/run.h"
#include "cli/settings.h"
#include "cli/surroundings.h"
#include "config/show.h"
#include "loop/record.h"
#include "loop/runner.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

constexpr std::chrono::days kKept{90};

// A loop's folder, which goes again unless a session has come of it.
class NewFolder {
 public:
  static Result<NewFolder> create(const LoopPlan& plan) {
    auto folders = base::find_folders(std::getenv);
    if (!folders) return fail(folders);
    const std::string loops = loop::loops_folder(folders->state);
    loop::remove_old(loops, base::RealClock().wall() - kKept);
    NewFolder created;
    created.id_ = base::new_id();
    auto path = loop::create_folder(loops, {.id = created.id_,
                                            .cwd = plan.cwd,
                                            .mode = plan.mode,
                                            .settings = config::show_changes(plan.settings),
                                            .extra = plan.extra});
    if (!path) return fail(path);
    created.path_ = std::move(*path);
    return created;
  }

  NewFolder(NewFolder&&) = default;
  NewFolder& operator=(NewFolder&&) = delete;
  ~NewFolder() {
    std::error_code ignored;
    if (!path_.empty() && !kept_) std::filesystem::remove_all(path_, ignored);
  }

  const std::string& id() const { return id_; }
  const std::string& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  NewFolder() = default;
  std::string id_;
  std::string path_;
  bool kept_ = false;
};

json::object make_request(const LoopOptions& options, const LoopPlan& plan, const NewFolder& folder,
                          const UserTerminal& terminal) {
  json::object request{{"command", to_array({base::own_program(), "loop", "runner", folder.path()})},
                       {"cwd", plan.cwd},
                       {"env", make_environment(plan.settings.config.session.env)},
                       {"umask", current_umask()},
                       {"settings", config::show_changes(plan.settings)},
                       {"loop", folder.id()}};
  if (!options.name.empty()) request["name"] = options.name;
  add_window(request, terminal);
  return request;
}

// A person is told what is missing before anything starts.
Result<void> check_parts(const LoopPlan& plan) {
  if (auto prompt = find_prompt(plan); !prompt) return fail(prompt);
  if (auto agent = find_agent(plan); !agent) return fail(agent);
  return {};
}

Result<int> dry_run(const LoopOptions& options, const LoopPlan& plan) {
  auto text = options.json ? describe_json(plan) : describe(plan);
  if (!text) return fail(text);
  return print(*text);
}

Result<int> start(const LoopOptions& options, const LoopPlan& plan) {
  auto terminal = open_loop_terminal();
  if (!terminal) return fail(terminal);
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto folder = NewFolder::create(plan);
  if (!folder) return fail(folder);
  json::object request = make_request(options, plan, *folder, *terminal);
  const bool headless = plan.mode == loop::Mode::headless;
  // From the first line on: a loop may be over before it could be asked for.
  if (headless && !options.detached) {
    request["attach"] = true;
    request["lossless"] = !terminal->shows();
  }
  auto created = client->call("session.create", std::move(request));
  if (!created) return fail(created);
  folder->keep();
  const json::object& session = created->as_object();
  if (options.detached) {
    print_name(session, options.json);
    return kDone;
  }
  LoopSeat seat{.session = wire::text(session, "id").value_or(""),
                .name = wire::text(session, "name").value_or(""),
                .folder = folder->path(),
                .headless = headless,
                .observe = plan.mode == loop::Mode::observe,
                .resizes = true};
  if (options.detach_key) seat.detach_key = plan.settings.config.session.detach_key;
  if (headless) seat.attached = session.at("attached").as_object();
  return view_loop(*terminal, std::move(*client), std::move(seat));
}

Result<int> plan_and_start(const LoopOptions& options, const GlobalOptions& global) {
  auto plan = plan_loop(options, global);
  if (!plan) return fail(plan);
  // First of all that is said. A dry run is often read through a pipe, and nothing is shown there.
  if (plan->mode != loop::Mode::headless && !options.detached && !options.dry_run && ::isatty(1) == 0) {
    fmt::print(stderr, "PTY mode requested but stdout is not a TTY, falling back to headless\n");
    plan->mode = loop::Mode::headless;
  }
  print_warnings(plan->settings);
  if (options.dry_run) return dry_run(options, *plan);
  if (auto there = check_parts(*plan); !there) return fail(there);
  return start(options, *plan);
}

// A terminal that shows itself would never come to rest.
Result<void> check_not_inside(const KnownLoop& found) {
  const char* own = std::getenv("TEND_SESSION");
  if (own == nullptr || wire::text(*found.session, "id") != own) return {};
  return fail(Code::invalid_param, 0, "this terminal is part of the loop");
}

Result<int> find_and_attach(const LoopAttachOptions& options, const GlobalOptions& global) {
  auto sources = find_sources(global);
  if (!sources) return fail(sources);
  if (options.detach_key)
    sources->options.push_back({"--detach-key", "session.detach_key=" + *options.detach_key});
  auto settings = config::load(*sources);
  if (!settings) return fail(settings);
  print_warnings(*settings);
  auto terminal = open_loop_terminal();
  if (!terminal) return fail(terminal);
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto found = find_running_loop(*client, options.name);
  if (!found) return fail(found);
  if (auto good = check_not_inside(*found); !good) return fail(good);
  const std::string mode = mode_of(*found->session);
  const bool observed = mode.empty() ? found->standing.mode == loop::Mode::observe : mode == "observe";
  LoopSeat seat{.session = wire::text(*found->session, "id").value_or(""),
                .name = found->name(),
                .folder = found->standing.folder,
                .headless = mode == "headless",
                .observe = options.observe || observed,
                .resizes = observed && !options.observe,
                .from_beginning = false};
  if (options.detach_key) seat.detach_key = settings->config.session.detach_key;
  return view_loop(*terminal, std::move(*client), std::move(seat));
}

// The runner's way to the daemon, by the name that the session has. It starts none: a daemon below the runner
// would be one of the processes that end with the agent. The keeper brings it back.
class RunnersWay {
 public:
  explicit RunnersWay(std::string session) : session_(std::move(session)) {}

  Result<wire::Client> connect() {
    if (name_.empty()) {
      auto client = reach_running_daemon_as({.agent = "loop:" + session_, .channel = "loop"});
      if (!client) return client;
      auto session = client->call("session.get", {{"session", session_}});
      if (!session) return fail(session);
      name_ = wire::text(session->as_object(), "name").value_or(session_);
    }
    return reach_running_daemon_as({.agent = "loop:" + name_, .channel = "loop"});
  }

 private:
  std::string session_;
  std::string name_;
};

}  // namespace

int run_loop(const LoopOptions& options, const GlobalOptions& global) {
  return finish(plan_and_start(options, global));
}

int attach_loop(const LoopAttachOptions& options, const GlobalOptions& global) {
  return finish(find_and_attach(options, global));
}

int run_loop_runner(const std::string& folder) {
  const char* session = std::getenv("TEND_SESSION");
  if (session == nullptr || *session == '\0')
    return report({Code::invalid_param, 0, "a loop's runner is started by tend; use 'tend loop'"});
  RunnersWay way(session);
  return finish(
      loop::run({.folder = folder, .session = session, .connect = [&way] { return way.connect(); }}));
}

}  // namespace cli
