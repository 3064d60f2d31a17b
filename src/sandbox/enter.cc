// SPDX-License-Identifier: Apache-2.0
#include "sandbox/enter.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/unix_socket.h"
#include "sandbox/calls.h"
#include "sandbox/control_limits.h"
#include "sandbox/features.h"
#include "sandbox/identity.h"
#include "sandbox/new_root.h"
#include "sandbox/outside.h"
#include "sandbox/own_network.h"
#include "sandbox/program_cage.h"
#include "sandbox/sources.h"

namespace sandbox {
namespace {

using base::Code;
using base::fail;
using base::Fd;
using base::Result;
using pty::keeper::Doors;

constexpr uid_t kNobody = 65534;  // as which the kernel shows whoever has no number in a namespace
// What is sent to the first process before it begins.
constexpr char kBind = 'b';
constexpr char kLayer = 'l';
constexpr char kWhole = 'w';
constexpr char kOverlay = 'o';
constexpr char kSockets = 's';
constexpr char kJournals = 'j';
constexpr char kBegin = '!';

std::vector<Feature> wanted_namespaces(const Plan& plan) {
  std::vector<Feature> wanted = {Feature::user_namespaces, Feature::mount_namespaces,
                                 Feature::pid_namespaces,  Feature::uts_namespaces,
                                 Feature::ipc_namespaces,  Feature::cgroup_namespaces};
  if (plan.network != Network::host) wanted.push_back(Feature::network_namespaces);
  return wanted;
}

// Without one of these there is no sandbox at all.
bool is_needed(Feature feature) {
  return feature == Feature::user_namespaces || feature == Feature::mount_namespaces ||
         feature == Feature::pid_namespaces;
}

class Entrance {
 public:
  Entrance(Plan plan, Doors doors, int peer)
      : plan_(std::move(plan)), doors_(std::move(doors)), peer_(peer), identity_(Identity::find()) {}

  Result<Entered> enter() {
    if (auto done = limit(); !done) return fail(done);
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
      return fail(Code::pty_spawn_failed, errno, "cannot make a socket");
    Fd outer(ends[0]);
    inner_.reset(ends[1]);
    auto pid = clone();
    if (!pid) return fail(pid);
    if (*pid < 0) return only_filtered();
    if (*pid == 0) {
      outer.reset();
      return begin();
    }
    inner_.reset();
    if (auto done = equip(*pid, outer.get()); !done) {
      ::kill(*pid, SIGKILL);
      ::waitpid(*pid, nullptr, 0);
      return fail(done);
    }
    doors_.stop_listening();
    ::close(peer_);
    stay_outside(plan_, std::move(outer), *pid);
    // One that could not even begin has left it, and one that was killed.
    doors_.remove_name();
    limits_.reset();
    ::_exit(0);
  }

 private:
  // Either an error, or a note that goes with best_effort.
  Result<void> go_without(const base::Error& error, Feature feature) {
    if (!plan_.best_effort) return std::unexpected(error);
    missing_.push_back(note(feature, error.sys));
    return {};
  }

  Result<void> limit() {
    if (!plan_.limits.any()) return {};
    auto made = ControlLimits::make("tend-" + plan_.session, plan_.limits);
    if (!made) return go_without(made.error(), Feature::cgroup_limits);
    limits_.emplace(std::move(*made));
    return {};
  }

  // As fork; -1 where no namespaces can be had and that is to be borne.
  Result<pid_t> clone() {
    int flags = 0;
    for (const Feature each : wanted_namespaces(plan_)) flags |= clone_flag(each);
    long pid = ::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
    if (pid >= 0) return static_cast<pid_t>(pid);
    const int reason = errno;
    // The kernel does not say which of them it was.
    for (const Feature each : wanted_namespaces(plan_)) {
      const int why = try_namespace(each);
      if (why == 0) continue;
      if (auto borne = go_without(missing(each, why), each); !borne) return fail(borne);
      if (is_needed(each)) return -1;
      flags &= ~clone_flag(each);
      if (each == Feature::network_namespaces) plan_.network = Network::host;
      if (each == Feature::uts_namespaces) plan_.hostname.clear();
    }
    pid = ::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
    if (pid < 0) return std::unexpected(missing(Feature::user_namespaces, reason));
    return static_cast<pid_t>(pid);
  }

  Result<Entered> only_filtered() {
    missing_.emplace_back("nothing is hidden or read-only: only system calls are filtered");
    return Entered{std::move(doors_),
                   std::make_unique<ProgramCage>(ProgramCage::Parts{.missing = std::move(missing_)}),
                   {}};
  }

  // Outside: what the first process cannot do for itself.
  Result<void> equip(pid_t pid, int line) {
    if (auto done = identity_.write_maps(pid); !done) return done;
    if (limits_) {
      if (auto done = limits_->add(pid); !done) return done;
    }
    if (identity_.mapped()) {
      if (auto done = send_sources(pid, line); !done) return done;
    }
    return send(line, std::string(1, kBegin), -1);
  }

  Result<void> send_sources(pid_t pid, int line) {
    const Fd user_namespace(
        ::open(("/proc/" + std::to_string(pid) + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
    if (!user_namespace) return fail(Code::pty_spawn_failed, errno, "cannot open a user namespace");
    auto sources = take_sources(plan_, user_namespace.get());
    if (!sources) return fail(sources);
    for (const auto& [tag, folder] :
         {std::pair(kSockets, doors_.sockets()), {kJournals, doors_.journals()}}) {
      auto mapped = map_folder(folder, user_namespace.get());
      if (!mapped) return fail(mapped);
      if (auto done = send(line, std::string(1, tag), mapped->get()); !done) return done;
    }
    for (const Fd& each : sources->binds) {
      if (auto done = send(line, std::string(1, kBind), each.get()); !done) return done;
    }
    for (const Sources::Top& each : sources->tops) {
      const std::string text = (each.layer ? kLayer : kWhole) + each.name;
      if (auto done = send(line, text, each.tree.get()); !done) return done;
    }
    if (sources->overlay) return send(line, std::string(1, kOverlay), sources->overlay.get());
    return {};
  }

  // The other end reads as fast as it can.
  static Result<void> send(int line, const std::string& text, int descriptor) {
    const auto descriptors = std::span(&descriptor, descriptor >= 0 ? 1 : 0);
    for (;;) {
      auto sent = base::send_some(line, text, descriptors);
      if (!sent) return fail(sent);
      if (*sent > 0) return {};
      pollfd wait{line, POLLOUT, 0};
      if (::poll(&wait, 1, 10'000) == 0)
        return fail(Code::pty_spawn_failed, ETIMEDOUT, "cannot build the sandbox");
    }
  }

  // Inside: until everything has come.
  void receive(Sources& sources) {
    Fd sockets;
    Fd journals;
    for (;;) {
      pollfd wait{inner_.get(), POLLIN, 0};
      ::poll(&wait, 1, -1);
      char buffer[4096];
      auto received = base::receive_some(inner_.get(), buffer);
      // The process outside says what went wrong.
      if (!received || received->closed) ::_exit(1);
      if (received->count == 0) continue;
      if (buffer[0] == kBegin) break;
      if (received->descriptors.empty()) ::_exit(1);
      Fd fd = std::move(received->descriptors[0]);
      const std::string name(buffer + 1, received->count - 1);
      if (buffer[0] == kSockets)
        sockets = std::move(fd);
      else if (buffer[0] == kJournals)
        journals = std::move(fd);
      else if (buffer[0] == kBind)
        sources.binds.push_back(std::move(fd));
      else if (buffer[0] == kOverlay)
        sources.overlay = std::move(fd);
      else
        sources.tops.push_back({name, std::move(fd), buffer[0] == kLayer});
    }
    if (sockets && journals) doors_.replace_folders(std::move(sockets), std::move(journals));
  }

  Result<Entered> begin() {
    Sources sources;
    receive(sources);
    ::setsid();
    if (auto done = identity_.take_on(); !done) return fail(done);
    if (!plan_.hostname.empty() && ::sethostname(plan_.hostname.c_str(), plan_.hostname.size()) != 0)
      return fail(Code::pty_spawn_failed, errno, "cannot set the sandbox's hostname");
    if (auto done = connect(); !done) return fail(done);
    if (auto done = check_overlay(); !done) return fail(done);
    if (!identity_.mapped()) {
      auto taken = take_sources(plan_, -1);
      if (!taken) return fail(taken);
      sources = std::move(*taken);
    }
    ProgramCage::Parts parts;
    parts.outside_proc.reset(::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
    NewRoot root(plan_);
    if (auto done = root.build(std::move(sources)); !done) return fail(done);
    if (auto done = root.enter(); !done) return fail(done);
    if (Landlock::version() > 0) {
      auto landlock = Landlock::make(root.writable(), plan_.network);
      if (!landlock) return fail(landlock);
      parts.landlock = std::move(*landlock);
    }
    if (!drop_capabilities() || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
      return fail(Code::pty_spawn_failed, errno, "cannot drop the sandbox's capabilities");
    parts.helper = std::move(inner_);
    parts.missing = std::move(missing_);
    std::optional<uid_t> outside_uid;
    if (identity_.mapped()) outside_uid = kNobody;
    return Entered{std::move(doors_), std::make_unique<ProgramCage>(std::move(parts)), outside_uid};
  }

  Result<void> connect() {
    if (plan_.network == Network::host) return {};
    if (auto done = raise_loopback(); !done) return fail(done);
    if (plan_.network == Network::none) return {};
    auto listener = listen_on_loopback(kProxyPort);
    if (!listener) return fail(listener);
    hand_listener(inner_.get(), listener->get());
    return {};
  }

  Result<void> check_overlay() {
    if (plan_.root != Root::overlay || calls::open_filesystem("overlay")) return {};
    plan_.root = Root::readonly;
    return go_without(missing(Feature::overlay, errno), Feature::overlay);
  }

  Plan plan_;
  Doors doors_;
  int peer_;
  Identity identity_;
  Fd inner_;
  std::optional<ControlLimits> limits_;
  std::vector<std::string> missing_;
};

}  // namespace

Result<Entered> enter(Plan plan, Doors doors, int peer) {
  return Entrance(std::move(plan), std::move(doors), peer).enter();
}

}  // namespace sandbox
