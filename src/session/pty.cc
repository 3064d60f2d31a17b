// SPDX-License-Identifier: Apache-2.0
#include "session/pty.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>
#include <utility>

#include "base/log.h"
#include "pty/processes.h"
#include "session/fault_points.h"
#include "session/notices.h"

namespace session {
namespace {

using base::Code;
using base::fail;
using base::Result;
using std::chrono::milliseconds;

constexpr int kStepsPerTurn = 16;  // then others have their turn
// What the program wrote last may still be on its way through the kernel when its end is known.
constexpr milliseconds kSettle{20};

// 5 MB/s, which every terminal on the same machine takes, busy as it may be.
constexpr milliseconds kPace{100};
constexpr uint64_t kLeastPace = 512 << 10;
constexpr std::chrono::seconds kRest{1};
constexpr uint64_t kFlood = 512 << 10;  // bytes a second
constexpr std::chrono::seconds kAgain{1};
constexpr milliseconds kAnswerWait{100};  // for a terminal that may be far away

vt::Size to_cells(pty::Size size) { return {size.cols, size.rows}; }

}  // namespace

Pty::Pty(event::Loop& loop, PtyOwner& owner, PtyOptions options)
    : loop_(loop),
      owner_(owner),
      options_(std::move(options)),
      size_(options_.size),
      pace_(loop, [this] { judge_pace(); }),
      rest_(loop, [this] { rest(); }),
      again_(loop, [this] { on_ready({}); }),
      settle_(loop, [this] { finish(); }),
      doubt_(loop, [this] { release_keys(); }),
      blind_(loop, [this] { looked(fail(Code::internal, 0, "the keeper does not answer")); }),
      reader_(loop, options_.supervision, fmt::format("the reader of {}", options_.base),
              {.cancel = [this] { stop_serving(); },
               .restart = [this] { serve(); },
               .give_up = [this] { owner_.unserved(*this, "its terminal cannot be read"); }}),
      writer_(loop, options_.supervision, fmt::format("the writer of {}", options_.base),
              {.cancel = [this] { stop_serving(); },
               .restart = [this] { serve(); },
               .give_up = [this] { owner_.unserved(*this, "its terminal cannot be written"); }}),
      attention_(loop, *this, options_.attentiveness,
                 {.settings = options_.supervision, .name = fmt::format("the probe of {}", options_.base)}),
      runs_(loop, *this),
      last_output_(clock_.now()) {}

Pty::~Pty() = default;

Result<void> Pty::hold(pty::HeldPty held, Past past) {
  auto journal = pty::Journal::map(held.journal.get(), pty::Journal::Access::write);
  if (!journal) return fail(journal);
  about_ = held;
  size_ = held.size;
  master_ = std::move(held.master);
  pipe_ = std::move(held.pipe);
  pump_.reset();
  journal_ = std::move(*journal);
  make_pump();
  const bool found_again = !display_ && past == Past::some;
  if (!display_) {
    display_ = make_display(options_.scrollback_rows, this);
    if (found_again) {
      display_->recover(*journal_);
      told_before_ = display_->ends_with_text();
    } else {
      display_->start();
    }
  }
  display_->resize(to_cells(size_));
  state_ = PtyState::running;
  closed_ = false;
  exit_.reset();
  killed_ = false;
  last_input_.reset();
  drop_keys();
  serve();
  if (const auto wanted = std::exchange(wanted_, {})) apply_size(*wanted);
  looks_ = answers_to_looks_ = look_for_run_ = 0;
  if (found_again)
    attention_.find_again();
  else
    attention_.start();
  if (held.exit) program_ended(*held.exit);
  return {};
}

Result<void> Pty::load_dead(const store::PtyRecord& record) {
  const std::string path = options_.base + ".journal";
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return fail(Code::pty_read_failed, errno, "cannot open " + path);
  auto journal = pty::Journal::map(file.get(), pty::Journal::Access::read);
  if (!journal) return fail(journal);
  journal_ = std::move(*journal);
  about_.argv = record.command;
  about_.cwd = record.cwd;
  about_.restarts = static_cast<uint32_t>(record.restarts);
  about_.spawned_at = pty::keeper::Stamp(std::chrono::microseconds(record.started_at));
  if (record.exited_at) about_.exited_at = pty::keeper::Stamp(std::chrono::microseconds(*record.exited_at));
  if (record.exit_code)
    exit_ = about_.exit =
        pty::ExitStatus{static_cast<int>(*record.exit_code), static_cast<int>(record.signal.value_or(0))};
  state_ = PtyState::dead;
  closed_ = true;
  attention_.end();
  return {};
}

std::unique_ptr<Display> Pty::make_display(size_t scrollback_rows, vt::Sink* sink) const {
  return std::make_unique<Display>(
      Display::Options{.base = options_.base, .scrollback_rows = scrollback_rows}, to_cells(size_), sink);
}

const Display& Pty::display() const {
  if (!display_) {
    display_ = make_display(options_.scrollback_rows, nullptr);
    display_->recover(*journal_);
  }
  return *display_;
}

// In every list: not worth all of the past.
const std::string& Pty::title() const {
  if (display_) return display_->screen().titles().title;
  if (!last_title_) {
    const auto last = make_display(0, nullptr);
    last->recover(*journal_, Display::Past::none);
    last_title_ = last->screen().titles().title;
  }
  return *last_title_;
}

// Passing on comes first: the screen never delays it. The work after each step is also what lets the kernel
// gather more for the next one.
void Pty::on_ready(event::Ready ready) {
  write_keys(ready);
  take_output();
  watch();
}

void Pty::make_pump() {
  pump_.emplace(master_.get(), pty::PipeEnds{pipe_.read_end.get(), pipe_.write_end.get()}, *journal_);
}

void Pty::serve() {
  if (!master_ || !journal_) return;
  if (!pump_) make_pump();
  watch_ =
      std::make_unique<event::Watch>(loop_, master_.get(), [this](event::Ready ready) { on_ready(ready); });
  watch();
}

void Pty::stop_serving() {
  watch_.reset();
  pump_.reset();
  again_.cancel();
}

void Pty::take_output() {
  for (int i = 0; i < kStepsPerTurn && pump_ && !closed_ && !held_up(); i++) {
    auto step = stalls(Stall::reader) ? fail(Code::pty_read_failed, EIO, "a test says so") : pump_->step();
    if (!step) {
      // The output is still in the kernel, and will be there at the next try.
      base::log::say(base::log::Level::error, "cannot read a terminal: {}", step.error().message());
      again_.set_after(kAgain);
      reader_.due();
      break;
    }
    reader_.went();
    if (step->state == pty::Pump::State::closed) closed_ = true;
    if (step->count > 0) pass_on();
    if (step->state == pty::Pump::State::empty) break;
    if (!pump_ || step->state != pty::Pump::State::moved) continue;
    // Behind a little there is rarely more at once, and what there is will be heard of.
    if (step->count < pty::Pump::kFull && !exit_) break;
    pump_->linger();
  }
  if (closed_ && exit_ && state_ == PtyState::running) finish();
}

void Pty::pass_on() {
  const uint64_t end = this->end();
  moves_++;
  for (Seat& each : seats_) pass_on(each, end);
  if (std::exchange(answers_key_, false)) step_aside();
  display_->follow(*journal_);
  attention_.output(end);
  runs_.output();
  last_output_ = clock_.now();
  if (!rest_.pending()) rest_.set(last_output_ + kRest);
  listeners_.call();
}

void Pty::pass_on(Seat& seat, uint64_t end) {
  if (!seat.waiting || seat.offset >= end) return;
  note_offset(seat, seat.viewer->show(*journal_, seat.offset, end));
  if (seat.offset >= end) return;
  seat.waiting = false;
  seat.viewer->output(end);
}

// A session that is silent takes no more memory than its screen. Looked at once a second while there is
// output, and never again when there is none.
void Pty::rest() {
  if (!journal_) return;
  const bool silent = clock_.now() - last_output_ >= kRest;
  if (end() - std::exchange(rest_offset_, end()) < kFlood || silent) {
    flood_ = false;
    wait_again();
  }
  if (silent)
    journal_->rest();
  else
    rest_.set(last_output_ + kRest);
}

void Pty::program_ended(pty::ExitStatus exit) {
  exit_ = exit;
  // What it did not read is nobody's loss, and its end waits for no other try to write it.
  writer_.rest();
  again_.cancel();
  take_output();
  if (state_ != PtyState::running) return;
  settle_.set_after(kSettle);
  watch();
}

void Pty::conclude() {
  if (!exit_ || state_ != PtyState::running) return;
  // Nor for a viewer that must have everything: nobody is left to wait for it.
  for (Seat& each : seats_) each.lossless = false;
  finish();
}

void Pty::finish() {
  if (state_ != PtyState::running) return;
  // Whoever else still has the terminal open may go on writing; its program has ended all the same. A viewer
  // that must have all of it has had its time.
  for (int i = 0; i < kStepsPerTurn * 16 && pump_ && !closed_ && !held_up(); i++) {
    auto step = pump_->step();
    if (!step || step->state != pty::Pump::State::moved) break;
    pass_on();
  }
  if (held_up() || again_.pending()) {
    settle_.set_after(kSettle);
    return;
  }
  settle_.cancel();
  state_ = PtyState::exited;
  attention_.end();
  runs_.program_ended(exit_ ? std::optional(exit_->code) : std::nullopt);
  owner_.exited(*this);
}

void Pty::announce_exit(Farewell farewell) {
  // A daemon before this one has said it already.
  if (std::exchange(told_before_, false)) return;
  tell({.kind = Notice::Kind::exited,
        .offset = end(),
        .text = undo_modes(screen()) + (farewell == Farewell::told
                                            ? exit_notice(exit_.value_or(pty::ExitStatus{}).code)
                                            : std::string()),
        .exit = exit_});
}

void Pty::announce_note(std::string_view text) {
  tell({.kind = Notice::Kind::note, .offset = end(), .text = note(text, screen().cursor_column() == 0)});
}

void Pty::announce_restart(milliseconds delay) {
  state_ = PtyState::restarting;
  tell({.kind = Notice::Kind::restarting, .offset = end(), .text = restart_notice(delay)});
}

void Pty::announce_restarted() {
  told_before_ = false;
  tell({.kind = Notice::Kind::restarted, .offset = about_.run_offset});
}

void Pty::save_screen() {
  if (display_ && journal_) display_->checkpoint(*journal_);
}

void Pty::tell(const Notice& notice) {
  shown_.reset();
  if (!notice.text.empty()) display_->show(notice.text);
  // A viewer may go while it is told.
  std::vector<Viewer*> all;
  all.reserve(seats_.size());
  for (const Seat& each : seats_) all.push_back(each.viewer);
  for (Viewer* each : all) {
    if (seat(*each) != nullptr) each->notice(notice);
  }
  listeners_.call();
}

void Pty::hand_back() {
  stop_serving();
  settle_.cancel();
  pace_.cancel();
  reader_.rest();
  writer_.rest();
}

void Pty::die(std::string_view why) {
  state_ = PtyState::dead;
  runs_.program_ended({});
  hand_back();
  master_.reset();
  pipe_ = {};
  drop_keys();
  // One whose keeper has gone has not been heard to end.
  if (attention_.question()) attention_.end();
  save_screen();
  const std::vector<Seat> left = std::exchange(seats_, {});
  for (const Seat& each : left) each.viewer->detached(why);
  listeners_.call();
}

void Pty::want_look() {
  looks_++;
  if (attention_.is_blind()) return blind_.set_after(base::Duration(0));
  owner_.want_look(*this);
}

void Pty::look_for_run() {
  look_for_run_ = looks_ + 1;
  moves_at_look_ = moves_;
  want_look();
}

std::string_view Pty::output_since(uint64_t offset) const {
  const auto window = journal_->window();
  return journal_->view(std::clamp(offset, window.begin, window.end), window.end);
}

// What the program asked its terminal goes in front of a command, or some shells lose the beginning of it.
bool Pty::moved_since_look() const {
  const bool awaits_answer = answers_ != nullptr && clock_.now() - asked_ < kAnswerWait;
  return moves_ != moves_at_look_ || !keys_.empty() || awaits_answer;
}

base::Duration Pty::age() const {
  return std::chrono::system_clock::now().time_since_epoch() - about_.spawned_at.time_since_epoch();
}

void Pty::looked(const Result<pty::Look>& look) {
  answers_to_looks_++;
  if (state_ != PtyState::running || exit_) return;
  // What was written before the look may still be in the terminal, and a look is worth nothing without it.
  take_output();
  waits_ = look && look->verdict == pty::Look::Verdict::waits ? std::optional(*look) : std::nullopt;
  pty::Look blind;
  // A keeper that is older than this daemon cannot look; the terminal's settings are everybody's to see.
  termios settings{};
  if (!look && master_ && ::tcgetattr(master_.get(), &settings) == 0) {
    blind.canonical = (settings.c_lflag & ICANON) != 0;
    blind.echo = (settings.c_lflag & ECHO) != 0;
  }
  attention_.looked(look ? *look : blind);
  // One that was begun before it was asked for does not show what is now. By now a run may have ended with
  // that output, and the next one have asked for a look of its own.
  if (!runs_.wants_look() || answers_to_looks_ >= look_for_run_) runs_.looked(look);
}

void Pty::attention_changed(const News& news) {
  owner_.attention_changed(*this, news);
  listeners_.call();
}

pid_t Pty::foreground() const { return master_ ? std::max(::tcgetpgrp(master_.get()), 0) : 0; }

void Pty::watch() {
  if (!watch_) return;
  const bool held = note_hold();
  const bool pauses = again_.pending();
  watch_->want({.input = !closed_ && !held && !pauses, .output = !keys_.empty() && !pauses});
  if (held && !pace_.pending()) measure_pace();
}

void Pty::measure_pace() {
  pace_from_ = end();
  held_for_ = {};
  held_since_ = clock_.now();
  pace_.set_after(kPace);
}

bool Pty::note_hold() {
  const bool held = held_up();
  if (held == held_) return held;
  const base::Moment now = clock_.now();
  if (held)
    held_since_ = now;
  else
    held_for_ += now - held_since_;
  return held_ = held;
}

uint64_t Pty::missing(const Seat& seat) const {
  const uint64_t last = end();
  return last - std::min(last, seat.offset);
}

// A terminal that is about as fast as the program sees all of the output, because the program waits for it, a
// moment at a time. One that is slower, or stopped, is not waited for twice in a flood: it is shown the
// screen.
bool Pty::held_up() const {
  return journal_ && std::any_of(seats_.begin(), seats_.end(), [&](const Seat& each) {
           return (each.lossless || each.pace == Pace::abreast) && missing(each) > journal_->capacity() / 2;
         });
}

// If the program was held up for most of the time, and what it wrote is less than any terminal takes: in a
// crowd each viewer may go on a little, and all of them together hold it up for ever. So it is all that are
// far behind that are given up.
void Pty::judge_pace() {
  const auto held = held_for_ + (held_ ? clock_.now() - held_since_ : base::Duration{});
  if (held >= kPace / 2 && end() - pace_from_ < kLeastPace) {
    flood_ = true;
    set_pace(Pace::behind);
  }
  watch();
}

// For whoever has come to the end meanwhile. Not before the flood is over: they would fall behind again.
void Pty::wait_again() {
  if (!flood_) set_pace(Pace::abreast);
}

void Pty::set_pace(Pace pace) {
  std::vector<Viewer*> changed;
  for (Seat& each : seats_) {
    const Pace now = missing(each) > journal_->capacity() / 4 ? Pace::behind : Pace::abreast;
    if (each.lossless || each.pace == pace || now != pace) continue;
    each.pace = pace;
    changed.push_back(each.viewer);
  }
  // A viewer may go while it is told.
  for (Viewer* each : changed) {
    if (seat(*each) != nullptr) each->paced(pace);
  }
  if (!changed.empty()) watch();
}

// Whether this key would, without tend, stop the program and give the terminal back to the shell. In a
// session of its own the kernel discards that stop, because nobody there could continue the program; so it is
// the viewer that stops. A shell in the session (it ignores the signal, or has put a job of its own in the
// foreground) deals with the key itself.
bool Pty::stops_the_job(char key) const {
  termios settings{};
  return ::tcgetattr(master_.get(), &settings) == 0 && (settings.c_lflag & ISIG) != 0 &&
         settings.c_cc[VSUSP] == static_cast<cc_t>(key) && ::tcgetpgrp(master_.get()) == about_.pid &&
         !pty::ignores_signal(about_.pid, SIGTSTP);
}

}  // namespace session
