// SPDX-License-Identifier: Apache-2.0
#include "session/keepers.h"

#include <filesystem>
#include <unistd.h>
#include <utility>

#include "base/ids.h"
#include "base/log.h"

namespace session {
namespace {

constexpr std::chrono::milliseconds kSoon{6};
constexpr const char* kSocket = ".sock";

}  // namespace

Keepers::Keepers(event::Loop& loop, Place place)
    : place_(std::move(place)), soon_(loop, [this] { prepare(); }) {
  // Of spare ones that somebody has killed.
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(place_.sockets_folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') && name.ends_with(kSocket)) ::unlink(entry.path().c_str());
  }
}

std::string Keepers::socket_of(const std::string& session) const {
  return place_.sockets_folder + "/" + session + kSocket;
}

std::string Keepers::output_of(const std::string& session, uint32_t pty) const {
  return place_.journals_folder + "/" + session + "." + std::to_string(pty);
}

pty::KeeperLaunch Keepers::launch_of(const std::string& session) const {
  return {.program = place_.program,
          .session = session,
          .socket_path = socket_of(session),
          .journals_folder = place_.journals_folder};
}

std::string Keepers::next_session() const { return spare_ ? spare_->session : base::new_id(); }

base::Result<pty::KeeperLink> Keepers::start(const std::string& session, const std::string& plan) {
  if (!soon_.pending()) soon_.set_after(kSoon);
  if (spare_ && spare_->session == session) {
    // It cannot be told if somebody has ended it.
    auto spare = std::exchange(spare_, {});
    auto link = pty::KeeperLink::begin(std::move(spare->keeper), plan, {.revive = place_.revive});
    if (link) return link;
  }
  auto fresh = pty::start_keeper(launch_of(session));
  if (!fresh) return base::fail(fresh);
  return pty::KeeperLink::begin(std::move(*fresh), plan, {.revive = place_.revive});
}

base::Result<pty::KeeperLink> Keepers::connect(const std::string& session) const {
  return pty::KeeperLink::connect(socket_of(session), {.revive = place_.revive});
}

std::vector<std::string> Keepers::sessions() const {
  std::vector<std::string> all;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(place_.sockets_folder, ignored)) {
    std::string session = entry.path().stem().string();
    if (entry.path().extension() == kSocket && base::is_id(session)) all.push_back(std::move(session));
  }
  return all;
}

void Keepers::remove_socket(const std::string& session) const { ::unlink(socket_of(session).c_str()); }

void Keepers::prepare() {
  if (spare_) return;
  std::string session = base::new_id();
  auto keeper = pty::start_keeper(launch_of(session));
  // Whoever asks for a session then hears it too.
  if (!keeper) return base::log::say(base::log::Level::warning, "{}", keeper.error().message());
  spare_.emplace(std::move(session), std::move(*keeper));
}

void Keepers::dismiss_spare() {
  soon_.cancel();
  if (auto last = std::exchange(spare_, {})) pty::dismiss(std::move(last->keeper));
}

}  // namespace session
