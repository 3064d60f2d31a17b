// SPDX-License-Identifier: Apache-2.0
#include "lab/stage.h"

#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

#include "pty/processes.h"

namespace lab {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<Stage> started(const Program& program, const Stage::Options& options = {}) {
  auto stage = Stage::open(program, options);
  EXPECT_TRUE(stage) << stage.error().message();
  return std::move(*stage);
}

bool waits(const Stage& stage) { return stage.detector().state() == detect::State::waiting; }

TEST(Stage, SeesAQuestionOfARealProgramAndItsAnswer) {
  auto stage = started(shell("printf 'Continue? (y/n) '; read -r answer; printf 'got <%s>\\n' \"$answer\""));
  ASSERT_TRUE(stage->run_until([&] { return waits(*stage); })) << stage->text();
  ASSERT_EQ(1U, stage->asked().size());
  EXPECT_EQ(detect::Type::yes_no, stage->asked()[0].prompt.type);
  EXPECT_EQ(detect::Verdict::waits, stage->asked()[0].why.evidence->verdict);
  stage->type("y\r");
  ASSERT_TRUE(stage->run_until([&] { return stage->ended().has_value(); }));
  EXPECT_EQ((pty::ExitStatus{0, 0}), *stage->ended());
  EXPECT_TRUE(stage->shows("got <y>")) << stage->text();
  EXPECT_EQ(detect::State::exited, stage->detector().state());
}

TEST(Stage, TellsHowAProgramEnded) {
  auto stage = started(shell("kill -9 $$"));
  ASSERT_TRUE(stage->run_until([&] { return stage->ended().has_value(); }));
  EXPECT_EQ((pty::ExitStatus{137, 9}), *stage->ended());
}

TEST(Stage, SaysWhyAProgramDoesNotStart) {
  const auto stage = Stage::open({.argv = {"/nonexistent/program"}}, {});
  ASSERT_FALSE(stage);
  EXPECT_EQ(base::Code::pty_spawn_failed, stage.error().code);
}

TEST(Stage, GivesUpAtItsDeadline) {
  auto stage = started(shell("sleep 1000"));
  const base::Moment before = stage->now();
  EXPECT_FALSE(stage->run_until([] { return false; }, 50ms));
  EXPECT_GE(stage->now() - before, 50ms);
  EXPECT_EQ(detect::State::working, stage->detector().state());
}

TEST(Stage, ReturnsWhenSomebodyWantsItToEnd) {
  auto pipe = base::make_pipe();
  ASSERT_TRUE(pipe);
  ASSERT_EQ(1, ::write(pipe->write_end.get(), "x", 1));
  auto stage = started(shell("sleep 1000"), {.stop = pipe->read_end.get()});
  EXPECT_FALSE(stage->run_for(1000s));
}

// Also those in the background, those that ignore a hang-up, and those whose parent has gone.
TEST(Stage, LeavesNoProcessBehind) {
  auto stage =
      started(shell("trap '' HUP TERM INT; sleep 1000 & (sleep 1000 & (sleep 1000 &) ); echo ready; "
                    "sleep 1000"));
  auto gone = started(shell("trap '' HUP TERM INT; sleep 1000 & (sleep 1000 &); echo ready"));
  ASSERT_TRUE(stage->run_until([&] { return stage->shows("ready"); }));
  ASSERT_TRUE(gone->run_until([&] { return gone->ended().has_value(); }));
  for (auto* each : {&stage, &gone}) {
    const pid_t session = (*each)->pid();
    each->reset();
    for (const pty::Process& process : pty::all_processes()) {
      // Orphans are reaped by whoever adopted them.
      EXPECT_TRUE(process.dead() || process.session != session) << process.pid;
    }
    EXPECT_EQ(-1, ::kill(session, 0));
  }
}

TEST(Stage, AnswersWhatTheProgramAsksItsTerminal) {
  auto stage =
      started(shell("stty -echo -icanon min 1; printf '\\033[5n'; dd bs=4 count=1 2>/dev/null | od -c"));
  ASSERT_TRUE(stage->run_until([&] { return stage->ended().has_value(); })) << stage->text();
  EXPECT_TRUE(stage->shows("033   [   0   n")) << stage->text();
}

TEST(Stage, ShowsTheDetectorWhatTheVeilLeaves) {
  auto stage =
      started(shell("printf 'Continue? (y/n) '; read -r answer"),
              {.veil = [](detect::Evidence& evidence) { evidence = {.verdict = detect::Verdict::busy}; }});
  ASSERT_TRUE(stage->run_until([&] { return stage->looks() >= 4; }));
  EXPECT_TRUE(stage->asked().empty());
}

class Recorder final : public Observer {
 public:
  void output(base::Moment at, std::string_view bytes) override { add(at, "output " + std::string(bytes)); }
  void input(base::Moment at, std::string_view bytes) override { add(at, "input " + std::string(bytes)); }
  void looked(base::Moment begun, base::Moment now, const detect::Evidence& evidence) override {
    EXPECT_LE(begun, now);
    add(now, "look " + std::string(detect::name_of(evidence.verdict)));
  }
  void changed(base::Moment at, const detect::Change& change) override {
    if (change.kind == detect::Change::Kind::asked) add(at, "asked");
  }
  size_t find(const std::string& what) const {
    return static_cast<size_t>(std::find(all.begin(), all.end(), what) - all.begin());
  }
  std::vector<std::string> all;

 private:
  void add(base::Moment at, std::string what) {
    EXPECT_LE(last_, at);
    last_ = at;
    all.push_back(std::move(what));
  }
  base::Moment last_{};
};

TEST(Stage, TellsItsObserverEverythingInOrder) {
  Recorder recorder;
  auto stage = started(shell("printf 'Name: '; read -r name"), {.observer = &recorder});
  ASSERT_TRUE(stage->run_until([&] { return waits(*stage); }));
  stage->type("Ada\r");
  ASSERT_TRUE(stage->run_until([&] { return stage->ended().has_value(); }));
  EXPECT_LT(recorder.find("output Name: "), recorder.find("look waits"));
  EXPECT_LT(recorder.find("look waits"), recorder.find("asked"));
  EXPECT_LT(recorder.find("asked"), recorder.find("input Ada\r"));
  EXPECT_LT(recorder.find("input Ada\r"), recorder.find("output Ada\r\n"));
}

}  // namespace
}  // namespace lab
