// SPDX-License-Identifier: Apache-2.0
#include "session/sessions.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <unordered_set>
#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "store/prompts.h"

namespace session {
namespace {

using base::Code;
using base::fail;
using base::Result;
using base::log::Level;

constexpr size_t kMostName = 64;
constexpr int64_t kMostOpenPrompts = 100'000;
// A daemon that was just killed may hold its keepers for a moment longer.
constexpr int kQuickTries = 200;
constexpr std::chrono::milliseconds kHeldPause{10};
constexpr std::chrono::milliseconds kHeldLong{1000};
// Whoever starts a daemon waits for this.
constexpr std::chrono::seconds kReady{5};
constexpr std::chrono::milliseconds kLoadPause{20};

bool may_stand_in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-';
}

std::string name_of_folder(const std::string& cwd) {
  std::string name;
  for (const char c : std::filesystem::path(cwd).filename().string()) name += may_stand_in_name(c) ? c : '-';
  name.erase(0, std::min(name.find_first_not_of("-."), name.size()));
  name.resize(std::min(name.size(), kMostName - 8));
  return name.empty() ? "session" : name;
}

// Somebody else holds it, or it cannot be reached now.
bool may_be_there(const base::Error& why) {
  return why.code == Code::pty_access_denied ||
         (why.sys != 0 && why.sys != ECONNREFUSED && why.sys != ENOENT);
}

}  // namespace

Result<void> check_name(std::string_view name) {
  const bool good = !name.empty() && name.size() <= kMostName && name[0] != '.' && name[0] != '-' &&
                    std::all_of(name.begin(), name.end(), may_stand_in_name);
  if (good) return {};
  return fail(
      Code::invalid_param, 0,
      fmt::format(
          "'{}' cannot be a session's name: use up to 64 letters, digits, '.', '_' and '-', and begin "
          "with a letter, a digit or '_'",
          base::printable(name, 80)));
}

Sessions::Sessions(Place place, ReadSettings read_settings)
    : place_(std::move(place)),
      read_settings_(std::move(read_settings)),
      ready_timer_(place_.loop, [this] { get_ready(); }),
      again_timer_(place_.loop, [this] { seek_again(); }),
      load_timer_(place_.loop, [this] { load_next(); }),
      expiry_timer_(place_.loop, [this] { forget_expired(); }) {}

std::unique_ptr<Session> Sessions::make(store::SessionRecord record, const SessionSettings& settings) {
  return std::make_unique<Session>(place_, std::move(record), settings, [this](Session&) { set_timer(); });
}

std::string Sessions::free_name(const std::string& cwd) const {
  std::unordered_set<std::string_view> taken;
  for (const auto& [id, each] : all_) taken.insert(each->name());
  for (const auto& [id, each] : unread_) taken.insert(each.session.name);
  const std::string name = name_of_folder(cwd);
  std::string next = name;
  for (int i = 2; taken.contains(next); i++) next = fmt::format("{}-{}", name, i);
  return next;
}

void Sessions::create(CreateRequest request, const Done<Session*>& done) {
  const bool named = !request.name.empty();
  if (!named) request.name = free_name(request.cwd);
  if (auto good = check_name(request.name); !good) return done(fail(good));
  if (named && std::ranges::any_of(all_, [&](const auto& each) {
        return each.second->name() == request.name && !each.second->ended();
      }))
    return done(
        fail(Code::invalid_param, 0,
             fmt::format("there is a session '{}' already; attach to it, or choose another name with -n",
                         request.name)));
  store::SessionRecord record{.id = place_.keepers.next_session(),
                              .name = request.name,
                              .cwd = request.cwd,
                              .owner = std::move(request.owner),
                              .labels = std::move(request.labels),
                              .settings = std::move(request.settings_text),
                              .created_at = store::wall_now(),
                              .ended_at = {}};
  auto made = make(std::move(record), request.settings);
  if (auto launched = made->launch(); !launched) return done(fail(launched));
  Session* fresh = made.get();
  all_[fresh->id()] = std::move(made);
  place_.store.save(fresh->record());
  fresh->spawn(std::move(request.agent), [this, id = fresh->id(), done](const Result<uint32_t>& spawned) {
    Session* found = all_.at(id).get();
    if (spawned) {
      place_.events.publish(
          {.at = store::wall_now(), .kind = "session.created", .session = id, .name = found->name()});
      return done(found);
    }
    // Nothing has run: nothing is left of it. The keeper ends by itself when it is alone.
    place_.store.remove_session(id);
    found->remove_files();
    // One that has not answered yet is to start nothing when it does.
    found->kill(base::Duration(0), [](const Result<uint32_t>&) {});
    place_.loop.post([this, id] { all_.erase(id); });
    done(std::unexpected(spawned.error()));
  });
}

Result<Session*> Sessions::find(std::string_view name_or_id) {
  if (const auto found = all_.find(std::string(name_or_id)); found != all_.end()) return found->second.get();
  load_all();
  if (const auto found = all_.find(std::string(name_or_id)); found != all_.end()) return found->second.get();
  Session* best = nullptr;
  for (const auto& [id, each] : all_) {
    if (each->name() != name_or_id) continue;
    const auto rank = [](const Session& session) {
      return std::pair(!session.ended(), session.record().created_at);
    };
    if (best == nullptr || rank(*each) > rank(*best)) best = each.get();
  }
  if (best != nullptr) return best;
  return fail(Code::pty_session_not_found, 0,
              fmt::format("there is no session '{}'; tend ls lists them", base::printable(name_or_id, 80)));
}

std::vector<Session*> Sessions::all() {
  load_all();
  std::vector<Session*> list;
  list.reserve(all_.size());
  for (const auto& [id, each] : all_) list.push_back(each.get());
  std::sort(list.begin(), list.end(), [](const Session* a, const Session* b) {
    return std::pair(a->record().created_at, a->id()) < std::pair(b->record().created_at, b->id());
  });
  return list;
}

std::vector<Session*> Sessions::kept() const {
  std::vector<Session*> list;
  for (const auto& [id, each] : all_) {
    if (each->has_keeper()) list.push_back(each.get());
  }
  return list;
}

size_t Sessions::living() const {
  return static_cast<size_t>(
      std::count_if(all_.begin(), all_.end(), [](const auto& each) { return !each.second->ended(); }));
}

void Sessions::release() {
  place_.keepers.dismiss_spare();
  for (const auto& [id, each] : all_) each->release();
}

void Sessions::recover(std::function<void()> ready) {
  ready_ = std::move(ready);
  auto stored = place_.store.load();
  if (!stored)
    base::log::say(Level::error, "cannot read the sessions of before: {}", stored.error().message());
  if (stored) {
    for (store::StoredSession& each : *stored) unread_.emplace(each.session.id, std::move(each));
  }
  load_prompts();
  // Before any of them answers, which one may do at once.
  const std::vector<std::string> kept = place_.keepers.sessions();
  for (const std::string& id : kept) {
    const auto found = unread_.extract(id);
    sought_[id] = found ? std::optional(std::move(found.mapped())) : std::nullopt;
  }
  for (const std::string& id : kept) adopt(id);
  if (sought_.empty()) return get_ready();
  ready_timer_.set_after(kReady);
}

void Sessions::get_ready() {
  ready_timer_.cancel();
  end_prompts();
  load_timer_.set_after(kLoadPause);
  if (const auto ready = std::exchange(ready_, {})) ready();
}

void Sessions::load_prompts() {
  auto connection = place_.store.reader();
  if (!connection) return;
  auto open = store::list_prompts(*connection, {.session = {},
                                                .state = {},
                                                .rule = {},
                                                .which = store::PromptFilter::Which::open,
                                                .limit = kMostOpenPrompts});
  if (!open) {
    base::log::say(Level::error, "cannot read the prompts of before: {}", open.error().message());
    return;
  }
  for (store::PromptRecord& each : *open) prompts_[each.session].push_back(std::move(each));
}

void Sessions::expect_prompts(Session& session, const SessionSettings& settings) {
  std::map<std::string, int64_t> answers;
  if (settings.policy && !settings.policy->bounded().empty()) {
    if (auto connection = place_.store.reader()) {
      for (const std::string& rule : settings.policy->bounded())
        answers[rule] = store::count_answers(*connection, session.id(), rule).value_or(0);
    }
  }
  const auto found = prompts_.find(session.id());
  session.expect_prompts(found != prompts_.end() ? found->second : std::vector<store::PromptRecord>(),
                         std::move(answers));
}

void Sessions::end_prompts() {
  for (auto each = prompts_.begin(); each != prompts_.end();) {
    if (sought_.contains(each->first)) {
      ++each;
      continue;
    }
    for (const store::PromptRecord& prompt : each->second)
      place_.store.write([id = prompt.id](store::Connection& connection) -> Result<void> {
        auto ended = store::end_prompt(connection, id, {.state = "expired"}, store::wall_now());
        if (!ended) return fail(ended);
        return {};
      });
    each = prompts_.erase(each);
  }
}

void Sessions::adopt(const std::string& id) {
  const auto& stored = sought_.at(id);
  store::SessionRecord record;
  if (stored) record = stored->session;
  if (!stored) record.name = id;  // until it is known where its programs run
  auto settings = read_settings_(record.settings);
  if (!settings) {
    base::log::say(Level::error, "session {}: {}", id, settings.error().message());
    settings = read_settings_("");
    if (!settings) return let_go(id);
  }
  record.id = id;
  record.ended_at.reset();
  auto found = make(record, *settings);
  expect_prompts(*found, *settings);
  all_[id] = std::move(found);
  seek(id);
}

void Sessions::seek(const std::string& id) {
  all_.at(id)->find_keeper([this, id](const Result<void>& found) { sought(id, found); });
}

void Sessions::sought(const std::string& id, const Result<void>& found) {
  if (!found && may_be_there(found.error())) {
    unreached_.push_back(id);
    if (!again_timer_.pending()) again_timer_.set_after(++tries_ < kQuickTries ? kHeldPause : kHeldLong);
    return;
  }
  Session& session = *all_.at(id);
  if (!found) {
    base::log::say(Level::warning, "session {}: {}", id, found.error().message());
    if (found.error().sys == ECONNREFUSED) place_.keepers.remove_socket(id);
  }
  // Without PTYs it was about to start, or to end.
  if (!found || session.ptys().empty()) return let_go(id);
  if (!sought_.at(id)) {
    const pty::keeper::Held& about = session.ptys().begin()->second->about();
    session.set_origin(free_name(about.cwd), about.cwd, about.spawned_at.time_since_epoch().count());
    place_.store.save(session.record());
  }
  prompts_.erase(id);
  sought_.erase(id);
  if (sought_.empty()) get_ready();
}

void Sessions::seek_again() {
  for (const std::string& id : std::exchange(unreached_, {})) seek(id);
}

// Its keeper is none: what the store knows of it has ended. Later: the session may be saying so itself.
void Sessions::let_go(const std::string& id) {
  place_.loop.post([this, id] {
    all_.erase(id);
    auto stored = std::move(sought_.extract(id).mapped());
    if (stored) unread_.emplace(id, std::move(*stored));
    if (sought_.empty()) return get_ready();
    end_prompts();
    if (!ready_) load_timer_.set_after(kLoadPause);
  });
}

void Sessions::load_next() {
  if (unread_.empty()) return set_timer();
  load_ended(unread_.extract(unread_.begin()).mapped());
  load_timer_.set_after(kLoadPause);
}

void Sessions::load_all() {
  if (unread_.empty()) return;
  for (const auto& [id, each] : std::exchange(unread_, {})) load_ended(each);
  set_timer();
}

void Sessions::load_ended(const store::StoredSession& stored) {
  auto settings = read_settings_(stored.session.settings);
  if (!settings) settings = read_settings_("");
  if (!settings) return;
  const bool lost = !stored.session.ended_at;
  auto found = make(stored.session, *settings);
  found->load_ended(stored.ptys);
  if (expiry(*found) <= store::wall_now()) return remove(*found);
  if (lost) place_.store.save(found->record());
  all_[stored.session.id] = std::move(found);
}

void Sessions::remove(Session& session) {
  session.remove_files();
  place_.store.remove_session(session.id());
}

int64_t Sessions::expiry(const Session& session) const {
  const auto kept = std::chrono::duration_cast<std::chrono::microseconds>(session.settings().keep_exited);
  return session.record().ended_at.value_or(0) + kept.count();
}

void Sessions::forget_expired() {
  const int64_t now = store::wall_now();
  for (auto each = all_.begin(); each != all_.end();) {
    Session& session = *each->second;
    if (!session.ended() || expiry(session) > now) {
      ++each;
      continue;
    }
    remove(session);
    each = all_.erase(each);
  }
  set_timer();
}

void Sessions::forget(const std::string& id) {
  const auto found = all_.find(id);
  if (found == all_.end() || !found->second->ended()) return;
  remove(*found->second);
  // Not now: whoever asks may be in the middle of something of it.
  place_.loop.post([this, id] {
    all_.erase(id);
    set_timer();
  });
}

void Sessions::set_timer() {
  int64_t next = 0;
  for (const auto& [id, each] : all_) {
    if (each->ended() && (next == 0 || expiry(*each) < next)) next = expiry(*each);
  }
  if (next == 0) return expiry_timer_.cancel();
  expiry_timer_.set_after(std::chrono::microseconds(std::max<int64_t>(next - store::wall_now(), 0) + 1000));
}

}  // namespace session
