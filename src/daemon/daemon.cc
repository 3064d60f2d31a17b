// SPDX-License-Identifier: Apache-2.0
#include "daemon/daemon.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <utility>

#include "base/fd.h"
#include "base/lock.h"
#include "base/log.h"
#include "config/load.h"
#include "daemon/archiver.h"
#include "daemon/audit_trail.h"
#include "daemon/channel_keeper.h"
#include "daemon/context.h"
#include "daemon/evidence_keeper.h"
#include "daemon/log_file.h"
#include "daemon/server.h"
#include "daemon/settings.h"
#include "daemon/worker.h"
#include "event/loop.h"
#include "sandbox/overlay_folder.h"
#include "session/sessions.h"
#include "store/store.h"
#include "wire/environment.h"
#include "wire/reach.h"

namespace host {
namespace {

using base::Code;
using base::fail;
using base::Fd;
using base::Result;
using base::log::Level;

// Held for as long as the process lives; the kernel lets go of it whatever the end is. Beside the store,
// which has one writer.
Result<Fd> take_lock(const base::Folders& folders) {
  const std::string path = folders.state + "/daemon.lock";
  Fd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock) return fail(Code::internal, errno, "cannot open " + path);
  const auto taken = base::take_lock(lock.get());
  if (!taken) return fail(Code::internal, taken.error().sys, "cannot lock " + path);
  if (!*taken) return fail(Code::internal, EWOULDBLOCK, "there is a daemon already");
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(lock.get(), 0) == 0) (void)base::write_all(lock.get(), pid);
  return lock;
}

// Every PTY takes four descriptors, every client one.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Result<Fd> take_signals() {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGHUP, SIG_IGN);
  ::signal(SIGCHLD, SIG_IGN);  // keepers detach themselves; what they leave behind is nobody's to wait for
  sigset_t handled;
  sigemptyset(&handled);
  sigaddset(&handled, SIGTERM);
  sigaddset(&handled, SIGINT);
  // Before there is a second thread, which inherits the mask.
  ::sigprocmask(SIG_BLOCK, &handled, nullptr);
  Fd signals(::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals) return fail(Code::internal, errno, "cannot make a descriptor for signals");
  return signals;
}

void say_ready(int fd, std::string_view line) {
  if (fd < 0) return;
  (void)base::write_all(fd, std::string(line) + "\n");
  ::close(fd);
}

// The user's own file counts; a daemon belongs to no project and to no command. One that is wrong stops the
// commands that read it, and not what runs.
config::Config user_config(const base::Folders& folders) {
  auto loaded = config::load({.user_file = folders.config + "/config.yml"});
  if (!loaded) base::log::say(Level::warning, "{}", loaded.error().message());
  return loaded ? std::move(loaded->config) : config::defaults().config;
}

ArchiverOptions archiver_options(const config::Config& config) {
  return {.age = config.store.archive, .evidence_age = config.evidence.keep};
}

// The folder of the account too: $HOME may be another.
std::vector<std::string> homes() {
  std::vector<std::string> list;
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/') list.emplace_back(home);
  const passwd* account = ::getpwuid(::geteuid());
  if (account != nullptr && account->pw_dir != nullptr && std::string_view(account->pw_dir).size() > 1 &&
      account->pw_dir[0] == '/' && (list.empty() || list.front() != account->pw_dir))
    list.emplace_back(account->pw_dir);
  return list;
}

session::SandboxPlace sandbox_place(const DaemonOptions& options) {
  const base::Folders& folders = options.folders;
  const std::string programs = options.keeper_program.substr(0, options.keeper_program.rfind('/') + 1);
  return {.hidden = {folders.runtime, folders.state, folders.config},
          .homes = homes(),
          .overlays_folder = folders.state + "/overlays",
          .proxy_program = programs + "tend-proxy"};
}

class Daemon {
 public:
  explicit Daemon(DaemonOptions options) : options_(std::move(options)) {}

  Result<void> start() {
    for (const std::string& folder :
         {options_.folders.runtime, options_.folders.state, sockets_folder(), journals_folder()}) {
      if (auto made = base::make_private_folder(folder); !made) return fail(made);
    }
    auto lock = take_lock(options_.folders);
    if (!lock) return fail(lock);
    lock_ = std::move(*lock);
    raise_descriptor_limit();
    auto signals = take_signals();
    if (!signals) return fail(signals);
    signals_ = std::move(*signals);
    write_log_to(options_.folders.state + "/daemon.log");
    // Beside the store's start, which takes as long as both.
    keepers_.emplace(loop_, session::Keepers::Place{.program = options_.keeper_program,
                                                    .sockets_folder = sockets_folder(),
                                                    .journals_folder = journals_folder(),
                                                    .revive = {.argv = {options_.own_program},
                                                               .env = wire::daemon_environment(),
                                                               .cwd = "/"}});
    keepers_->prepare();
    worker_.run([] { session::prepare_patterns(); });
    if (auto opened = open_store(); !opened) return fail(opened);
    build();
    sessions_->recover([this] { loop_.stop(); });
    loop_.run();
    if (auto listening = server_->listen(); !listening) return fail(listening);
    if (web_) web_->resume();
    return {};
  }

  void run() {
    base::log::say(Level::info, "daemon {} is ready with {} sessions", ::getpid(), sessions_->living());
    event::Watch signals(loop_, signals_.get(), [this](event::Ready) {
      signalfd_siginfo which{};
      if (::read(signals_.get(), &which, sizeof which) == sizeof which) leave();
    });
    signals.want({.input = true});
    check_idle();
    archiver_->run();
    channels_->reload();
    remove_old_overlays();
    loop_.run();
    stop();
  }

 private:
  std::string sockets_folder() const { return options_.folders.runtime + "/keepers"; }
  std::string journals_folder() const { return options_.folders.state + "/journals"; }
  std::string store_path() const { return options_.folders.state + "/store.db"; }
  std::string key_path() const { return options_.folders.state + "/audit.key"; }

  std::string overlays_folder() const { return options_.folders.state + "/overlays"; }

  // A sandbox throws its overlay away by itself, unless the machine or its helper came to a sudden end.
  void remove_old_overlays() {
    std::vector<std::string> old;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(overlays_folder(), none)) {
      const auto found = sessions_->find(entry.path().filename().string());
      if (!found || (*found)->ended()) old.push_back(entry.path().string());
    }
    worker_.run([old] {
      for (const std::string& each : old) sandbox::remove_overlay(each);
    });
  }

  Result<void> open_store() {
    store::StoreOptions options;
    options.path = store_path();
    options.key_path = key_path();
    options.archive_folder = options_.folders.state + "/archive";
    options.post = [this](std::function<void()> work) { loop_.post(std::move(work)); };
    auto opened = store::Store::open(std::move(options));
    if (!opened) return fail(opened);
    store_ = std::move(*opened);
    return {};
  }

  void build() {
    events_.emplace(static_cast<uint64_t>(store::wall_now()));
    audit_.emplace(loop_, *store_);
    archiver_.emplace(loop_, *store_, *audit_, archiver_options(user_config(options_.folders)));
    sessions_.emplace(session::Place{.loop = loop_,
                                     .store = *store_,
                                     .events = *events_,
                                     .keepers = *keepers_,
                                     .sandbox = sandbox_place(options_)},
                      read_settings);
    evidence_.emplace(loop_, *store_, *sessions_, options_.folders.runtime + "/blank.git");
    channels_.emplace(loop_, ChannelOptions{.program = options_.channel_program,
                                            .log_folder = options_.folders.state,
                                            .settings = [this] { return user_config(options_.folders); }});
    context_ = std::make_unique<Context>(Context{.loop = loop_,
                                                 .store = *store_,
                                                 .events = *events_,
                                                 .sessions = *sessions_,
                                                 .audit = *audit_,
                                                 .worker = worker_,
                                                 .evidence = *evidence_,
                                                 .channels = *channels_,
                                                 .store_path = store_path(),
                                                 .key_path = key_path(),
                                                 .started = base::RealClock().now(),
                                                 .clients = [this] { return server_->clients(); },
                                                 .degraded = [this] { return degraded(); },
                                                 .shut_down = [this] { loop_.post([this] { leave(); }); }});
    server_.emplace(*context_, wire::socket_path(options_.folders), [this] { check_idle(); });
    if (options_.make_web) {
      web_ = options_.make_web(*context_, options_.folders.state, [this] { check_idle(); });
      context_->web = web_.get();
    }
    follow_ = events_->listeners().add([this] { check_idle(); });
  }

  std::vector<std::string> degraded() {
    std::vector<std::string> all = store_->degraded();
    for (std::string& each : server_->degraded()) all.push_back(std::move(each));
    for (const session::Session* session : sessions_->all())
      for (std::string& each : session->degraded()) all.push_back(std::move(each));
    for (std::string& each : channels_->degraded()) all.push_back(std::move(each));
    if (web_) {
      for (std::string& each : web_->degraded()) all.push_back(std::move(each));
    }
    return all;
  }

  bool idle() const {
    return server_->clients() == 0 && sessions_->living() == 0 && !(web_ && web_->is_open());
  }

  void check_idle() {
    if (!idle()) return idle_.cancel();
    if (!idle_.pending()) idle_.set_after(options_.idle);
  }

  void leave_if_idle() {
    if (!idle()) return;
    if (server_->close_door()) loop_.stop();
  }

  // At a second signal at once.
  void leave() {
    if (!web_ || std::exchange(leaving_, true)) return loop_.stop();
    web_->leave([this] { loop_.stop(); });
  }

  // Writes are finished, and the sessions are left to their keepers.
  void stop() {
    base::log::say(Level::info, "daemon {} stops", ::getpid());
    follow_.reset();  // whoever goes from now on is nobody to be counted
    channels_.reset();
    evidence_->conclude_all();
    context_->web = nullptr;
    web_.reset();
    sessions_->release();
    server_.reset();
    audit_->flush();
    if (auto closed = store_->close(); !closed) base::log::say(Level::error, "{}", closed.error().message());
  }

  DaemonOptions options_;
  event::Loop loop_;
  Fd lock_;
  Fd signals_;
  std::unique_ptr<store::Store> store_;
  std::optional<session::Events> events_;
  std::optional<AuditTrail> audit_;
  std::optional<Archiver> archiver_;
  std::optional<session::Keepers> keepers_;
  std::optional<session::Sessions> sessions_;
  std::optional<EvidenceKeeper> evidence_;
  std::optional<ChannelKeeper> channels_;
  std::unique_ptr<Context> context_;
  std::optional<Server> server_;
  std::unique_ptr<WebService> web_;
  bool leaving_ = false;
  session::Listeners::Handle follow_;
  Worker worker_;  // ends first: a task that still runs works on the context
  event::Timer idle_{loop_, [this] { leave_if_idle(); }};
};

}  // namespace

Result<void> run_daemon(DaemonOptions options) {
  const int ready = options.ready_fd;
  Daemon daemon(std::move(options));
  if (auto started = daemon.start(); !started) {
    say_ready(ready, started.error().sys == EWOULDBLOCK ? "busy" : started.error().message());
    return started;
  }
  say_ready(ready, "ok");
  daemon.run();
  return {};
}

}  // namespace host
