// SPDX-License-Identifier: Apache-2.0
#include "pty/keeper_link.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "base/unix_socket.h"

namespace pty {
namespace {

using base::Code;
using base::fail;
using base::Fd;
using base::Result;
using keeper::Type;
using std::chrono::milliseconds;

constexpr int kKeepersEnd = 3;
constexpr std::chrono::seconds kWelcomeDeadline{10};
constexpr milliseconds kDismissal{1000};
constexpr std::string_view kWanted = "!";  // the keeper waits for a byte, whichever

base::Error gone() { return {Code::internal, 0, "the keeper of the session has gone"}; }
base::Error nonsense() { return {Code::internal, 0, "the keeper of the session talks nonsense"}; }

uint32_t to_milliseconds(base::Duration duration) {
  const auto count = std::chrono::ceil<milliseconds>(duration).count();
  return static_cast<uint32_t>(std::clamp<int64_t>(count, 0, UINT32_MAX));
}

// The plan of a sandbox travels as a file without a name.
Result<Fd> file_of(const std::string& text) {
  Fd file(::memfd_create("plan", MFD_CLOEXEC));
  if (!file) return fail(Code::pty_spawn_failed, errno, "cannot make a file in memory");
  if (auto written = base::write_all(file.get(), text); !written) return fail(written);
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

// Starts the program with `socket` as descriptor 3 and no other; it detaches itself, and the process that was
// started ends at once.
Result<pid_t> start(const KeeperLaunch& launch, int socket) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, socket, kKeepersEnd);
  ::posix_spawn_file_actions_addclosefrom_np(&files, kKeepersEnd + 1);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  ::posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  ::posix_spawnattr_setsigdefault(&attributes, &signals);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  const char* argv[] = {launch.program.c_str(), launch.session.c_str(), launch.socket_path.c_str(),
                        launch.journals_folder.c_str(), nullptr};
  char* env[] = {nullptr};
  pid_t pid = 0;
  const int reason = ::posix_spawn(&pid, argv[0], &files, &attributes, const_cast<char* const*>(argv), env);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (reason != 0) return fail(Code::pty_spawn_failed, reason, "cannot start " + launch.program);
  return pid;
}

Result<void> want(const WaitingKeeper& keeper, const std::string& plan) {
  Fd file;
  if (!plan.empty()) {
    auto made = file_of(plan);
    if (!made) return fail(made);
    file = std::move(*made);
  }
  const int descriptors[] = {file.get()};
  auto told = base::send_some(keeper.socket.get(), kWanted, {descriptors, file ? 1U : 0U});
  if (!told) return fail(told);
  return {};
}

}  // namespace

Result<WaitingKeeper> start_keeper(const KeeperLaunch& launch) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
    return fail(Code::pty_spawn_failed, errno, "cannot make a socket");
  Fd own(ends[0]);
  Fd keepers(ends[1]);
  // dup2 of a descriptor onto itself would leave it close-on-exec.
  if (keepers.get() <= kKeepersEnd) {
    keepers.reset(::fcntl(keepers.get(), F_DUPFD_CLOEXEC, kKeepersEnd + 1));
    if (!keepers) return fail(Code::pty_spawn_failed, errno, "cannot copy a descriptor");
  }
  auto pid = start(launch, keepers.get());
  if (!pid) return fail(pid);
  return WaitingKeeper{std::move(own), *pid};
}

void dismiss(WaitingKeeper keeper) {
  ::shutdown(keeper.socket.get(), SHUT_WR);
  pollfd line{.fd = keeper.socket.get(), .events = 0, .revents = 0};
  (void)::poll(&line, 1, static_cast<int>(kDismissal.count()));
}

KeeperLink::KeeperLink(Fd socket) : line_(std::move(socket), keeper::Connection::Descriptors::keep) {}

Result<KeeperLink> KeeperLink::begin(WaitingKeeper keeper, const std::string& plan,
                                     const keeper::Hello& hello) {
  if (auto told = want(keeper, plan); !told) return fail(told);
  KeeperLink link(std::move(keeper.socket));
  link.ask(Type::hello, 0, encode(hello));
  return link;
}

Result<KeeperLink> KeeperLink::launch(const KeeperLaunch& launch, const keeper::Hello& hello) {
  auto started = start_keeper(launch);
  if (!started) return fail(started);
  while (::waitpid(started->starter, nullptr, 0) < 0 && errno == EINTR) {
  }
  auto link = begin(std::move(*started), "", hello);
  if (!link) return link;
  if (auto welcome = link->wait_for(kHello, kWelcomeDeadline); !welcome) return fail(welcome);
  return link;
}

Result<KeeperLink> KeeperLink::connect(const std::string& socket_path, const keeper::Hello& hello) {
  auto socket = base::connect_to(socket_path);
  if (!socket) return fail(socket);
  const auto peer = base::peer_of(socket->get());
  if (!peer || peer->uid != ::geteuid())
    return fail(Code::pty_access_denied, 0, "somebody else listens at " + socket_path);
  KeeperLink link(std::move(*socket));
  link.ask(Type::hello, 0, encode(hello));
  return link;
}

uint32_t KeeperLink::ask(Type type, uint32_t pty, std::string_view payload) {
  const uint32_t request = ++last_request_;
  // The keeper would end the connection, and with it the holding.
  if (payload.size() > keeper::kMostPayload)
    events_.push_back(
        {request, pty, base::Error{Code::message_too_large, 0, "a request of more than 1 MiB"}});
  else
    line_.send(type, request, pty, payload);
  return request;
}

uint32_t KeeperLink::spawn(uint32_t pty, const keeper::Spawn& request) {
  return ask(Type::spawn, pty, encode(request));
}

uint32_t KeeperLink::signal(uint32_t pty, const keeper::Signal& request) {
  return ask(Type::signal, pty, encode(request));
}

uint32_t KeeperLink::kill(uint32_t pty, base::Duration grace) {
  return ask(Type::kill, pty, encode(keeper::Grace{to_milliseconds(grace)}));
}

uint32_t KeeperLink::forget(uint32_t pty) { return ask(Type::forget, pty, {}); }

uint32_t KeeperLink::respawn(uint32_t pty, Size size) {
  return ask(Type::respawn, pty, encode(keeper::Respawn{size}));
}

uint32_t KeeperLink::replace(uint32_t pty, const keeper::Spawn& request) {
  return ask(Type::replace, pty, encode(request));
}

uint32_t KeeperLink::lead(uint32_t pty) { return ask(Type::lead, pty, {}); }

uint32_t KeeperLink::look(uint32_t pty) { return ask(Type::look, pty, {}); }

uint32_t KeeperLink::start_by(base::Moment moment) {
  return ask(Type::start_by, 0, encode(keeper::StartBy{moment}));
}

uint32_t KeeperLink::release() { return ask(Type::release, 0, {}); }

uint32_t KeeperLink::shut_down(base::Duration grace) {
  return ask(Type::shutdown, 0, encode(keeper::Grace{to_milliseconds(grace)}));
}

Result<std::optional<KeeperEvent>> KeeperLink::next() {
  if (events_.empty()) {
    // What came before the end still counts, so the end is an error only when nothing is left.
    auto received = receive();
    if (!received && events_.empty()) return fail(received);
  }
  if (events_.empty()) return std::nullopt;
  KeeperEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

Result<KeeperEvent> KeeperLink::wait_for(uint32_t request, base::Duration deadline) {
  const base::RealClock clock;
  const base::Moment end = clock.now() + deadline;
  for (;;) {
    // A failure that answers no request is the keeper's own: it could not start.
    const auto found = std::find_if(events_.begin(), events_.end(), [&](const KeeperEvent& event) {
      return event.request == request ||
             (event.request == 0 && std::holds_alternative<base::Error>(event.what));
    });
    if (found != events_.end()) {
      KeeperEvent event = std::move(*found);
      events_.erase(found);
      if (auto* error = std::get_if<base::Error>(&event.what)) return std::unexpected(std::move(*error));
      return event;
    }
    const auto left = std::chrono::ceil<milliseconds>(end - clock.now()).count();
    if (left <= 0) return fail(Code::pty_timeout, 0, "the keeper of the session does not answer");
    pollfd wait{fd(), static_cast<short>(POLLIN | (wants_output() ? POLLOUT : 0)), 0};
    ::poll(&wait, 1, static_cast<int>(std::min<int64_t>(left, 60'000)));
    flush();
    const size_t before = events_.size();
    if (auto received = receive(); !received && events_.size() == before) return fail(received);
  }
}

Result<void> KeeperLink::receive() {
  for (const keeper::Frame& frame : line_.receive()) {
    auto event = interpret(frame);
    if (!event) return fail(event);
    events_.push_back(std::move(*event));
  }
  if (line_.lost()) return std::unexpected(gone());
  return {};
}

Result<KeeperEvent> KeeperLink::interpret(const keeper::Frame& frame) {
  KeeperEvent event{frame.request, frame.pty, KeeperEvent::Done{}};
  const auto put = [&](auto decoded) {
    if (decoded) event.what = std::move(*decoded);
    return decoded.has_value();
  };
  bool good = true;
  switch (frame.type) {
    case Type::welcome: {
      auto welcome = keeper::decode<keeper::Welcome>(frame.payload);
      good = welcome.has_value();
      if (!good) break;
      welcome_ = *welcome;
      event.what = std::move(*welcome);
      if (welcome_.version < keeper::kOldestVersion)
        event.what =
            base::Error{Code::version_mismatch, 0, "the keeper of the session speaks an older protocol"};
      break;
    }
    case Type::failed:
      good = put(keeper::decode<base::Error>(frame.payload));
      break;
    case Type::exited:
      good = put(keeper::decode<ExitStatus>(frame.payload));
      break;
    case Type::gone:
      good = put(keeper::decode<keeper::Gone>(frame.payload));
      break;
    case Type::looked:
      good = put(keeper::decode<Look>(frame.payload));
      break;
    case Type::confined:
      good = put(keeper::decode<keeper::Confined>(frame.payload));
      break;
    case Type::done:
      break;
    case Type::held: {
      auto held = keeper::decode<keeper::Held>(frame.payload);
      auto fds = line_.take_descriptors(keeper::kDescriptorsPerPty);
      good = held && fds.size() == keeper::kDescriptorsPerPty;
      if (!good) break;
      event.what = HeldPty{
          std::move(*held), std::move(fds[0]), {std::move(fds[1]), std::move(fds[2])}, std::move(fds[3])};
      break;
    }
    default:
      good = false;
      break;
  }
  if (!good) return std::unexpected(nonsense());
  return event;
}

}  // namespace pty
