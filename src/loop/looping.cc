// SPDX-License-Identifier: Apache-2.0
#include "loop/looping.h"

#include <cerrno>
#include <fmt/format.h>
#include <sys/timerfd.h>
#include <utility>

#include "loop/text.h"
#include "loop/verify.h"
#include "wire/params.h"

namespace loop {
namespace {

using base::Code;
using base::fail;
using base::Result;
using std::chrono::seconds;

json::value or_null(const std::optional<int>& number) {
  return number ? json::value(*number) : json::value(nullptr);
}

// By the wall clock, whatever is done to it, and however long the machine sleeps.
Result<base::Fd> alarm_at(base::WallTime at) {
  base::Fd timer(::timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  const auto whole = std::chrono::floor<seconds>(at.time_since_epoch());
  const itimerspec when{{}, {whole.count(), (at.time_since_epoch() - whole).count()}};
  if (!timer || ::timerfd_settime(timer.get(), TFD_TIMER_ABSTIME, &when, nullptr) != 0)
    return fail(Code::internal, errno, "cannot set a timer");
  return timer;
}

}  // namespace

Looping::Looping(const Workplace& place, std::string folder)
    : place_(place),
      station_(place.station),
      settings_(place.settings.event_loop),
      folder_(std::move(folder)),
      agent_(station_, place.session),
      prompts_(settings_, place.plan.cwd, folder_),
      outcome_(settings_),
      mode_(place.plan.mode),
      begin_(station_.now()),
      deadline_(begin_ + settings_.max_runtime) {}

Result<int> Looping::run() {
  if (auto introduced = introduce(); !introduced) return break_off(std::move(introduced.error()));
  auto why = iterate();
  return why ? finish(*why) : break_off(std::move(why.error()));
}

Result<void> Looping::introduce() {
  station_.line.keep("events.subscribe", {});
  const uint64_t asked = station_.line.ask("session.get", {{"session", place_.session}});
  std::optional<wire::Response> answer;
  while (!(answer = station_.line.answer(asked)) && station_.wish() == Wish::none) {
    if (auto waited = station_.wait({}); !waited) return waited;
  }
  if (answer && !answer->result) return fail(answer->result);
  const json::object* session = answer ? answer->result->if_object() : nullptr;
  record("started", {{"session", place_.session},
                     {"name", session != nullptr ? wire::text(*session, "name").value_or("") : ""},
                     {"mode", name_of(mode_)},
                     {"backend", name_of(place_.settings.cli.backend)},
                     {"promise", settings_.completion_promise},
                     {"max_iterations", settings_.max_iterations}});
  return {};
}

std::optional<Why> Looping::wished() const {
  if (station_.wish() == Wish::none) return {};
  return station_.wish() == Wish::stop ? Why::stopped : Why::interrupted;
}

Result<Why> Looping::iterate() {
  for (;;) {
    if (const auto why = wished()) return *why;
    if (station_.now() >= deadline_) return Why::runtime;
    auto prompt = prompts_.next(iteration_, check_);
    if (!prompt) return fail(prompt);
    if (!prompt->warning.empty()) station_.printer.line("tend loop: " + prompt->warning);
    auto end = one(*prompt);
    if (!end) return fail(end);
    outcome_.note(iteration_, *end);
    if (const auto why = outcome_.over()) return *why;
    if (const auto why = wished()) return *why;
    if (end->how == How::limit) {
      if (auto waited = wait_for_limit(*limit_); !waited) return fail(waited);
      continue;
    }
    limit_pause_.over();
    iteration_++;
    if (auto cooled = cool_down(); !cooled) return fail(cooled);
  }
}

Result<IterationEnd> Looping::one(const PromptSource::Prompt& prompt) {
  check_.reset();
  Ear ear(place_.settings, iteration_, prompt.text, place_.record);
  mode_ = place_.plan.mode;
  std::string no_terminal;
  auto end = attempt(mode_, prompt, ear, no_terminal);
  if (end && !no_terminal.empty()) {
    record("mode.fallback", {{"from", name_of(mode_)}, {"to", "headless"}, {"reason", no_terminal}});
    station_.printer.line("tend loop: no terminal can be had, falling back to headless: " + no_terminal);
    mode_ = Mode::headless;
    end = attempt(mode_, prompt, ear, no_terminal);
  }
  if (!end) return end;
  if (!ear.kept() && !std::exchange(told_of_record_, true))
    station_.printer.line("tend loop: " + ear.kept().error().message());
  auto kept = keeps_promise(ear, *end);
  if (!kept) return fail(kept);
  end->promise_kept = *kept;
  limit_ = ear.limit();
  if (limit_ && !end->promise_kept && (end->how == How::exit || end->how == How::idle)) {
    end->how = How::limit;
    const auto& until = limit_->resets_at;
    record("limit", {{"iteration", iteration_},
                     {"message", readable(limit_->message)},
                     {"until", until ? json::value(iso_time(*until)) : json::value(nullptr)}});
  }
  std::optional<int> code;
  std::optional<int> signal;
  if (end->exit) code = end->exit->code;
  if (end->exit && end->exit->signal != 0) signal = end->exit->signal;
  record("iteration.ended", {{"iteration", iteration_},
                             {"how", name_of(end->how)},
                             {"exit_code", or_null(code)},
                             {"signal", or_null(signal)},
                             {"seconds", in_seconds(end->lasted)},
                             {"failure", is_failure(*end)},
                             {"promise", end->promise_kept}});
  report("cooling", fmt::format("iteration {} of {}: {}{}", iteration_, settings_.max_iterations,
                                in_words(*end, place_.settings.cli.idle_timeout),
                                end->promise_kept ? ", promise kept" : ""));
  return end;
}

Result<IterationEnd> Looping::attempt(Mode mode, const PromptSource::Prompt& prompt, Ear& ear,
                                      std::string& no_terminal) {
  Task task{.iteration = iteration_, .deadline = deadline_};
  auto command = invocation(place_.settings.cli, mode, prompt.spoken, place_.plan.extra);
  if (!command) return fail(command);
  task.invocation = std::move(*command);
  no_terminal.clear();
  json::array words;
  for (const std::string& each : task.invocation.argv) words.emplace_back(readable(each));
  record("iteration.started",
         {{"iteration", iteration_}, {"mode", name_of(mode)}, {"command", std::move(words)}});
  station_.printer.line(fmt::format("tend loop: iteration {} of {} ({}, {})", iteration_,
                                    settings_.max_iterations, name_of(place_.settings.cli.backend),
                                    name_of(mode)));
  report("running");
  if (mode == Mode::headless) return run_headless(place_, task, ear);
  auto run = run_in_pty(place_, agent_, runs_, task, ear);
  if (!run) return fail(run);
  if (!run->end) {
    no_terminal = std::move(run->no_terminal);
    return IterationEnd{};
  }
  return std::move(*run->end);
}

Result<bool> Looping::keeps_promise(const Ear& ear, IterationEnd& end) {
  const bool judged = end.how == How::exit || end.how == How::idle || end.how == How::runtime;
  if (!ear.promised() || !judged || station_.wish() != Wish::none) return false;
  if (!settings_.verify) return true;
  if (end.how == How::runtime) return false;
  report("verifying", fmt::format("iteration {}: promise made, checking it", iteration_));
  auto verified = verify(station_, *settings_.verify, place_.plan.cwd, deadline_);
  // A check that cannot be made is one that failed.
  const int code = verified ? verified->end.exit.code : 127;
  std::string output = verified ? std::move(verified->output) : verified.error().message() + "\n";
  record(
      "verify",
      {{"iteration", iteration_}, {"command", *settings_.verify}, {"exit_code", code}, {"output", output}});
  if (verified && verified->end.cut == Cut::none && code == 0) return true;
  if (verified && verified->end.cut == Cut::deadline) end.how = How::runtime;
  check_ = FailedCheck{*settings_.verify, code, std::move(output)};
  station_.printer.line(fmt::format("tend loop: the promise is not kept: the check ended with {}", code));
  return false;
}

Result<void> Looping::wait_for_limit(const UsageLimit& limit) {
  const base::Moment from = station_.now();
  const base::WallTime until = limit_pause_.until(limit.resets_at, station_.wall());
  auto timer = alarm_at(until);
  if (!timer) return fail(timer);
  report("waiting", fmt::format("usage limit reached, waiting until {}", local_time(until, station_.wall())));
  pollfd rings{timer->get(), POLLIN, 0};
  while (station_.wish() == Wish::none && rings.revents == 0) {
    if (auto waited = station_.wait({}, {&rings, 1}); !waited) return waited;
  }
  // The agent could not work meanwhile, and the loop's time is for its work.
  deadline_ += station_.now() - from;
  return {};
}

Result<void> Looping::cool_down() {
  if (settings_.cooldown_delay == seconds::zero()) return {};
  const base::Moment end = std::min<base::Moment>(station_.now() + settings_.cooldown_delay, deadline_);
  station_.printer.line("tend loop: next iteration in " + in_words(settings_.cooldown_delay));
  while (station_.wish() == Wish::none && station_.now() < end) {
    if (auto waited = station_.wait(end); !waited) return waited;
  }
  return {};
}

}  // namespace loop
