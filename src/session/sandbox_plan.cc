// SPDX-License-Identifier: Apache-2.0
#include "session/sandbox_plan.h"

#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "base/folders.h"
#include "base/strings.h"

namespace session {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace fs = std::filesystem;

constexpr std::string_view kProjectFile = "tend.yml";

bool contains(const std::string& folder, const std::string& path) {
  return folder == "/" || path == folder || path.starts_with(folder + "/");
}

// Without links, as far as it is there.
std::string real(const std::string& path) {
  std::error_code reason;
  const fs::path found = fs::weakly_canonical(path, reason);
  return reason ? path : found.string();
}

class Planner {
 public:
  Planner(const config::Sandbox& settings, const SandboxPlace& place) : settings_(settings), place_(place) {
    for (const std::string& each : place.hidden) hidden_.push_back(real(each));
    for (const std::string& each : place.homes) homes_.push_back(real(each));
  }

  Result<sandbox::Plan> make(const store::SessionRecord& session) {
    plan_.session = session.id;
    plan_.hostname = session.name;
    plan_.root = static_cast<sandbox::Root>(settings_.root);
    plan_.network = static_cast<sandbox::Network>(settings_.network);
    plan_.best_effort = settings_.best_effort;
    plan_.homes = homes_;
    plan_.hidden = hidden_;
    plan_.domains = settings_.allow_domains;
    plan_.proxy_program = place_.proxy_program;
    plan_.limits = {settings_.memory_bytes, settings_.max_pids, settings_.cpu_percent};
    if (auto done = add_workspace(settings_.workspace.value_or(session.cwd)); !done) return fail(done);
    if (auto done = add_home(); !done) return fail(done);
    for (const config::Mount& each : settings_.mounts) {
      if (auto done = add(each.source, each.target, each.access); !done) return fail(done);
    }
    add_name_service();
    if (auto done = add_overlay(session.id); !done) return fail(done);
    return std::move(plan_);
  }

 private:
  // tend's own files would open the cage; whatever else is asked for is the user's to decide.
  Result<std::string> source_of(const std::string& path) const {
    std::error_code reason;
    std::string found = fs::canonical(path, reason).string();
    if (reason)
      return fail(Code::invalid_param, reason.value(),
                  "cannot put " + base::printable(path, 200) + " into the sandbox");
    for (const std::string& each : hidden_) {
      if (contains(found, each) || contains(each, found))
        return fail(Code::invalid_param, 0,
                    fmt::format("{} cannot be put into a sandbox: tend's own files are in {}",
                                base::printable(found, 200), each));
    }
    return found;
  }

  Result<void> add(const std::string& from, const std::string& to, config::Access access) {
    auto source = source_of(from);
    if (!source) return fail(source);
    plan_.binds.push_back(
        {std::move(*source), fs::path(to).lexically_normal().string(),
         access == config::Access::read_only ? sandbox::Access::read_only : sandbox::Access::read_write});
    return {};
  }

  Result<void> add_workspace(const std::string& path) {
    auto source = source_of(path);
    if (!source) return fail(source);
    for (const std::string& home : homes_) {
      if (contains(*source, home))
        return fail(
            Code::invalid_param, 0,
            fmt::format("the workspace of a sandbox cannot be {}: the home would be in it; start it in "
                        "a project's folder, or set sandbox.workspace",
                        base::printable(*source, 200)));
    }
    if (auto done = add(*source, *source, config::Access::read_write); !done) return done;
    // What the next session is started with is not for this one to write.
    const std::string settings_file = fmt::format("{}/{}", *source, kProjectFile);
    std::error_code ignored;
    if (!fs::is_regular_file(fs::symlink_status(settings_file, ignored))) return {};
    return add(settings_file, settings_file, config::Access::read_only);
  }

  Result<void> add_home() {
    for (const config::Mount& each : settings_.home) {
      if (homes_.empty()) return fail(Code::invalid_param, 0, "sandbox.home: there is no home");
      const std::string path = homes_.front() + "/" + each.source;
      std::error_code ignored;
      if (!fs::exists(path, ignored)) continue;
      if (auto done = add(path, path, each.access); !done) return done;
    }
    return {};
  }

  // /run is the sandbox's own; where the host keeps its name servers there, they are let in.
  void add_name_service() {
    const std::string servers = real("/etc/resolv.conf");
    std::error_code ignored;
    if (servers.starts_with("/run/") && fs::is_regular_file(servers, ignored))
      plan_.binds.push_back({servers, servers, sandbox::Access::read_only});
  }

  Result<void> add_overlay(const std::string& id) {
    if (plan_.root != sandbox::Root::overlay) return {};
    plan_.keep_overlay = settings_.overlay_folder.has_value();
    plan_.overlay_folder = settings_.overlay_folder.value_or(place_.overlays_folder + "/" + id);
    if (auto made = base::make_private_folder(plan_.overlay_folder); !made) return made;
    plan_.overlay_folder = real(plan_.overlay_folder);
    for (const sandbox::Bind& each : plan_.binds) {
      if (contains(each.source, plan_.overlay_folder))
        return fail(
            Code::invalid_param, 0,
            fmt::format("sandbox.overlay_folder cannot be in {}, which the sandbox sees", each.source));
    }
    plan_.hidden.push_back(plan_.overlay_folder);
    // Under a layer root is root to every file of the host. What opens other doors is kept from it.
    if (::geteuid() != 0) return {};
    plan_.homes.insert(plan_.homes.begin(), "/home");
    for (const char* secret : {"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-"})
      plan_.hidden.emplace_back(secret);
    return {};
  }

  const config::Sandbox& settings_;
  const SandboxPlace& place_;
  std::vector<std::string> hidden_;
  std::vector<std::string> homes_;
  sandbox::Plan plan_;
};

}  // namespace

Result<sandbox::Plan> make_plan(const config::Sandbox& settings, const store::SessionRecord& session,
                                const SandboxPlace& place) {
  return Planner(settings, place).make(session);
}

void add_proxy(const config::Sandbox& settings, std::vector<std::string>& env) {
  if (!settings.enabled || settings.network != config::Network::proxy) return;
  for (const char* name :
       {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"}) {
    std::erase_if(env, [&](const std::string& entry) { return entry.starts_with(std::string(name) + "="); });
    env.push_back(fmt::format("{}=http://127.0.0.1:{}", name, sandbox::kProxyPort));
  }
}

}  // namespace session
