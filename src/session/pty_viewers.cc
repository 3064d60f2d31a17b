// SPDX-License-Identifier: Apache-2.0
// Who looks at a PTY and types into it.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "session/pty.h"
#include "vt/snapshot.h"

namespace session {
namespace {

using base::Code;
using base::fail;
using base::Result;

constexpr char kSuspendKey = '\x1a';
// Of the scrollback only the newest half, or quarter, is sent where all would be more than a connection
// holds.
constexpr size_t kMostSnapshot = 8 << 20;
// For how long a question may wait for its answer: who answers does not change meanwhile, or there would be
// two of them, or none.
constexpr std::chrono::seconds kAnswerTime{2};
// A terminal writes an answer at once; what does not go on for so long is a key.
constexpr std::chrono::milliseconds kDoubt{20};
constexpr std::chrono::milliseconds kShared{10};

}  // namespace

const Pty::Seat* Pty::seat(const Viewer& viewer) const {
  const auto found =
      std::find_if(seats_.begin(), seats_.end(), [&](const Seat& each) { return each.viewer == &viewer; });
  return found != seats_.end() ? &*found : nullptr;
}

Pty::Seat* Pty::seat(const Viewer& viewer) { return const_cast<Seat*>(std::as_const(*this).seat(viewer)); }

Role Pty::role_of(const Viewer& viewer) const {
  const Seat* found = seat(viewer);
  return found != nullptr ? found->role : Role::observer;
}

Result<Attached> Pty::attach(Viewer& viewer, const AttachOptions& options) {
  if (state_ == PtyState::dead)
    return fail(
        Code::pty_process_exited, 0,
        fmt::format("the program has ended (code {}); its output is still there: tend logs, tend screen",
                    exit_.value_or(pty::ExitStatus{}).code));
  if (options.takeover) {
    std::vector<Viewer*> others;
    for (const Seat& each : seats_) {
      if (each.role == Role::writer && each.viewer != &viewer) others.push_back(each.viewer);
    }
    for (Viewer* each : others) {
      detach(*each);
      each->detached("taken over by another terminal");
    }
  }
  detach(viewer);
  Seat fresh{.viewer = &viewer, .role = options.role, .lossless = options.lossless, .window = {}};
  fresh.window.attached = fresh.window.active = ++last_order_;
  if (options.window) {
    fresh.window.size = *options.window;
    fresh.has_window = true;
  }
  seats_.push_back(fresh);
  // Before the snapshot is made: it shows the size that the viewer then has.
  fit();
  Attached attached = resync(viewer);
  const auto window = journal_->window();
  // What was said beside the output is in the screen, and not in the journal.
  const bool told_since = options.from && !options.lossless && display_->has_text_behind(*options.from);
  if (options.from && !told_since && *options.from >= window.begin && *options.from <= window.end) {
    attached.offset = *options.from;
    attached.snapshot.reset();
    seat(viewer)->offset = *options.from;
  } else if (options.scrollback > 0) {
    attached.snapshot = snapshot_with_scrollback(options.window.value_or(size_), options.scrollback);
  }
  owner_.viewers_changed(*this);
  return attached;
}

std::string Pty::snapshot_for(pty::Size window, size_t scrollback) const {
  std::string snapshot = vt::snapshot(screen(), scrollback);
  const vt::Size size = screen().size();
  if (size == vt::Size{window.cols, window.rows}) return snapshot;
  vt::Screen fitted(size, vt::Options{.scrollback_rows = scrollback, .cell = {}, .theme = {}});
  fitted.feed(snapshot);
  fitted.resize({window.cols, window.rows});
  return vt::snapshot(fitted, scrollback);
}

std::string Pty::snapshot_with_scrollback(pty::Size window, size_t rows) const {
  // In a narrower window they are more.
  const size_t longer = static_cast<size_t>(screen().size().columns) / window.cols + 1;
  rows = std::min(rows, screen().scrollback().size() * longer);
  std::string snapshot = snapshot_for(window, rows);
  while (rows > 0 && snapshot.size() > kMostSnapshot) snapshot = snapshot_for(window, rows /= 2);
  return snapshot;
}

Attached Pty::screen_for(pty::Size window) const {
  return {.offset = display_->offset(), .snapshot = snapshot_for(window), .size = size_};
}

// What is about to be painted over need not be the newest.
Attached Pty::shared_screen(pty::Size window) {
  const base::Moment now = clock_.now();
  if (!shown_ || shown_->window != window || shown_->attached.size != size_ || now - shown_->made > kShared)
    shown_.emplace(Shown{.window = window, .made = now, .attached = screen_for(window)});
  return shown_->attached;
}

Attached Pty::resync(Viewer& viewer, std::optional<pty::Size> window) {
  Seat* each = seat(viewer);
  Attached attached = each != nullptr && each->pace == Pace::behind ? shared_screen(window.value_or(size_))
                                                                    : screen_for(window.value_or(size_));
  if (each != nullptr) {
    each->offset = attached.offset;
    each->waiting = false;
  }
  wait_again();
  watch();
  return attached;
}

void Pty::detach(Viewer& viewer) {
  if (Seat* each = seat(viewer); each != nullptr && each->input.holds()) (void)put(each->input.release());
  for (HeldKeys& each : held_keys_)
    if (each.viewer == &viewer) each.viewer = nullptr;
  const size_t before = seats_.size();
  std::erase_if(seats_, [&](const Seat& each) { return each.viewer == &viewer; });
  if (seats_.size() == before) return;
  fit();
  watch();
  owner_.viewers_changed(*this);
}

void Pty::ready(Viewer& viewer, uint64_t offset) {
  Seat* each = seat(viewer);
  if (each == nullptr) return;
  note_offset(*each, offset);
  each->waiting = true;
  pass_on(*each, end());
  wait_again();
  watch();
}

void Pty::progress(Viewer& viewer, uint64_t offset) {
  Seat* each = seat(viewer);
  if (each == nullptr) return;
  note_offset(*each, offset);
  wait_again();
  watch();
}

void Pty::note_offset(Seat& seat, uint64_t offset) {
  const uint64_t last = end();
  seat.offset = std::clamp(offset, seat.offset, std::max(seat.offset, last));
}

Result<void> Pty::type(Viewer& viewer, std::string_view keys) {
  Seat* from = seat(viewer);
  if (from == nullptr || from->role != Role::writer) return {};
  if (holds_keys_) return hold_back(&viewer, keys);
  const TerminalInput::Taken taken = from->input.take(keys, answers_of(viewer));
  if (from->input.holds()) doubt_.set_after(kDoubt);
  if (taken.typed) {
    last_input_ = clock_.now();
    typed_by_ = viewer.name();
    attention_.typed();
    from->window.active = ++last_order_;
    if (options_.resize == config::Resize::latest) fit();
  }
  return taken.bytes.empty() ? Result<void>{} : pass_keys(viewer, taken.bytes);
}

Result<void> Pty::pass_keys(Viewer& viewer, std::string_view keys) {
  const size_t stop = keys.find(kSuspendKey);
  if (stop == std::string_view::npos || !master_ || !stops_the_job(keys[stop])) return put(keys);
  if (stop > 0) {
    if (auto before = put(keys.substr(0, stop)); !before) return before;
  }
  viewer.suspend();
  // What comes behind it is for the program again; it stops once, however often the key was pressed.
  std::string rest(keys.substr(stop + 1));
  std::erase(rest, kSuspendKey);
  return rest.empty() ? Result<void>{} : put(rest);
}

void Pty::release_keys() {
  if (holds_keys_) return doubt_.set_after(kDoubt);
  std::vector<Viewer*> all;
  for (const Seat& each : seats_) {
    if (each.input.holds()) all.push_back(each.viewer);
  }
  for (Viewer* each : all) {
    if (Seat* from = seat(*each)) (void)pass_keys(*each, from->input.release());
  }
}

// Of the terminals that are shown what the program writes, and not a screen that fits them, the one that
// typed last. A client that has no window may be a terminal of the right size.
const Viewer* Pty::answerer() const {
  const Seat* best = nullptr;
  for (const Seat& each : seats_) {
    if (each.role != Role::writer || (each.has_window && each.window.size != size_)) continue;
    if (answers_ == each.viewer && clock_.now() - asked_ < kAnswerTime) return answers_;
    if (best == nullptr || each.window.active > best->window.active) best = &each;
  }
  return best != nullptr ? best->viewer : nullptr;
}

Answers Pty::answers_of(const Viewer& viewer) const {
  const auto writers =
      std::count_if(seats_.begin(), seats_.end(), [](const Seat& each) { return each.role == Role::writer; });
  if (writers < 2 || answerer() == &viewer) return Answers::pass;
  return clock_.now() - asked_position_ < kAnswerTime ? Answers::drop_doubtful : Answers::drop;
}

// What the screen would answer. A terminal that is attached answers for itself.
void Pty::reply(std::string_view bytes) {
  if (state_ != PtyState::running || !master_) return;
  answers_ = answerer();
  asked_ = clock_.now();
  if (bytes.ends_with('R')) asked_position_ = asked_;
  if (answers_ == nullptr && keys_.push(bytes)) send_keys();
  attention_.taken();
}

void Pty::set_window(Viewer& viewer, pty::Size size) {
  Seat* each = seat(viewer);
  if (each == nullptr) return;
  each->window.size = size;
  each->window.active = ++last_order_;
  each->has_window = true;
  fit();
}

void Pty::fit() {
  std::vector<Window> writers;
  for (const Seat& each : seats_) {
    if (each.role == Role::writer && each.has_window) writers.push_back(each.window);
  }
  if (const auto wanted = choose_size(options_.resize, writers)) apply_size(*wanted);
}

Result<void> Pty::resize(pty::Size size) {
  if (state_ == PtyState::dead) return fail(Code::pty_process_exited, 0, "the program has ended");
  apply_size(size);
  return {};
}

void Pty::apply_size(pty::Size size) {
  // While it is handed back it is not touched; the size waits until it is held again.
  if (!pump_) {
    wanted_ = size;
    return;
  }
  if (size == size_) return;
  // What was written for the old size is shown at the old size.
  if (state_ == PtyState::running) take_output();
  size_ = size;
  if (master_ && state_ == PtyState::running) (void)pty::resize(master_.get(), size);
  display_->resize({size.cols, size.rows});
  if (pump_) display_->follow(*journal_);
  if (state_ == PtyState::running) attention_.resized();
  for (const Seat& each : seats_) each.viewer->resized(size);
  owner_.resized(*this);
}

}  // namespace session
