// SPDX-License-Identifier: Apache-2.0
#include "detect/detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using detect::Change;
using detect::Evidence;
using detect::State;
using detect::Type;
using detect::Verdict;

const Evidence kWaits{.verdict = Verdict::waits, .command = "ask", .call = "read"};
const Evidence kBusy{.verdict = Verdict::busy, .command = "make"};
const Evidence kMenu{.verdict = Verdict::may_wait,
                     .canonical = false,
                     .echo = false,
                     .command = "node",
                     .call = "epoll",
                     .sockets = 1};
const Evidence kShell{.verdict = Verdict::waits,
                      .canonical = false,
                      .echo = false,
                      .command = "bash",
                      .call = "read",
                      .shell = true};

// A program on a terminal, with a clock that stands still until it is moved.
class Program {
 public:
  explicit Program(const detect::Settings& settings = {}) : detector(settings, patterns()) {}

  void prints(std::string_view bytes) {
    screen.feed(bytes);
    detector.output(now);
  }
  // Lets time pass, with looks when the detector wants them; they all show `evidence`.
  void runs(base::Duration time, const Evidence& evidence) {
    const base::Moment end = now + time;
    while (detector.next() && *detector.next() <= end) {
      now = std::max(now, *detector.next());
      looks++;
      detector.looked(now, now, evidence, screen);
    }
    now = end;
  }
  void types(std::string_view bytes) {
    detector.input(now, bytes);
    now += 100us;
  }
  std::vector<detect::Asked> asked() {
    std::vector<detect::Asked> out;
    for (auto& change : detector.take_changes())
      if (change.kind == Change::Kind::asked) out.push_back(*change.asked);
    return out;
  }

  static const detect::Patterns& patterns() {
    static const detect::Patterns all;
    return all;
  }
  vt::Screen screen{{80, 24}};
  base::Moment now{1000s};
  detect::Detector detector;
  int looks = 0;
};

TEST(Detector, KnowsAQuestionAtOnceWhenTheKernelIsCertain) {
  Program program;
  program.prints("Continue? (y/n) ");
  program.runs(300us, kWaits);
  const auto asked = program.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].prompt.type, Type::yes_no);
  EXPECT_GE(asked[0].confidence, 0.90);
  EXPECT_FALSE(asked[0].ambiguous);
  EXPECT_EQ(program.detector.state(), State::waiting);
}

TEST(Detector, DoesNotLookAnyMoreOnceItKnows) {
  Program program;
  program.prints("Continue? (y/n) ");
  program.runs(1s, kWaits);
  EXPECT_EQ(program.looks, 1);
  EXPECT_FALSE(program.detector.next());
}

TEST(Detector, NeverAsksWhileTheKernelIsCertainThatNobodyWaits) {
  Program program;
  program.prints("Do you want to proceed? (y/n) ");
  program.runs(10min, kBusy);
  EXPECT_TRUE(program.asked().empty());
  EXPECT_EQ(program.detector.state(), State::working);
}

TEST(Detector, ASilentReaderIsAQuestionThatIsNotKnown) {
  Program program;
  program.prints("");
  program.runs(1s, kWaits);
  const auto asked = program.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].prompt.type, Type::unknown);
  EXPECT_TRUE(asked[0].ambiguous);
}

TEST(Detector, ALineThatIsLeftOpenIsFreeText) {
  Program program;
  program.prints("What is the airspeed of a swallow? ");
  program.runs(1s, kWaits);
  EXPECT_EQ(program.asked().at(0).prompt.type, Type::free_text);
}

TEST(Detector, ATerminalThatHidesWhatIsTypedIsSecret) {
  Program program;
  program.prints("Key: ");
  Evidence hidden = kWaits;
  hidden.echo = false;
  program.runs(1s, hidden);
  const auto asked = program.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_TRUE(asked[0].prompt.secret);
  EXPECT_EQ(asked[0].prompt.type, Type::free_text);
}

TEST(Detector, AShellAtItsPromptIsReady) {
  Program program;
  program.prints("ada@host:~$ ");
  program.runs(1s, kShell);
  EXPECT_TRUE(program.asked().empty());
  EXPECT_EQ(program.detector.state(), State::ready);
}

TEST(Detector, AShellsReadIsAQuestion) {
  Program program;
  program.prints("$ read -p 'Name: '\r\nName: ");
  Evidence read = kShell;
  read.canonical = read.echo = true;
  program.runs(1s, read);
  EXPECT_EQ(program.asked().size(), 1U);
}

TEST(Detector, AShellThatAsksIsWaiting) {
  Program program;
  program.prints(
      "zsh: sure you want to delete all 3 files in /tmp/x [yn]? \r\nzsh: do you wish to see all 200 "
      "possibilities (y or n)? ");
  program.runs(1s, kShell);
  EXPECT_EQ(program.asked().size(), 1U);
}

TEST(Detector, AMenuNeedsAScreenThatStandsStill) {
  Program program;
  program.prints("? Pick\r\n❯ one\r\n  two\r\n");
  program.runs(249ms, kMenu);
  EXPECT_TRUE(program.asked().empty());
  program.runs(2ms, kMenu);
  const auto asked = program.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].prompt.type, Type::multiple_choice);
  EXPECT_FALSE(program.detector.next());
}

TEST(Detector, AMenuWithNothingButATimerIsKnownSooner) {
  Program program;
  program.prints("? Pick\r\n❯ one\r\n  two\r\n");
  Evidence timer = kMenu;
  timer.sockets = 0;
  timer.timeout_ms = 4000;
  program.runs(151ms, timer);
  EXPECT_EQ(program.asked().size(), 1U);
}

TEST(Detector, ARequestInFlightIsWork) {
  Program program;
  program.prints("? Pick\r\n❯ one\r\n  two\r\n");
  Evidence request = kMenu;
  request.requests = 1;
  program.runs(1min, request);
  EXPECT_TRUE(program.asked().empty());
  EXPECT_EQ(program.detector.state(), State::working);
}

TEST(Detector, ASpinnerIsWork) {
  Program program;
  Evidence spinner = kMenu;
  spinner.timeout_ms = 80;
  for (int i = 0; i < 100; i++) {
    program.prints("\r⠋ Thinking (y/n)? ");
    program.runs(100ms, spinner);
  }
  EXPECT_TRUE(program.asked().empty());
  EXPECT_EQ(program.detector.state(), State::working);
}

TEST(Detector, ACommandThatIsWrittenAtAShellsPromptIsNoQuestion) {
  Program program;
  program.prints("demo$ ");
  program.runs(1s, kShell);
  program.types("echo Continue? (y/n)");
  program.prints("echo Continue? (y/n)");
  program.runs(1s, kShell);
  EXPECT_TRUE(program.asked().empty());
  EXPECT_EQ(program.detector.state(), State::ready);
  // Its own read, behind the command that asks, is one.
  program.types(
      "\x15"
      "ask\r");
  program.prints("\r\nContinue? (y/n) ");
  program.runs(1s, kShell);
  EXPECT_EQ(program.asked().size(), 1U);
  program.types("y");
  program.prints("y");
  program.runs(1s, kShell);
  EXPECT_EQ(program.detector.state(), State::waiting);
}

TEST(Detector, AFullScreenThatMayNotBeLookedIntoAndAsksNothingIsReady) {
  Program program;
  program.prints("\x1b[?1049h\x1b[Hsome text of a file\x1b[24;1Hstatus");
  const Evidence vim{.verdict = Verdict::unknown, .canonical = false, .echo = false, .command = "vim"};
  program.runs(5s, vim);
  EXPECT_TRUE(program.asked().empty());
  EXPECT_EQ(program.detector.state(), State::ready);
  program.prints("\x1b[2;1Hmore of it");
  program.runs(500ms, vim);
  EXPECT_EQ(program.detector.state(), State::ready);
}

TEST(Detector, AMomentOfWorkOfAProgramThatSettlesIsLookedAtAgain) {
  Program program;
  program.prints("? Pick\r\n❯ one\r\n  two\r\n");
  program.runs(249ms, kMenu);
  program.now += 2ms;
  program.detector.looked(program.now, program.now, kBusy, program.screen);
  EXPECT_TRUE(program.asked().empty());
  program.runs(100ms, kMenu);
  EXPECT_EQ(program.asked().size(), 1U);
}

TEST(Detector, ALittleProcessorTimeIsNone) {
  Program program;
  program.prints("? Pick\r\n❯ one\r\n  two\r\n");
  Evidence idle = kMenu;
  for (int i = 0; i < 200; i++) {
    idle.cpu_ns += 400'000;
    program.runs(10ms, idle);
  }
  EXPECT_EQ(program.asked().size(), 1U);
}

TEST(Detector, ProcessorTimeIsWork) {
  Program program;
  program.prints("? Pick\r\n❯ one\r\n  two\r\n");
  Evidence busy = kMenu;
  for (int i = 0; i < 200; i++) {
    busy.cpu_ns += 5'000'000;
    program.runs(10ms, busy);
  }
  EXPECT_TRUE(program.asked().empty());
}

TEST(Detector, AProgramThatMayWaitAndAsksNothingIsReady) {
  Program program;
  program.prints("top - 10:00:00 up 1 day\r\n");
  Evidence top = kMenu;
  top.sockets = 0;
  top.timeout_ms = 3000;
  program.runs(1s, top);
  EXPECT_TRUE(program.asked().empty());
  EXPECT_EQ(program.detector.state(), State::ready);
}

TEST(Detector, AFullScreenThatAsksNothingIsReady) {
  Program program;
  program.prints("\x1b[?1049h\x1b[Hsome text of a file\x1b[24;1Hstatus");
  Evidence nano = kWaits;
  nano.canonical = nano.echo = false;
  program.runs(1s, nano);
  EXPECT_TRUE(program.asked().empty());
  EXPECT_EQ(program.detector.state(), State::ready);
}

TEST(Detector, ReadersBesideWorkersAreWorkUnlessAStillScreenAsksForSure) {
  Program program;
  Evidence both = kWaits;
  both.verdict = Verdict::both;
  program.prints("compiling\r\n");
  program.runs(10s, both);
  EXPECT_EQ(program.detector.state(), State::working);
  program.prints("Abort? (y/n) ");
  program.runs(600ms, both);
  EXPECT_EQ(program.asked().size(), 1U);
}

// Where the kernel may not be asked, the seed's logic stands as written.
const Evidence kRefused{.verdict = Verdict::unknown, .command = "sudo", .refused = 1};

TEST(WithoutTheKernel, ASpecificPatternIsEnough) {
  Program program;
  program.prints("Continue? (y/n) ");
  program.runs(150ms, kRefused);
  EXPECT_EQ(program.asked().size(), 1U);
}

TEST(WithoutTheKernel, AWeakPatternNeedsSilence) {
  Program program;
  program.prints("Enter your name: ");
  program.runs(1900ms, kRefused);
  EXPECT_TRUE(program.asked().empty());
  EXPECT_EQ(program.detector.state(), State::unknown);
  program.runs(200ms, kRefused);
  EXPECT_EQ(program.asked().size(), 1U);
}

TEST(WithoutTheKernel, SilenceBehindAnOpenLineIsFreeText) {
  Program program;
  program.prints("Quo vadis? ");
  program.runs(2100ms, kRefused);
  const auto asked = program.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].prompt.type, Type::free_text);
}

TEST(WithoutTheKernel, SilenceAloneIsAmbiguous) {
  Program program;
  program.prints("Working");
  program.runs(2100ms, kRefused);
  const auto asked = program.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_TRUE(asked[0].ambiguous);
  EXPECT_LT(asked[0].confidence, 0.85);
}

TEST(WithoutTheKernel, AHiddenTerminalIsAPassword) {
  Program program;
  program.prints("[sudo] password for ada: ");
  Evidence hidden = kRefused;
  hidden.echo = false;
  program.runs(150ms, hidden);
  const auto asked = program.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_TRUE(asked[0].prompt.secret);
}

TEST(Episodes, ALookThatBeganBeforeTheLastByteSaysNothing) {
  Program program;
  program.prints("Continue? (y/n) ");
  const base::Moment begun = program.now;
  program.now += 1ms;
  program.prints("y\r\nworking\r\n");
  program.detector.looked(begun, program.now, kWaits, program.screen);
  EXPECT_TRUE(program.asked().empty());
}

TEST(Episodes, AStrayKeyMakesNoSecondPrompt) {
  Program program;
  program.prints("Name: ");
  program.runs(1s, kWaits);
  EXPECT_EQ(program.asked().size(), 1U);
  program.types("A");
  program.prints("A");
  program.runs(1s, kWaits);
  program.types("d");
  program.prints("d");
  program.runs(1s, kWaits);
  EXPECT_TRUE(program.asked().empty());
  EXPECT_EQ(program.detector.state(), State::waiting);
}

TEST(Episodes, TheEchoOfAnAnswerMakesNoSecondPrompt) {
  Program program;
  program.prints("Continue? (y/n) ");
  program.runs(1s, kWaits);
  EXPECT_EQ(program.asked().size(), 1U);
  program.types("y\r");
  program.prints("y\r\n");
  program.runs(10s, kBusy);
  EXPECT_TRUE(program.asked().empty());
  EXPECT_EQ(program.detector.state(), State::working);
}

TEST(Episodes, TheSameTextAskedAgainIsANewPrompt) {
  Program program;
  for (int i = 0; i < 3; i++) {
    program.prints("Continue? (y/n) ");
    program.runs(1s, kWaits);
    EXPECT_EQ(program.asked().size(), 1U) << i;
    program.types("y\r");
    program.prints("y\r\n");
    program.runs(1ms, kBusy);
  }
}

TEST(Episodes, ANewPromptInsideTheEchoWindowIsNotLost) {
  Program program;
  program.prints("Delete a? (y/n) ");
  program.runs(1s, kWaits);
  EXPECT_EQ(program.asked().size(), 1U);
  program.types("y\r");
  program.prints("y\r\nDelete b? (y/n) ");
  program.runs(10ms, kWaits);
  const auto asked = program.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].prompt.question, "Delete b? (y/n)");
}

TEST(Episodes, AMenuThatIsDrawnAgainWithAnotherEntryChosenIsTheSame) {
  Program program;
  program.prints("? Pick\r\n❯ one\r\n  two\r\n");
  program.runs(1s, kMenu);
  EXPECT_EQ(program.asked().size(), 1U);
  program.types("\x1b[B");
  program.prints("\x1b[2A\r  one\r\n❯ two\r\n");
  program.runs(1s, kMenu);
  EXPECT_TRUE(program.asked().empty());
}

TEST(Episodes, AMenuThatAsksTheSameAgainBehindAnAnswerIsNew) {
  Program program;
  program.prints("\x1b[H? Pick\r\n❯ one\r\n  two\r\n");
  program.runs(1s, kMenu);
  EXPECT_EQ(program.asked().size(), 1U);
  program.types("\r");
  program.prints("\x1b[H? Pick\r\n❯ one\r\n  two\r\n");
  program.runs(400ms, kMenu);
  EXPECT_TRUE(program.asked().empty()) << "its own echo";
  program.runs(1s, kMenu);
  EXPECT_EQ(program.asked().size(), 1U);
}

TEST(Episodes, OfTwoQuestionsTheSecondIsHeldUntilTheFirstIsAnswered) {
  Program program;
  program.prints("Delete a? (y/n) \r\nDelete b? (y/n) ");
  program.runs(1s, kWaits);
  auto asked = program.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].prompt.question, "Delete a? (y/n)");
  EXPECT_EQ(program.detector.later(), 1U);
  program.types("y\r");
  program.prints("y\r\n");
  program.runs(1s, kWaits);
  asked = program.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].prompt.question, "Delete b? (y/n)");
  program.types("n\r");
  program.prints("n\r\n");
  program.runs(1s, kBusy);
  EXPECT_TRUE(program.asked().empty());
  EXPECT_EQ(program.detector.state(), State::working);
}

TEST(Episodes, AQuestionThatIsPrintedBehindAnOpenOneIsHeld) {
  Program program;
  program.prints("Delete a? (y/n) ");
  program.runs(1s, kWaits);
  EXPECT_EQ(program.asked().size(), 1U);
  program.prints("\r\nDelete b? (y/n) ");
  program.runs(1s, kWaits);
  EXPECT_TRUE(program.asked().empty());
  EXPECT_EQ(program.detector.later(), 1U);
  program.types("y\r");
  program.prints("y\r\n");
  program.runs(1s, kWaits);
  const auto asked = program.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].prompt.question, "Delete b? (y/n)");
  EXPECT_EQ(program.detector.later(), 0U);
}

TEST(Episodes, ALineThatIsDrawnAgainInItsPlaceIsItsEchoUntilTheWindowEnds) {
  Program program;
  program.prints("Press Enter to continue");
  program.runs(1s, kWaits);
  EXPECT_EQ(program.asked().size(), 1U);
  program.types("\r");
  program.prints("\r\n\x1b[A\r\x1b[KPress Enter to continue");
  program.runs(499ms, kWaits);
  EXPECT_TRUE(program.asked().empty());
  program.runs(2ms, kWaits);
  const auto asked = program.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].prompt.type, Type::confirm_enter);
}

TEST(Episodes, AQuestionThatLeavesWithoutAnAnswerSaysSo) {
  Program program;
  program.prints("Continue? (y/n) ");
  program.runs(1s, kWaits);
  program.detector.take_changes();
  program.prints("\r\x1b[KToo late.\r\n");
  program.runs(1s, kBusy);
  bool left = false;
  for (const auto& change : program.detector.take_changes()) {
    if (change.kind != Change::Kind::left) continue;
    left = true;
    EXPECT_FALSE(change.answered);
  }
  EXPECT_TRUE(left);
}

TEST(Episodes, TheProgramsEndEndsThem) {
  Program program;
  program.prints("Continue? (y/n) ");
  program.runs(1s, kWaits);
  program.detector.exited(program.now);
  EXPECT_FALSE(program.detector.asked());
  EXPECT_EQ(program.detector.state(), State::exited);
  EXPECT_FALSE(program.detector.next());
}

TEST(Episodes, AnAnswerThatEndsTheProgramIsAnAnswer) {
  Program program;
  program.prints("Quit? (y/n) ");
  program.runs(1s, kWaits);
  program.types("y\r");
  program.prints("y\r\n");
  program.detector.exited(program.now);
  const auto changes = program.detector.take_changes();
  const auto left = std::find_if(changes.begin(), changes.end(),
                                 [](const Change& each) { return each.kind == Change::Kind::left; });
  ASSERT_NE(left, changes.end());
  EXPECT_TRUE(left->answered);
}

TEST(Episodes, EmptyAnswersAreAnswers) {
  Program program;
  program.prints("Press Enter to continue");
  program.runs(1s, kWaits);
  EXPECT_EQ(program.asked().size(), 1U);
  program.types("\r");
  program.prints("\r\n");
  program.runs(10ms, kBusy);
  program.prints("");
  program.runs(1s, kWaits);
  const auto asked = program.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].prompt.type, Type::unknown) << "what was answered does not ask again";
}

TEST(Explanation, NamesRuleSignalsAndEvidence) {
  Program program;
  program.prints("Format the disk? (y/n) ");
  program.runs(1s, kWaits);
  const auto& why = program.detector.why();
  EXPECT_EQ(why.state, State::waiting);
  EXPECT_FALSE(why.rule.empty());
  EXPECT_DOUBLE_EQ(why.signals.kernel, 0.90);
  EXPECT_DOUBLE_EQ(why.signals.pattern, 0.90);
  ASSERT_TRUE(why.evidence);
  EXPECT_EQ(why.evidence->command, "ask");
  ASSERT_EQ(why.matches.size(), 1U);
}

}  // namespace
