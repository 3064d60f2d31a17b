// SPDX-License-Identifier: Apache-2.0
// Leaving a session and coming back, as a person does it.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "person.h"
#include "wire/params.h"

namespace e2e {
namespace {

using support::same_settings;
using support::wait_until;

constexpr const char* kDetach = "\x1d";

TEST_F(EndToEnd, ASessionIsLeftWithCtrlBracketAndFoundAgainWithItsScreen) {
  {
    Person first(tend({"run", "-n", "work", "--", "bash", "--norc"}));
    ASSERT_TRUE(first.sees("$"));
    first.type("printf '\\033[1;31mred\\033[0m \\033[44mon blue\\033[0m\\n'\r");
    ASSERT_TRUE(first.sees("red on blue"));
    const termios before = first.terminal().first_settings();
    first.type(kDetach);
    ASSERT_EQ(W_EXITCODE(0, 0), first.terminal().wait_exit());
    EXPECT_TRUE(first.sees("[detached from work]"));
    EXPECT_TRUE(same_settings(before, first.terminal().settings()));
  }
  Person second(tend({"attach", "work"}));
  ASSERT_TRUE(second.sees("red on blue"));
  EXPECT_TRUE(shows_the_same(second, "work"));
  second.type("echo $((40 + 2))\r");
  EXPECT_TRUE(second.sees("42"));
  EXPECT_TRUE(shows_the_same(second, "work"));
}

// What programs turn on is on again for whoever comes back, and off in the terminal of whoever has left.
TEST_F(EndToEnd, ModesComeBackWithTheScreenAndGoWithIt) {
  const std::string program =
      "printf "
      "'below\\n\\033[?1049h\\033[2J\\033[5;7Hmiddle\\033[?2004h\\033[?1002h\\033[?1006h\\033[?1h\\033[4 q"
      "\\033]2;a title\\007\\033[3;20r\\033[7;3H'; read -r go";
  Person first(tend({"run", "-n", "modes", "--", "bash", "-c", program}));
  ASSERT_TRUE(first.sees("middle"));
  ASSERT_TRUE(shows_the_same(first, "modes"));
  first.type(kDetach);
  ASSERT_TRUE(first.terminal().wait_exit());
  const vt::Screen& left = first.screen();
  EXPECT_EQ(left.showing(), vt::Which::main);
  EXPECT_EQ(left.modes(), vt::Modes());
  EXPECT_EQ(left.mouse_protocol(), vt::MouseProtocol::none);

  Person second(tend({"attach"}));
  ASSERT_TRUE(second.sees("middle"));
  EXPECT_TRUE(shows_the_same(second, "modes"));
  EXPECT_EQ(second.screen().showing(), vt::Which::alternate);
  EXPECT_TRUE(second.screen().modes()[vt::Mode::bracketed_paste]);
  EXPECT_EQ(second.screen().mouse_protocol(), vt::MouseProtocol::buttons);
  EXPECT_EQ(second.screen().titles().title, "a title");
  EXPECT_EQ(second.screen().cursor_shape(), 4);
}

TEST_F(EndToEnd, AnEditorIsLeftAndFoundAgain) {
  support::write_file(dir_.path() / "text", "first line\nsecond line\n");
  Person first(tend({"run", "-n", "edit", "--", "less", dir_.file("text")}));
  ASSERT_TRUE(first.sees("second line"));
  first.type(kDetach);
  ASSERT_TRUE(first.terminal().wait_exit());
  Person second(tend({"attach", "edit"}));
  ASSERT_TRUE(second.sees("second line"));
  EXPECT_TRUE(shows_the_same(second, "edit"));
  second.type("q");
  EXPECT_TRUE(second.sees("[process exited (code 0)]"));
  EXPECT_EQ(W_EXITCODE(0, 0), second.terminal().wait_exit());
}

TEST_F(EndToEnd, WhatHasScrolledAwayIsThereToScrollBackTo) {
  output_of({"run", "-d", "-n", "past", "--size", "80x24", "--", "bash", "-c",
             "seq -f 'row %.0f.' 1 500; read -r end"});
  ASSERT_TRUE(has_printed("past", "row 500."));
  Person person(tend({"attach", "past", "--scrollback", "all"}));
  ASSERT_TRUE(person.sees("row 500."));
  EXPECT_TRUE(shows_the_same(person, "past"));
  const auto lines = vt::rows(person.screen(), 10'000);
  const auto first = std::find(lines.begin(), lines.end(), "row 1.");
  ASSERT_GE(lines.end() - first, 500);
  for (int i = 1; i <= 500; i++) EXPECT_EQ(first[i - 1], fmt::format("row {}.", i));
  // Whoever looks through a smaller window gets it too, fitted, and then the screen.
  support::Start small = tend({"attach", "past", "--observe", "--scrollback", "100"});
  small.cols = 40;
  small.rows = 10;
  Person observer(small);
  ASSERT_TRUE(observer.sees("row 500."));
  ASSERT_TRUE(wait_until([&] {
    const auto seen = vt::rows(observer.screen(), 10'000);
    return std::find(seen.begin(), seen.end(), "row 450.") != seen.end();
  }));
  Person wrong(tend({"attach", "past", "--scrollback", "some"}));
  EXPECT_TRUE(wrong.sees("--scrollback is a number of rows, or all"));
  EXPECT_EQ(W_EXITCODE(2, 0), wrong.terminal().wait_exit());
}

TEST_F(EndToEnd, RunPassesOnHowTheProgramEndedAlsoToWhoeverOnlyLooks) {
  Person runner(tend({"run", "-n", "end", "--", "bash", "-c", "echo waiting; read -r code; exit $code"}));
  ASSERT_TRUE(runner.sees("waiting"));
  Person observer(tend({"attach", "--observe", "end"}));
  ASSERT_TRUE(observer.sees("waiting"));
  observer.type("99\r");  // goes nowhere
  runner.type("7\r");
  EXPECT_EQ(W_EXITCODE(7, 0), runner.terminal().wait_exit());
  EXPECT_TRUE(runner.sees("[process exited (code 7)]"));
  EXPECT_TRUE(observer.sees("[process exited (code 7)]"));
  EXPECT_EQ(W_EXITCODE(0, 0), observer.terminal().wait_exit());
}

TEST_F(EndToEnd, TheSmallestTerminalThatMayTypeDecidesTheSize) {
  support::Start wide = tend({"run", "-n", "size", "--", "bash", "--norc"});
  wide.cols = 120;
  wide.rows = 40;
  Person first(wide);
  ASSERT_TRUE(first.sees("$"));
  const auto size = [&] {
    const auto pty = ask("session.get", {{"session", "size"}}).at("ptys").at(0);
    return fmt::format("{}x{}", pty.at("cols").as_int64(), pty.at("rows").as_int64());
  };
  EXPECT_TRUE(wait_until([&] { return size() == "120x40"; }));
  support::Start narrow = tend({"attach", "size"});
  narrow.cols = 90;
  narrow.rows = 50;
  Person second(narrow);
  EXPECT_TRUE(wait_until([&] { return size() == "90x40"; }));
  Person observer(tend({"attach", "--observe", "size"}));
  ASSERT_TRUE(observer.sees("$"));
  EXPECT_EQ(size(), "90x40");
  second.type(kDetach);
  EXPECT_TRUE(wait_until([&] { return size() == "120x40"; }));
}

// Output for 100 columns makes no sense in 40: such a terminal is painted.
TEST_F(EndToEnd, ATerminalOfAnotherSizeIsShownWhatFits) {
  support::Start wide = tend({"run", "-n", "fit", "--", "bash", "-c",
                              "printf '%090d|\\n' 7; while read -r word; do echo \"<$word>\"; done; exit 3"});
  wide.cols = 100;
  Person writer(wide);
  ASSERT_TRUE(writer.sees("7|"));
  support::Start narrow = tend({"attach", "--observe", "fit"});
  narrow.cols = 40;
  narrow.rows = 10;
  Person observer(narrow);
  EXPECT_TRUE(observer.sees("7|"));
  writer.type("hello\r");
  EXPECT_TRUE(observer.sees("<hello>"));
  for (int i = 0; i < 30; i++) writer.type(fmt::format("{}\r", i));
  EXPECT_TRUE(observer.sees("<29>"));
  EXPECT_EQ(observer.screen().size(), (vt::Size{40, 10}));
  EXPECT_TRUE(writer.sees("<29>"));
  writer.type("\x04");
  EXPECT_EQ(W_EXITCODE(3, 0), writer.terminal().wait_exit());
  EXPECT_EQ(W_EXITCODE(0, 0), observer.terminal().wait_exit());
}

TEST_F(EndToEnd, ATakeoverDetachesTheOthers) {
  Person first(tend({"run", "-n", "mine", "--", "bash", "--norc"}));
  ASSERT_TRUE(first.sees("$"));
  Person second(tend({"attach", "mine", "--takeover"}));
  EXPECT_TRUE(first.sees("taken over by another terminal"));
  EXPECT_TRUE(first.terminal().wait_exit());
  second.type("echo $((6 * 7))\r");
  EXPECT_TRUE(second.sees("42"));
}

TEST_F(EndToEnd, ATerminalThatGoesIsADetach) {
  auto first = std::make_unique<Person>(tend({"run", "-n", "lost", "--", "bash", "--norc"}));
  ASSERT_TRUE(first->sees("$"));
  first->type("echo still here\r");
  ASSERT_TRUE(first->sees("still here"));
  first.reset();
  Person second(tend({"attach", "lost"}));
  EXPECT_TRUE(second.sees("still here"));
}

// Two terminals keep up with a flood and miss nothing; the third is stopped, costs them nothing, and shows
// the right screen when it goes on.
TEST_F(EndToEnd, AStoppedTerminalCostsTheOthersNothing) {
  constexpr int kLines = 300'000;
  Person first(tend(
      {"run", "-n", "flood", "--", "bash", "-c",
       fmt::format(
           "stty -echo; echo waiting; read -r go; seq -f 'line %.0f of many' {}; echo done; read -r more; "
           "echo \"then $more\"; read -r end",
           kLines)}));
  ASSERT_TRUE(first.sees("waiting"));
  Person second(tend({"attach", "flood"}));
  Person third(tend({"attach", "flood"}));
  ASSERT_TRUE(second.sees("waiting"));
  ASSERT_TRUE(third.sees("waiting"));
  ASSERT_EQ(::kill(third.terminal().pid(), SIGSTOP), 0);
  second.type("\r");
  ASSERT_TRUE(first.sees("done"));
  ASSERT_TRUE(second.sees("done"));
  ASSERT_TRUE(shows_the_same(first, "flood"));
  ASSERT_TRUE(shows_the_same(second, "flood"));
  ASSERT_EQ(::kill(third.terminal().pid(), SIGCONT), 0);
  EXPECT_TRUE(third.sees("done"));
  EXPECT_TRUE(shows_the_same(third, "flood"));
  third.type("on\r");
  EXPECT_TRUE(third.sees("then on"));
  EXPECT_TRUE(shows_the_same(third, "flood"));
}

TEST_F(EndToEnd, WhoeverWaitsOrFollowsDoesNotNoticeThatTheDaemonWasReplaced) {
  output_of(
      {"run", "-d", "-n", "calm", "--", "bash", "-c", "stty -echo; read -r go; echo it came; read -r end"});
  Person waiter(tend({"wait", "calm", "--until", "text=it came", "--timeout", "60000"}));
  Person follower(tend({"logs", "calm", "-f"}));
  // Both, and the one who asks.
  ASSERT_TRUE(wait_until([&] { return ask("daemon.status").at("clients").as_int64() == 3; }));
  const pid_t pid = daemon_pid();
  ASSERT_EQ(::kill(pid, SIGKILL), 0);
  ASSERT_TRUE(wait_until([&] { return daemon_pid() != pid; }));
  ask("pty.write", {{"session", "calm"}, {"enter", true}});
  EXPECT_EQ(W_EXITCODE(0, 0), waiter.terminal().wait_exit());
  EXPECT_TRUE(follower.sees("it came"));
  ask("pty.write", {{"session", "calm"}, {"enter", true}});
  EXPECT_EQ(W_EXITCODE(0, 0), follower.terminal().wait_exit());
}

// Nobody waits for somebody else's pipe; what it missed is missing there, and it goes on with the rest.
TEST_F(EndToEnd, APipeThatIsNotReadHoldsNobodyUpAndGoesOnLater) {
  output_of({"run", "-d", "-n", "pipe", "--", "bash", "-c",
             "stty -echo; echo first; read -r go; seq 1 600000; echo last; read -r end"});
  support::Start reader = tend({});
  reader.argv = {
      "bash", "-c",
      fmt::format(
          "{} attach --observe pipe | {{ read -r first; until [ -e {} ]; do sleep 0.05; done; cat; }}", TEND,
          dir_.file("go"))};
  Person person(reader);
  ASSERT_TRUE(wait_until([&] { return ask("daemon.status").at("clients").as_int64() == 2; }));
  ask("pty.write", {{"session", "pipe"}, {"enter", true}});
  ASSERT_TRUE(has_printed("pipe", "last"));
  support::write_file(dir_.path() / "go", "");
  EXPECT_TRUE(person.sees("last"));
  ask("pty.write", {{"session", "pipe"}, {"enter", true}});
  EXPECT_EQ(W_EXITCODE(0, 0), person.terminal().wait_exit());
}

constexpr const char* kWords = "stty -echo; echo ready; while read -r word; do echo \"<$word>\"; done";

// With all its threads: a signal takes effect when it does.
bool stop(pid_t pid) {
  return ::kill(pid, SIGSTOP) == 0 && wait_until([&] {
           const std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", pid));
           return std::all_of(begin(threads), end(threads), [](const auto& thread) {
             return support::read_file(thread.path() / "stat").find(") T ") != std::string::npos;
           });
         });
}

// A terminal that is lent keeps what is typed until somebody takes it, this daemon or the next.
TEST_F(EndToEnd, WhatIsTypedWhileADaemonDiesReachesTheProgramOnce) {
  Person person(tend({"run", "-n", "keys", "--", "bash", "-c", kWords}));
  ASSERT_TRUE(person.sees("ready"));
  person.type("one\r");
  ASSERT_TRUE(person.sees("<one>"));
  std::string expected = "ready\r\n<one>\r\n";
  for (int round = 0; round < 3; round++) {
    const pid_t pid = daemon_pid();
    ASSERT_TRUE(stop(pid));
    person.type(fmt::format("while {}\r", round));
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    ASSERT_TRUE(wait_until([&] { return daemon_pid() != pid; }));
    person.type(fmt::format("after {}\r", round));
    ASSERT_TRUE(person.sees(fmt::format("<after {}>", round)));
    expected += fmt::format("<while {0}>\r\n<after {0}>\r\n", round);
  }
  EXPECT_TRUE(person.terminal().output().ends_with(expected)) << person.terminal().output();
}

// The daemon is at the terminal of a client that sleeps, but not at that of one that is stopped: what is
// typed there is its shell's.
TEST_F(EndToEnd, AStoppedClientsTerminalIsLetAlone) {
  Person person(tend({"run", "-n", "halt", "--", "bash", "-c", kWords}));
  ASSERT_TRUE(person.sees("ready"));
  person.type("one\r");
  ASSERT_TRUE(person.sees("<one>"));
  ASSERT_TRUE(stop(person.terminal().pid()));
  person.type("two\r");
  const auto waiting = [&] {
    int count = 0;
    ::ioctl(person.terminal().slave(), FIONREAD, &count);
    return count;
  };
  ASSERT_TRUE(wait_until([&] { return waiting() == 4; }));
  ask("pty.write", {{"session", "halt"}, {"data", "other\r"}});
  ASSERT_TRUE(has_printed("halt", "<other>"));
  EXPECT_EQ(waiting(), 4);
  EXPECT_EQ(person.terminal().output().find("<other>"), std::string::npos);
  person.terminal().signal(SIGCONT);
  EXPECT_TRUE(person.sees("<two>"));
  EXPECT_TRUE(person.sees("<other>"));
  EXPECT_TRUE(shows_the_same(person, "halt"));
}

// With SIGHUP ignored nobody tells the client; the daemon, which is at its terminal, finds it dead.
TEST_F(EndToEnd, AClientWhoseTerminalHasGoneIsDetachedThoughItIgnoresTheHangUp) {
  output_of({"run", "-d", "-n", "gone", "--", "bash", "-c", kWords});
  support::Start start = tend({});
  start.argv = {"bash", "-c", fmt::format("trap '' HUP; exec {} attach gone", TEND)};
  Person person(start);
  ASSERT_TRUE(person.sees("ready"));
  person.type("one\r");
  ASSERT_TRUE(person.sees("<one>"));
  const auto clients = [&] {
    return ask("session.get", {{"session", "gone"}}).at("ptys").at(0).at("clients").as_int64();
  };
  ASSERT_EQ(clients(), 1);
  person.terminal().hang_up();
  EXPECT_TRUE(wait_until([&] { return clients() == 0; }));
}

// What the daemon showed in the client's place is known to the client when a signal ends it.
TEST_F(EndToEnd, WhatWasTurnedOnWhileTheClientSleptIsOffWhenItIsKilled) {
  Person person(
      tend({"run", "-n", "on", "--", "bash", "-c",
            "stty -echo; echo ready; read -r go; printf '\\033[?1049h\\033[?2004h\\033[?1002hall on'; "
            "read -r end"}));
  ASSERT_TRUE(person.sees("ready"));
  person.type("\r");
  ASSERT_TRUE(person.sees("all on"));
  EXPECT_EQ(person.screen().showing(), vt::Which::alternate);
  person.terminal().signal(SIGTERM);
  ASSERT_TRUE(person.terminal().wait_exit());
  EXPECT_EQ(person.screen().showing(), vt::Which::main);
  EXPECT_EQ(person.screen().modes(), vt::Modes());
  EXPECT_EQ(person.screen().mouse_protocol(), vt::MouseProtocol::none);
  EXPECT_TRUE(same_settings(person.terminal().first_settings(), person.terminal().settings()));
}

// What was typed into the line to a daemon that dies may have arrived or not: it is not typed again, and the
// person is told. The terminal has another size than the program's, and so is not lent.
TEST_F(EndToEnd, KeysThatWereUnderWayToADaemonThatDiedAreTold) {
  Person person(tend({"run", "-n", "keys", "--size", "70x20", "--", "bash", "-c", kWords}));
  ASSERT_TRUE(person.sees("ready"));
  person.type("one\r");
  ASSERT_TRUE(person.sees("<one>"));
  const auto kill_daemon = [&](pid_t pid) {
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    ASSERT_TRUE(wait_until([&] { return daemon_pid() != pid; }));
  };
  // All that was typed has arrived: there is nothing to tell.
  kill_daemon(daemon_pid());
  person.type("two\r");
  ASSERT_TRUE(person.sees("<two>"));
  EXPECT_EQ(person.terminal().output().find("may not have arrived"), std::string::npos);
  const pid_t pid = daemon_pid();
  ASSERT_TRUE(stop(pid));
  // What a process has read, as the kernel counts it.
  const auto read_so_far = [&] {
    const std::string io = support::read_file(fmt::format("/proc/{}/io", person.terminal().pid()));
    return std::stoull(io.substr(io.find("rchar: ") + 7));
  };
  const auto before = read_so_far();
  person.type("lost\r");
  // The client has read it, and sleeps again.
  ASSERT_TRUE(wait_until([&] {
    const std::string stat = support::read_file(fmt::format("/proc/{}/stat", person.terminal().pid()));
    return read_so_far() >= before + 5 && stat.find(") S ") != std::string::npos;
  }));
  kill_daemon(pid);
  EXPECT_TRUE(person.sees("5 bytes typed before may not have arrived"));
  person.type("three\r");
  ASSERT_TRUE(person.sees("<three>"));
  EXPECT_EQ(person.terminal().output().find("<lost>"), std::string::npos);
  // The line goes by itself.
  EXPECT_TRUE(wait_until([&] {
    const auto lines = vt::lines(person.screen());
    return std::none_of(lines.begin(), lines.end(),
                        [](const std::string& line) { return line.find("tend:") != std::string::npos; });
  }));
}

TEST_F(EndToEnd, AKilledDaemonIsReplacedUnderTheEyesOfAnAttachedTerminal) {
  Person person(tend({"run", "-n", "tough", "--", "bash", "-c",
                      "i=0; while [ $i -lt 400 ]; do echo number $i; i=$((i+1)); sleep 0.005; done; read -r "
                      "end; exit $end"}));
  ASSERT_TRUE(person.sees("number 3"));
  for (int round = 0; round < 3; round++) {
    const pid_t pid = daemon_pid();
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    ASSERT_TRUE(wait_until([&] { return daemon_pid() != pid; }));
  }
  ASSERT_TRUE(person.sees("number 399"));
  // No byte twice, and none missing.
  const std::string& output = person.terminal().output();
  size_t at = 0;
  for (int i = 0; i < 400; i++) {
    const std::string line = fmt::format("number {}\r\n", i);
    ASSERT_EQ(output.find(line, at), at) << line << " in " << output.substr(at, 80);
    at += line.size();
  }
  person.type("5\r");
  EXPECT_EQ(W_EXITCODE(5, 0), person.terminal().wait_exit());
}

}  // namespace
}  // namespace e2e
