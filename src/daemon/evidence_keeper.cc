// SPDX-License-Identifier: Apache-2.0
#include "daemon/evidence_keeper.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>
#include <unistd.h>
#include <vector>

#include "base/ids.h"
#include "base/log.h"
#include "daemon/call.h"
#include "vt/snapshot.h"

namespace host {
namespace {

using base::Result;
using session::PtyState;
using std::chrono::milliseconds;

constexpr milliseconds kQuiet{300};
constexpr milliseconds kPatience{3000};

bool is_person(std::string_view channel) {
  return channel == "cli" || channel == "attach" || channel == "web";
}

bool alive(const session::Pty& pty) { return pty.state() == PtyState::running && !pty.exit(); }

// Of whoever is in front; where its program was started, if that cannot be seen.
std::string folder_of(const session::Pty& pty) {
  if (const pid_t front = pty.foreground(); front > 0) {
    std::array<char, 4096> path{};
    const ssize_t size = ::readlink(fmt::format("/proc/{}/cwd", front).c_str(), path.data(), path.size());
    if (size > 0 && static_cast<size_t>(size) < path.size() && path[0] == '/')
      return {path.data(), static_cast<size_t>(size)};
  }
  return pty.about().cwd;
}

void keep_newest(store::EvidencePack& pack) {
  if (!pack.output || pack.output->size() <= EvidenceKeeper::kMostOutput) return;
  pack.output->erase(0, pack.output->size() - EvidenceKeeper::kMostOutput);
  pack.output_cut = true;
}

void read_output(store::EvidencePack& pack, const session::Pty& pty, uint64_t since) {
  const auto window = pty.journal().window();
  const uint64_t newest = window.end - std::min<uint64_t>(window.end, EvidenceKeeper::kMostOutput);
  const uint64_t from = std::max({since, newest, window.begin});
  if (from > window.end) return;
  std::string bytes(window.end - from, '\0');
  bytes.resize(pty.journal().read(from, bytes).count);
  pack.output = std::move(bytes);
  pack.output_cut = from > since;
}

size_t size_of(const store::EvidencePack& pack) {
  const auto text = [](const std::optional<std::string>& each) { return each ? each->size() : 0; };
  const auto shot = [](const std::optional<store::ScreenShot>& each) {
    return each ? each->bytes.size() : 0;
  };
  return sizeof pack + text(pack.sent) + text(pack.output) + shot(pack.before) + shot(pack.after) +
         pack.diff.size() + pack.diff_stat.size();
}

}  // namespace

EvidenceKeeper::EvidenceKeeper(event::Loop& loop, store::Store& store, session::Sessions& sessions,
                               std::string blank_folder)
    : store_(store),
      sessions_(sessions),
      timer_(loop, [this] { look(); }),
      git_(loop, std::move(blank_folder)) {}

std::optional<EvidenceKeeper::Pending> EvidenceKeeper::begin(const Call& call,
                                                             const session::Session& session,
                                                             const session::Pty& pty) {
  // Also of a person's keys: what follows is not the doing of whoever came before.
  take_after({session.id(), pty.number()});
  if (is_person(call.audit().channel) || !session.settings().evidence) return {};
  return take(call, session, pty);
}

EvidenceKeeper::Pending EvidenceKeeper::capture(const Call& call, const session::Session& session,
                                                const session::Pty& pty, std::string note) {
  Pending pending = take(call, session, pty);
  pending.pack_.action = "capture";
  pending.pack_.note = std::move(note);
  return pending;
}

EvidenceKeeper::Pending EvidenceKeeper::take(const Call& call, const session::Session& session,
                                             const session::Pty& pty) {
  Pending pending;
  store::EvidencePack& pack = pending.pack_;
  pack.id = base::new_id();
  pack.at = call.audit().at;
  pack.session = session.id();
  pack.name = session.name();
  pack.pty = pty.number();
  pack.agent = call.audit().agent;
  pack.channel = call.audit().channel;
  pack.action = call.audit().action;
  pack.secret = pty.hides_input();
  pack.cwd = folder_of(pty);
  pack.before = screen_of({session.id(), pty.number()}, pty);
  pending.offset_ = pty.journal().window().end;
  return pending;
}

// Costs as much as the output since the screen was read; reading it takes ten to hundred times as long.
store::ScreenShot EvidenceKeeper::screen_of(const Place& place, const session::Pty& pty) {
  const auto known = bases_.find(place);
  if (known == bases_.end() || !alive(pty)) return read_screen(place, pty);
  const Base& base = known->second;
  const auto window = pty.journal().window();
  const vt::Size size = pty.screen().size();
  if (base.shot.cols != size.columns || base.shot.rows != size.rows ||
      base.restarts != pty.about().restarts || base.offset < window.begin ||
      base.shot.bytes.size() >= kMostScreen || window.end - base.offset > kMostSince)
    return read_screen(place, pty);
  store::ScreenShot shot = base.shot;
  const size_t begin = shot.bytes.size();
  shot.bytes.resize(begin + (window.end - base.offset));
  const std::span<char> since = std::span(shot.bytes).subspan(begin);
  if (pty.journal().read(base.offset, since).count != since.size()) return read_screen(place, pty);
  return shot;
}

const store::ScreenShot& EvidenceKeeper::read_screen(const Place& place, const session::Pty& pty) {
  if (bases_.size() >= kMostBases && !bases_.contains(place)) bases_.clear();
  Base& base = bases_[place];
  base.shot = {.bytes = vt::snapshot(pty.screen(), vt::Include::screen),
               .cols = pty.screen().size().columns,
               .rows = pty.screen().size().rows};
  if (base.shot.bytes.size() > kMostScreen) base.shot.bytes.resize(kMostScreen);
  base.offset = pty.journal().window().end;
  base.restarts = pty.about().restarts;
  return base.shot;
}

void EvidenceKeeper::finish(Pending pending, What what, Done done) {
  Open open{.pack = std::move(pending.pack_),
            .done = std::move(done),
            .offset = pending.offset_,
            .wants_output = !what.output && what.after != After::never,
            .since = clock_.now()};
  const Place place{open.pack.session, static_cast<uint32_t>(open.pack.pty)};
  // Here already: it must not wait in our memory, nor in the store's queue.
  if (open.pack.secret && what.sent) what.sent = "secret";
  open.pack.sent = std::move(what.sent);
  open.pack.output = std::move(what.output);
  open.pack.exit_code = what.exit_code;
  keep_newest(open.pack);
  // What is known goes to the store at once: if the daemon is killed meanwhile, that is what there is.
  store_.write([pack = open.pack](store::Connection& connection) { return save_evidence(connection, pack); },
               {}, size_of(open.pack));
  const session::Pty* pty = find(place);
  if (what.after == After::never) return complete(std::move(open), nullptr);
  if (what.after == After::now || pty == nullptr || !alive(*pty)) return complete(std::move(open), pty);
  settle(place, std::move(open));
}

session::Pty* EvidenceKeeper::find(const Place& place) const {
  const auto found = sessions_.find(place.first);
  return found ? (*found)->pty(place.second) : nullptr;
}

void EvidenceKeeper::settle(const Place& place, Open open) {
  take_after(place);
  open.changes = find(place)->listeners().add([this, place] {
    const session::Pty* pty = find(place);
    if (pty != nullptr && alive(*pty)) return;
    take_after(place);
    bases_.erase(place);
  });
  settling_.emplace(place, std::move(open));
  if (!timer_.pending()) timer_.set_after(kQuiet);
}

void EvidenceKeeper::look() {
  const base::Moment now = clock_.now();
  std::vector<Place> quiet;
  base::Moment next = now + kPatience;
  for (const auto& [place, open] : settling_) {
    const session::Pty* pty = find(place);
    const base::Moment since = pty != nullptr ? std::max(pty->last_output(), open.since) : base::Moment{};
    const base::Moment due = std::min(since + kQuiet, open.since + kPatience);
    if (due <= now)
      quiet.push_back(place);
    else
      next = std::min(next, due);
  }
  for (const Place& each : quiet) {
    // Now there is time, and the next key will need it.
    if (const session::Pty* pty = find(each)) read_screen(each, *pty);
    take_after(each);
  }
  if (!settling_.empty()) timer_.set(next);
}

void EvidenceKeeper::take_after(const Place& place) {
  auto found = settling_.extract(place);
  if (!found.empty()) complete(std::move(found.mapped()), find(place));
}

void EvidenceKeeper::complete(Open open, const session::Pty* pty) {
  open.changes.reset();
  if (pty != nullptr) {
    open.pack.after = screen_of({open.pack.session, static_cast<uint32_t>(open.pack.pty)}, *pty);
    if (open.wants_output) read_output(open.pack, *pty, open.offset);
    if (alive(*pty)) open.pack.cwd = folder_of(*pty);
  }
  if (with_git_.size() >= kMostWithGit) {
    open.pack.diff_note = "too much at once";
    return save(std::move(open));
  }
  const std::string id = open.pack.id;
  const std::string folder = open.pack.cwd;
  with_git_.emplace(id, std::move(open));
  git_.read(folder, [this, id](const GitDiff& diff) {
    auto found = with_git_.extract(id);
    if (found.empty()) return;
    store::EvidencePack& pack = found.mapped().pack;
    pack.diff_stat = diff.stat;
    pack.diff = diff.diff;
    pack.truncated = diff.truncated;
    pack.diff_note = diff.note;
    save(std::move(found.mapped()));
  });
}

void EvidenceKeeper::save(Open open) {
  open.pack.complete = true;
  const size_t size = size_of(open.pack);
  store_.write([pack = std::move(open.pack)](
                   store::Connection& connection) { return save_evidence(connection, pack); },
               [done = std::move(open.done)](const Result<void>& saved) {
                 if (!saved)
                   base::log::say(base::log::Level::error, "evidence is lost: {}", saved.error().message());
                 if (done) done(saved);
               },
               size);
}

void EvidenceKeeper::conclude_all() {
  timer_.cancel();
  while (!settling_.empty()) take_after(settling_.begin()->first);
  for (auto& [id, open] : std::exchange(with_git_, {})) {
    open.pack.diff_note = "the daemon stopped";
    open.done = {};  // nobody will be there to hear it
    save(std::move(open));
  }
}

}  // namespace host
