// SPDX-License-Identifier: Apache-2.0
// How PTYs and the session end, and what the store and the followers of events are told.
#include <algorithm>
#include <utility>

#include "base/log.h"
#include "session/session.h"

namespace session {
namespace {

using base::Result;
using base::log::Level;

constexpr std::chrono::seconds kGrace{5};
constexpr std::chrono::seconds kSaveAgain{5};

int64_t to_micros(pty::keeper::Stamp stamp) { return stamp.time_since_epoch().count(); }

}  // namespace

void Session::bury(Pty& pty, std::string_view why) {
  pty.die(why);
  if (const auto wanted = restart_wanted_.find(pty.number()); wanted != restart_wanted_.end()) {
    const Done<void> done = std::move(wanted->second);
    restart_wanted_.erase(wanted);
    done(base::fail(base::Code::pty_process_exited, 0, std::string(why)));
  }
  publish("pty.dead", &pty);
  forget_if_dead(pty.number());
  if (pty.number() == 0) bury_agent_of_loop();
  end_if_over();
}

// The agent's place is kept, so that it can be started again for as long as the session lives. A keeper that
// still ends what a program left would forget that too, and who asked for it.
void Session::forget_if_dead(uint32_t number) {
  const Pty* each = pty(number);
  if (number == 0 || each == nullptr || each->state() != PtyState::dead) return;
  if (link_ && !ending_ && !kills_.contains(number)) expect(link_->forget(number), [](const auto&) {});
}

void Session::end_if_over() {
  const bool over = std::all_of(ptys_.begin(), ptys_.end(),
                                [](const auto& each) { return each.second->state() == PtyState::dead; });
  if (!over || ended() || adopting_) return;
  record_.ended_at = store::wall_now();
  publish("session.ended");
  save_end();
  ended_(*this);
}

// The keeper knows how its programs ended, and is let go only when the store knows it too.
void Session::save_end() {
  for (const auto& [number, each] : ptys_) save(*each);
  place_.store.save(record_, [this, life = std::weak_ptr(life_)](const Result<void>& saved) {
    if (life.expired()) return;
    if (!saved) return save_timer_.set_after(kSaveAgain);
    end_saved_ = true;
    let_keeper_go();
  });
}

// A keeper that is told to end answers nobody who has asked for something before; so whoever kills a PTY is
// answered first, and one that has been told already, by kill(), is not told again.
void Session::let_keeper_go() {
  if (link_ && end_saved_ && !ending_ && kills_.empty()) expect(link_->shut_down(kGrace), [](const auto&) {});
}

void Session::dismiss_keeper(const Done<uint32_t>& done) {
  if (!link_) return done(0U);
  ending_ = true;
  expect(link_->shut_down(kGrace), [done](const auto&) { done(0U); });
}

store::PtyRecord Session::record_of(const Pty& pty) const {
  store::PtyRecord record{.session = id(),
                          .number = pty.number(),
                          .command = pty.about().argv,
                          .cwd = pty.about().cwd,
                          .cols = pty.size().cols,
                          .rows = pty.size().rows,
                          .started_at = to_micros(pty.about().spawned_at),
                          .restarts = pty.about().restarts,
                          .exit_code = {},
                          .signal = {},
                          .exited_at = {}};
  if (pty.exit()) {
    record.exit_code = pty.exit()->code;
    record.signal = pty.exit()->signal;
    record.exited_at = pty.about().exit ? to_micros(pty.about().exited_at) : store::wall_now();
  }
  return record;
}

void Session::save(const Pty& pty) { place_.store.save(record_of(pty)); }

void Session::load_ended(const std::vector<store::PtyRecord>& ptys) {
  if (!record_.ended_at) record_.ended_at = store::wall_now();
  for (const store::PtyRecord& each : ptys) {
    const auto number = static_cast<uint32_t>(each.number);
    auto loaded = make_pty(number, {static_cast<uint16_t>(each.cols), static_cast<uint16_t>(each.rows)});
    if (auto done = loaded->load_dead(each); !done) {
      base::log::say(Level::info, "session {}: {}", id(), done.error().message());
      continue;
    }
    ptys_[number] = std::move(loaded);
  }
}

void Session::set_origin(std::string name, std::string cwd, int64_t created_at) {
  record_.name = std::move(name);
  record_.cwd = std::move(cwd);
  record_.created_at = created_at;
}

void Session::remove_files() {
  for (const auto& [number, each] : ptys_) Display::remove(each->base_path());
}

void Session::resized(Pty& pty) { publish("pty.resized", &pty); }
void Session::viewers_changed(Pty& pty) { publish("pty.clients", &pty); }

void Session::publish(std::string kind, const Pty* pty, std::optional<int64_t> delay_ms) {
  Event event{.at = store::wall_now(),
              .kind = std::move(kind),
              .session = id(),
              .name = name(),
              .delay_ms = delay_ms};
  if (pty != nullptr) {
    event.pty = pty->number();
    event.exit = pty->exit();
  }
  place_.events.publish(std::move(event));
}

}  // namespace session
