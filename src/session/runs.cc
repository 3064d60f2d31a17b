// SPDX-License-Identifier: Apache-2.0
#include "session/runs.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/strings.h"
#include "exec/typed.h"

namespace session {
namespace {

using base::Code;
using base::Error;
using base::Result;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kInterrupt = "\x03";
constexpr base::Duration kShortestPause = std::chrono::microseconds(200);
constexpr base::Duration kLongestPause = milliseconds(20);
constexpr int kLooksAhead = 6;
// A shell that starts, or draws its prompt, is waited for; what else does not wait is at work.
constexpr base::Duration kPatience = seconds(5);
// Between two looks that must agree, where one is not enough.
constexpr base::Duration kDoubt = milliseconds(60);

std::string shown(std::string_view text) { return base::printable(text, 60); }

}  // namespace

Runs::Runs(event::Loop& loop, RunTerminal& terminal)
    : terminal_(terminal), again_(loop, [this] { look(); }), deadline_(loop, [this] { on_time(); }) {}

Runs::~Runs() = default;

Result<void> Runs::add(RunRequest request) {
  if (queue_.size() >= kMost)
    return base::fail(Code::pty_busy, 0, fmt::format("{} commands wait for this PTY already", kMost));
  auto run = std::make_unique<Run>();
  run->request = std::move(request);
  run->asked = clock_.now();
  run->deadline = run->asked + run->request.timeout;
  queue_.push_back(std::move(run));
  set_timer();
  if (!active_)
    next();
  else
    interrupt_first();
  return {};
}

// The one that is next may have the one that nobody waits for any more ended.
void Runs::interrupt_first() {
  if (queue_.empty() || !active_ || !active_->reported || active_->interrupted) return;
  if (!queue_.front()->request.interrupt) return;
  active_->interrupted = true;
  (void)terminal_.type_command(kInterrupt);
}

void Runs::next() {
  if (active_ || queue_.empty()) return;
  active_ = std::move(queue_.front());
  queue_.pop_front();
  typed_ = false;
  seen_.reset();
  pause_ = kShortestPause;
  looks_ahead_ = 0;
  const auto ahead = std::exchange(ahead_, {});
  if (ahead && !terminal_.moved_since_look() && !terminal_.line_is_open()) return start(*ahead);
  look();
}

void Runs::look() {
  if (looking_ || (!active_ && looks_ahead_ == 0)) return;
  looking_ = true;
  terminal_.look_for_run();
}

void Runs::look_again() {
  again_.set_after(pause_);
  pause_ = std::min(pause_ * 2, kLongestPause);
}

void Runs::looked(const Result<pty::Look>& look) {
  looking_ = false;
  if (!active_) {
    if (look) look_ahead(*look);
    return;
  }
  if (!look) {
    if (!typed_)
      end(Error{Code::pty_busy, 0, "this session's keeper cannot tell what its programs wait for"});
    return;
  }
  if (typed_)
    follow_up(*look);
  else if (terminal_.moved_since_look())
    look_again();
  else
    decide_start(*look);
}

// Between two commands: where the shell has come back to its prompt, that is known before the next one comes.
void Runs::look_ahead(const pty::Look& look) {
  if (looks_ahead_ == 0) return;
  looks_ahead_--;
  if (!terminal_.moved_since_look()) {
    Front front = front_of(look, terminal_.run_screen());
    if (front.stand == Front::Stand::at_prompt && front.certain && !front.hides_input) {
      ahead_ = std::move(front);
      looks_ahead_ = 0;
    }
  }
  if (looks_ahead_ > 0) look_again();
}

void Runs::decide_start(const pty::Look& look) {
  const Front front = front_of(look, terminal_.run_screen());
  Run& run = *active_;
  if (front.stand == Front::Stand::at_prompt) {
    const bool hidden = front.hides_input && (last_prompt_.empty() || !front.line.ends_with(last_prompt_));
    if (!hidden && !terminal_.line_is_open())
      return front.certain || seen_ == front.turns ? start(front) : see_again(front);
    if (!run.request.interrupt && !hidden)
      return end(Error{Code::pty_busy, 0,
                       "somebody has typed at this prompt and not pressed Enter; "
                       "interrupt clears the line with Ctrl+C"});
  }
  if (run.request.interrupt && !run.interrupted) {
    run.interrupted = true;
    (void)terminal_.type_command(kInterrupt);
    return look_again();
  }
  const bool busy = front.stand == Front::Stand::busy;
  const bool starting = busy && !was_at_prompt_ && terminal_.age() < kPatience;
  const bool drawing = busy && front.takes_commands() && clock_.now() - run.asked < kPatience;
  if (starting || drawing || run.interrupted) return look_again();
  refuse(front);
}

// A shell that waits with a timeout may be in the middle of something, as one that reads an answer of the
// terminal: it must stay as it is for a while.
void Runs::see_again(const Front& front) {
  seen_ = front.turns;
  again_.set_after(kDoubt);
}

void Runs::refuse(const Front& front) {
  const std::string name = front.name.empty() ? "a program" : fmt::format("'{}'", shown(front.name));
  std::string what;
  if (front.stand == Front::Stand::not_visible)
    what =
        fmt::format("{} is in front, and belongs to somebody else: tend may not see what it waits for", name);
  else if (front.hides_input)
    what = fmt::format("{} asks for a password", name);
  else if (front.stand == Front::Stand::asks && front.takes_commands())
    what = fmt::format("{} waits for something else than a command: {}", name, shown(front.line));
  else if (front.takes_commands())
    what = fmt::format("{} is at work", name);
  else
    what = fmt::format("{} is in front, which is neither a shell nor a REPL that is known", name);
  end(Error{Code::pty_busy, 0, std::move(what)});
}

void Runs::start(const Front& front) {
  Run& run = *active_;
  run.front = front;
  was_at_prompt_ = true;
  // With output that has no newline in front of it, the prompt is only the end of the line.
  if (last_prompt_.empty() || !front.line.ends_with(last_prompt_)) last_prompt_ = front.line;
  seen_.reset();
  if (front.repl != exec::Repl::none) return start_repl();
  Result<std::string> text = run.request.command + "\r";
  if (front.shell_marks) {
    const bool one_line = std::all_of(run.request.command.begin(), run.request.command.end(),
                                      [](char c) { return static_cast<unsigned char>(c) >= ' '; });
    if (!one_line || run.request.command.empty())
      text = base::fail(Code::invalid_param, 0, fmt::format("{} takes one line at a time", front.name));
    run.scanner = exec::Scanner::of_shell_marks();
  } else {
    text = exec::typed(front.shell, run.request.command, run.request.sentinel);
    run.scanner.emplace(run.request.sentinel);
  }
  if (!text) return end(text.error());
  run.output.emplace(run.request.keep, run.request.most);
  type(*text);
}

void Runs::start_repl() {
  Run& run = *active_;
  if (run.request.keep == exec::Keep::everything)
    return end(
        Error{Code::invalid_param, 0, "a REPL's output cannot be told from its prompts when it is raw"});
  auto text = exec::ReplText::make(run.front.repl, run.request.command);
  if (!text) return end(text.error());
  run.repl = std::move(*text);
  run.output.emplace(exec::Keep::everything, run.request.most);
  type(run.repl->next_line());
}

void Runs::type(std::string_view text) {
  Run& run = *active_;
  if (!typed_) run.begin = run.taken = terminal_.output_end();
  typed_ = true;
  run.sent += text;
  if (auto written = terminal_.type_command(text); !written && active_) end(written.error());
}

void Runs::output() {
  if (!active_ || !typed_) return;
  Run& run = *active_;
  const std::string_view bytes = terminal_.output_since(run.taken);
  run.taken += bytes.size();
  if (bytes.empty()) return;
  const auto add = [&](std::string_view piece) {
    const std::string_view fresh = run.output->add(piece);
    if (!run.reported && run.request.on_output && !fresh.empty()) run.request.on_output(fresh);
  };
  if (run.repl) {
    const uint64_t before = run.output->count();
    run.repl->feed(bytes, *run.output);
    const std::string_view all = run.output->text();
    const size_t fresh = std::min<size_t>(all.size(), run.output->count() - before);
    if (fresh > 0 && !run.reported && run.request.on_output)
      run.request.on_output(all.substr(all.size() - fresh));
    return;
  }
  if (const auto ended = run.scanner->feed(bytes, add)) {
    add(run.output->finish());
    end({}, ended->status);
  }
}

Runs::Whereabouts Runs::whereabouts() const {
  const std::string name = executable_of(active_->front.pid);
  if (name == active_->front.name) return Whereabouts::there;
  return name.empty() ? Whereabouts::gone : Whereabouts::replaced;
}

void Runs::end_if_gone() {
  const Whereabouts where = whereabouts();
  if (where == Whereabouts::replaced)
    return end(Error{Code::pty_process_exited, 0,
                     fmt::format("the command put '{}' in place of the program",
                                 shown(executable_of(active_->front.pid)))});
  // Of its own program the PTY will hear how it ended.
  if (where == Whereabouts::gone && active_->front.pid != terminal_.program())
    end(Error{Code::pty_process_exited, 0, "the command ended the program that it was run in"});
}

// While a command runs, looks tell what its end mark does not: that there will be none.
void Runs::follow_up(const pty::Look& look) {
  if (active_->repl) return terminal_.settled() ? repl_settled() : end_if_gone();
  const Front front = front_of(look, terminal_.run_screen());
  if (front.stand == Front::Stand::at_prompt && front.turns != active_->front.turns &&
      front.pid == active_->front.pid) {
    if (is_its_prompt(front)) return back_at_prompt(front);
  }
  seen_.reset();
  if (active_->scanner->begun()) end_if_gone();
}

// A shell without an editor reads an answer just as it reads a command; one with an editor may have it for
// answers too (`read` of fish, `read -e` of bash). A prompt may have changed meanwhile, but not all of it.
// When the time of the run is over, there is nothing to lose.
bool Runs::is_its_prompt(const Front& front) const {
  const std::string& before = active_->front.line;
  if (exec::reads_plain_lines(front.shell)) return front.line.ends_with(before);
  if (!active_->scanner->begun() || active_->reported) return true;
  const auto [end, ignored] = std::ranges::mismatch(before, front.line);
  return static_cast<size_t>(end - before.begin()) * 2 >= before.size();
}

void Runs::back_at_prompt(const Front& front) {
  if (seen_ != front.turns) return see_again(front);
  // What is left of a command that the shell did not take must not stand in front of the next.
  if (!active_->scanner->begun()) (void)terminal_.type_command(kInterrupt);
  if (!active_) return;
  end(Error{Code::pty_interrupted, 0,
            active_->scanner->begun()
                ? "the shell is back at its prompt and did not say how the command ended: it was interrupted"
                : "the shell did not run the command"});
}

void Runs::repl_settled() {
  Run& run = *active_;
  // What was given up is not gone on with.
  if (run.reported) return end({});
  const std::string line = line_at_cursor(terminal_.run_screen());
  switch (run.repl->settled(line, *run.output)) {
    case exec::ReplText::Step::type:
      return type(run.repl->next_line());
    case exec::ReplText::Step::done:
      return end({});
    case exec::ReplText::Step::asks:
      return end(Error{Code::pty_busy, 0, fmt::format("the program waits for more: {}", shown(line))});
    case exec::ReplText::Step::strange:
      return end(Error{Code::pty_read_failed, 0,
                       "what the program shows does not let its output be told from what was typed"});
  }
}

void Runs::program_ended(std::optional<int> exit_code) {
  output();
  was_at_prompt_ = false;
  last_prompt_.clear();
  looking_ = false;
  looks_ahead_ = 0;
  ahead_.reset();
  again_.cancel();
  const Error error{Code::pty_process_exited, 0, "the program has ended"};
  if (active_) {
    const auto run = std::move(active_);
    report(*run, error, exit_code);
  }
  for (const auto& each : std::exchange(queue_, {})) report(*each, error, exit_code);
  set_timer();
}

bool Runs::cancel(std::string_view id, Running running) {
  const Error error{Code::pty_interrupted, 0, "cancelled"};
  const auto queued =
      std::find_if(queue_.begin(), queue_.end(), [&](const auto& each) { return each->request.id == id; });
  if (queued != queue_.end()) {
    const auto run = std::move(*queued);
    queue_.erase(queued);
    report(*run, error, {});
    return true;
  }
  if (!active_ || active_->request.id != id || active_->reported) return false;
  if (!typed_) {
    end(error);
    return true;
  }
  if (running == Running::interrupt) {
    active_->interrupted = true;
    (void)terminal_.type_command(kInterrupt);
    if (!active_) return true;
  }
  report(*active_, error, {});
  return true;
}

void Runs::end(std::optional<Error> error, std::optional<int> exit_code) {
  const auto run = std::move(active_);
  const bool came_back = typed_ && !error;
  typed_ = false;
  again_.cancel();
  report(*run, std::move(error), exit_code);
  set_timer();
  next();
  if (active_ || !came_back) return;
  looks_ahead_ = kLooksAhead;
  pause_ = kShortestPause;
  look_again();
}

void Runs::report(Run& run, std::optional<Error> error, std::optional<int> exit_code) {
  if (std::exchange(run.reported, true)) return;
  RunReport report;
  report.error = std::move(error);
  report.exit_code = exit_code;
  report.program = run.front.name;
  report.typed = run.output.has_value();
  report.sent = run.sent;
  report.begin = run.begin;
  report.end = run.taken;
  if (run.output) {
    report.output = run.output->text();
    report.output_bytes = run.output->count();
    report.truncated = run.output->truncated();
  }
  const auto done = std::move(run.request.on_end);
  run.request.on_output = {};
  if (done) done(report);
  // Nobody asks for it any more, and it may still go on for days.
  if (run.output) run.output.emplace(run.request.keep, 0);
}

void Runs::set_timer() {
  std::optional<base::Moment> soonest;
  const auto add = [&](const Run& run) {
    if (!run.reported && (!soonest || run.deadline < *soonest)) soonest = run.deadline;
  };
  if (active_) add(*active_);
  for (const auto& each : queue_) add(*each);
  if (soonest)
    deadline_.set(*soonest);
  else
    deadline_.cancel();
}

std::string Runs::doing() const {
  return active_ ? fmt::format("'{}' is still at work", shown(active_->request.command)) : "";
}

void Runs::on_time() {
  const base::Moment now = clock_.now();
  for (size_t i = 0; i < queue_.size();) {
    if (queue_[i]->deadline > now) {
      i++;
      continue;
    }
    const auto run = std::move(queue_[i]);
    queue_.erase(queue_.begin() + static_cast<ptrdiff_t>(i));
    report(*run, Error{Code::pty_timeout, 0, fmt::format("it was not begun: {}", doing())}, {});
  }
  if (active_ && !active_->reported && active_->deadline <= now) {
    if (!typed_)
      return end(Error{Code::pty_timeout, 0, "it was not begun: the shell did not come to its prompt"});
    const std::string line = line_at_cursor(terminal_.run_screen());
    const bool asks = terminal_.settled() && !line.empty();
    report(*active_,
           Error{Code::pty_timeout, 0,
                 asks ? fmt::format("timed out; the command waits for an answer: {}", shown(line))
                      : "timed out; the command goes on"},
           {});
    interrupt_first();
  }
  set_timer();
}

}  // namespace session
