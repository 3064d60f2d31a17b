// SPDX-License-Identifier: Apache-2.0
// An iteration in a terminal: the daemon starts the agent and ends it; here it is decided when.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "loop/grace.h"
#include "loop/idle.h"
#include "loop/iteration.h"
#include "loop/lines.h"
#include "loop/text.h"
#include "loop/typist.h"
#include "wire/params.h"

namespace loop {
namespace {

using base::Code;
using base::Moment;
using base::Result;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kAgent = 1;
constexpr milliseconds kBusyPause{200};
constexpr int kMostBusy = 25;
// When the loop is to end and there is no daemon, the keeper ends the agent once the runner has gone.
constexpr seconds kPatienceAtEnd{2};
constexpr milliseconds kLookAgain{100};
constexpr seconds kPatienceAfterKill{5};

class PtyIteration {
 public:
  PtyIteration(const Workplace& place, AgentPty& agent, int64_t& run, const Task& task, Ear& ear)
      : place_(place),
        station_(place.station),
        agent_(agent),
        run_(run),
        task_(task),
        ear_(ear),
        typist_(station_, place.session, task.invocation.input),
        begin_(station_.now()),
        idle_(place.settings.cli.idle_timeout, place.settings.prompts.timeout, begin_) {}

  Result<PtyRun> finish() {
    auto started = start();
    if (!started) return base::fail(started);
    if (!*started) return PtyRun{.end = {}, .no_terminal = no_terminal_};
    if (end_.how == How::exit) {
      if (auto watched = watch(); !watched) return base::fail(watched);
    }
    end_.lasted = station_.now() - begin_;
    return PtyRun{.end = std::move(end_)};
  }

 private:
  // False: no terminal can be had. Where the program cannot be run, the end is known already.
  Result<bool> start() {
    json::array command(task_.invocation.argv.begin(), task_.invocation.argv.end());
    const auto variables = own_environment();
    json::array env(variables.begin(), variables.end());
    const json::object params{{"session", place_.session}, {"run", run_ + 1}, {"command", command},
                              {"cwd", place_.plan.cwd},    {"env", env},      {"umask", own_umask()}};
    for (int busy = 0;; busy++) {
      agent_.prepare();
      auto answer = await(station_.line.ask("loop.iterate", params));
      if (!answer) return base::fail(answer);
      if (!*answer) return true;
      if ((*answer)->result) return started((*answer)->result->as_object());
      base::Error& error = (*answer)->result.error();
      if (error.code == Code::pty_busy && busy < kMostBusy && station_.wish() == Wish::none) {
        if (auto waited = pause(kBusyPause); !waited) return base::fail(waited);
        continue;
      }
      return refused(std::move(error), wire::flag((*answer)->data, "terminal"));
    }
  }

  // Nothing where the loop is to end and there is no daemon.
  Result<std::optional<wire::Response>> await(uint64_t asked) {
    for (;;) {
      if (auto answer = station_.line.answer(asked)) return answer;
      if (given_up()) {
        station_.line.forget(asked);
        end_.how = how_of(station_.wish());
        return std::nullopt;
      }
      if (auto waited = station_.wait(give_up_at()); !waited) return base::fail(waited);
    }
  }

  Result<void> pause(base::Duration length) {
    const Moment end = station_.now() + length;
    while (station_.now() < end && station_.wish() == Wish::none) {
      if (auto waited = station_.wait(end); !waited) return waited;
    }
    return {};
  }

  Result<bool> refused(base::Error error, bool terminal) {
    // The session is going, or gone: there is nothing to go on with.
    if (error.code == Code::pty_session_not_found || error.code == Code::pty_process_exited) {
      if (station_.wish() == Wish::none) return std::unexpected(std::move(error));
      end_.how = how_of(station_.wish());
      return true;
    }
    if (terminal) {
      no_terminal_ = error.message();
      return false;
    }
    end_.how = How::spawn_failed;
    end_.reason = error.message();
    return true;
  }

  Result<bool> started(const json::object& about) {
    run_++;
    const auto offset = static_cast<uint64_t>(wire::integer(about, "offset").value_or(0));
    if (auto begun = agent_.begin(offset, wire::text(about, "journal").value_or("")); !begun)
      return base::fail(begun);
    idle_.output(station_.now());
    typist_.started(station_.now());
    return true;
  }

  Result<void> watch() {
    for (;;) {
      if (auto turned = agent_.turn(); !turned) {
        // Of a session that ends nothing more is to be learned.
        if (station_.wish() == Wish::none) return turned;
        end_.how = how_of(station_.wish());
        return {};
      }
      const bool more = read();
      decide(station_.now());
      if (over_) break;
      if (auto waited = station_.wait(more ? station_.now() : due()); !waited) return waited;
    }
    if (lines_) lines_->pause();
    return {};
  }

  bool read() {
    if (!agent_.size()) return false;
    if (!lines_) {
      size_ = *agent_.size();
      lines_ = std::make_unique<Lines>(size_, [this](std::string_view line) { ear_.line(line); });
    } else if (size_ != *agent_.size()) {
      size_ = *agent_.size();
      lines_->resize(size_);
    }
    return agent_.read([this](std::string_view bytes) {
      lines_->feed(bytes);
      typist_.output(bytes, size_, station_.now());
      idle_.output(station_.now());
    });
  }

  void decide(Moment now) {
    if (const auto exit = agent_.exit(); exit && !end_.exit) {
      end_.exit = exit;
      // What it has left behind goes too, those with a session of their own as well.
      if (!kill_asked_) kill(Force::no);
    }
    if (!agent_.ended()) {
      typist_.turn(now);
      const Wish wish = station_.wish();
      if (end_.how == How::exit && wish != Wish::none)
        cut(how_of(wish), wish == Wish::kill ? Force::yes : Force::no);
      else if (end_.how == How::exit && now >= task_.deadline)
        cut(How::runtime, Force::no);
      if (end_.how == How::exit) watch_idle(now);
    }
    hurry(now);
    conclude(now);
  }

  enum class Force { no, yes };

  void cut(How how, Force force) {
    end_.how = how;
    kill(force);
  }

  void kill(Force force) {
    if (kill_asked_) station_.line.forget(*kill_asked_);
    json::object params{{"session", place_.session}, {"pty", kAgent}};
    if (force == Force::yes) params["force"] = true;
    forced_ = forced_ || force == Force::yes;
    kill_asked_ = station_.line.ask("pty.kill", std::move(params));
  }

  // Somebody wants it sooner than it was going to be.
  void hurry(Moment now) {
    if (!kill_asked_ || forced_ || gone_) return;
    const Wish wish = station_.wish();
    if (wish == Wish::none) return;
    if (end_.how == How::interrupted && wish == Wish::kill) end_.how = How::killed;
    if (wish == Wish::kill || (wish == Wish::stop && now >= station_.wished_at() + kGraceOfStop))
      kill(Force::yes);
  }

  void watch_idle(Moment now) {
    if (agent_.take_prompt_left()) idle_.prompt_left(now);
    if (const auto look = agent_.take_look()) {
      looking_ = false;
      if (look->running) judge(*look, now);
    }
    const auto due = idle_.due();
    if (end_.how == How::exit && due && now >= *due && !looking_) {
      looking_ = true;
      agent_.ask_look();
    }
  }

  void judge(const AgentLook& look, Moment now) {
    std::optional<WaitingPrompt> prompt;
    if (look.prompt && place_.settings.event_loop.on_prompt == config::OnPrompt::ask)
      prompt = WaitingPrompt{look.prompt->id, look.prompt->age};
    const bool held = idle_.held();
    const auto verdict = idle_.look(now, look.typed, prompt);
    if (verdict == Idle::Verdict::hold && !held)
      note("prompt", {{"question", look.prompt->question}, {"held", true}});
    if (verdict != Idle::Verdict::idle) return;
    note("idle", {{"seconds", std::chrono::round<seconds>(idle_.timeout()).count()}});
    station_.printer.line(fmt::format("tend loop: idle for {}, sent SIGTERM", in_words(idle_.timeout())));
    cut(How::idle, Force::no);
  }

  void note(std::string_view kind, json::object fields) {
    fields["iteration"] = task_.iteration;
    if (auto kept = place_.record.add(kind, std::move(fields)); !kept)
      station_.printer.line("tend loop: " + kept.error().message());
  }

  void conclude(Moment now) {
    if (kill_asked_ && !gone_ && station_.line.answer(*kill_asked_)) {
      gone_ = true;
      gone_at_ = now;
      look_again_ = now;
    }
    if (given_up()) {
      if (end_.how == How::exit && !end_.exit) end_.how = how_of(station_.wish());
      over_ = true;
    }
    if (!gone_) return;
    // A process that hangs in the kernel is not waited for.
    if (end_.exit || now >= gone_at_ + kPatienceAfterKill) {
      over_ = true;
    } else if (now >= look_again_) {
      if (!agent_.ended()) agent_.ask_look();
      look_again_ = now + kLookAgain;
    }
  }

  std::optional<Moment> give_up_at() const {
    if (station_.wish() == Wish::none || station_.line.up()) return {};
    return std::max(station_.wished_at(), station_.line.lost_at()) + kPatienceAtEnd;
  }
  bool given_up() const {
    const auto at = give_up_at();
    return at && station_.now() >= *at;
  }

  std::optional<Moment> due() const {
    std::optional<Moment> first = give_up_at();
    const auto consider = [&](std::optional<Moment> at) {
      if (at && (!first || *at < *first)) first = at;
    };
    if (end_.how == How::exit && !agent_.ended()) {
      consider(task_.deadline);
      if (!looking_) consider(idle_.due());
      consider(typist_.due());
    }
    if (kill_asked_ && !forced_ && station_.wish() == Wish::stop && !gone_)
      consider(station_.wished_at() + kGraceOfStop);
    if (gone_) consider(look_again_);
    return first;
  }

  const Workplace& place_;
  Station& station_;
  AgentPty& agent_;
  int64_t& run_;
  const Task& task_;
  Ear& ear_;
  Typist typist_;
  Moment begin_;
  Idle idle_;
  std::unique_ptr<Lines> lines_;
  vt::Size size_{};
  IterationEnd end_;
  std::string no_terminal_;
  bool looking_ = false;
  std::optional<uint64_t> kill_asked_;
  bool forced_ = false;
  bool gone_ = false;
  Moment gone_at_{};
  Moment look_again_{};
  bool over_ = false;
};

}  // namespace

Result<PtyRun> run_in_pty(const Workplace& place, AgentPty& agent, int64_t& run, const Task& task, Ear& ear) {
  return PtyIteration(place, agent, run, task, ear).finish();
}

}  // namespace loop
