// SPDX-License-Identifier: Apache-2.0
// What looks see when something changes, is forbidden, passes through another terminal, or is too much.
#include <arpa/inet.h>
#include <csignal>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probed_program.h"
#include "pty/keeper_protocol.h"

namespace pty {
namespace {

using Verdict = Look::Verdict;

constexpr uid_t kNobody = 65534;

// Looks in a process of its own that has no privileges; gives what it saw.
Look look_as_nobody(int master, pid_t first) {
  const base::Pipe pipe = base::make_pipe().value();
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(1);
    const std::string seen = keeper::encode(Probe(master, first).look());
    ::_exit(base::write_all(pipe.write_end.get(), seen) ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(0, status);
  char bytes[512];
  const ssize_t n = ::read(pipe.read_end.get(), bytes, sizeof bytes);
  return keeper::decode<Look>({bytes, static_cast<size_t>(std::max<ssize_t>(n, 0))}).value_or(Look{});
}

TEST(Probe, TellsANewQuestionFromTheOldOne) {
  ProbedProgram program(bash("while read -p 'x? ' v; do :; done"));
  ASSERT_TRUE(program.becomes(is(Verdict::waits)));
  const Look first = program.look();
  EXPECT_EQ(first.turns, program.look().turns);
  program.type("\n");
  EXPECT_TRUE(program.becomes([&](const Look& look) {
    return look.verdict == Verdict::waits && look.turns > first.turns && look.reader == first.reader;
  }));
}

TEST(Probe, InputThatNobodyHasTakenYetIsNotWaitedFor) {
  // Woken once for each input, it goes back to its wait and leaves the input where it is, until the third.
  ProbedProgram program(
      python("import os, select, tty\ntty.setraw(0)\ne = select.epoll()\n"
             "e.register(0, select.EPOLLIN | select.EPOLLET)\n"
             "while True:\n  e.poll(); e.poll(); e.poll(); os.read(0, 100)"));
  ASSERT_TRUE(program.becomes(is(Verdict::waits)));
  program.type("abc");
  EXPECT_TRUE(program.becomes([](const Look& look) {
    return look.verdict == Verdict::busy && look.unread == 3 && look.reader != 0;
  }));
  program.type("d");
  EXPECT_TRUE(program.becomes([](const Look& look) { return look.unread == 4 && look.reader != 0; }));
  EXPECT_TRUE(program.stays(is(Verdict::busy)));
  program.type("e");
  EXPECT_TRUE(
      program.becomes([](const Look& look) { return look.verdict == Verdict::waits && look.unread == 0; }));
}

// It reads in raw mode alone, and has the terminal in line mode while it works.
TEST(Probe, TheSettingsAreThoseThatTheReaderWaitsWith) {
  ProbedProgram program(
      python("import os, termios, tty\nlines = termios.tcgetattr(0)\n"
             "print('ready', flush=True)\n"
             "while True:\n"
             "  tty.setraw(0, termios.TCSANOW); os.read(0, 1)\n"
             "  termios.tcsetattr(0, termios.TCSANOW, lines)"));
  ASSERT_TRUE(program.program().expect("ready"));
  for (int i = 0; i < 3000; i++) {
    program.type("x");
    const Look look = program.look();
    ASSERT_FALSE(look.verdict == Verdict::waits && look.canonical)
        << "look " << i << ": " << testing::PrintToString(look);
  }
}

TEST(Probe, HalfALineIsStillWaitedFor) {
  ProbedProgram program({"cat"});
  ASSERT_TRUE(program.becomes(is(Verdict::waits)));
  program.type("abc");
  EXPECT_TRUE(
      program.stays([](const Look& look) { return look.verdict == Verdict::waits && look.unread == 0; }));
}

TEST(Probe, AStoppedReaderDoesNotWait) {
  for (auto argv : {std::vector<std::string>{"cat"},
                    // A poll goes on as another system call after a stop.
                    python("import select\np = select.poll(); p.register(0, select.POLLIN); p.poll()")}) {
    ProbedProgram program(std::move(argv));
    ASSERT_TRUE(program.becomes(is(Verdict::waits)));
    ::kill(program.program().pid(), SIGSTOP);
    EXPECT_TRUE(
        program.becomes([](const Look& look) { return look.verdict == Verdict::busy && look.reader == 0; }));
    ::kill(program.program().pid(), SIGCONT);
    EXPECT_TRUE(program.becomes(is(Verdict::waits)));
  }
}

TEST(Probe, SomebodyReadsWhileAnotherThreadWorks) {
  ProbedProgram program(python(
      "import os, threading\nthreading.Thread(target=lambda: os.read(0, 1)).start()\nwhile True: pass"));
  EXPECT_TRUE(program.becomes(is(Verdict::both)));
}

TEST(Probe, FollowsAShellFromItsPromptIntoItsJobsAndBack) {
  ProbedProgram program({"bash", "--norc", "-i"});
  const auto at_prompt = [](const Look& look) { return look.verdict == Verdict::waits && look.shell; };
  ASSERT_TRUE(program.becomes(at_prompt));
  program.type("sleep 1000 &\n");
  ASSERT_TRUE(program.becomes(at_prompt));
  program.type("while :; do :; done &\n");
  ASSERT_TRUE(program.becomes(at_prompt)) << "what runs in the background does not matter";
  program.type("cat\n");
  ASSERT_TRUE(program.becomes([](const Look& look) {
    return look.verdict == Verdict::waits && look.command == "cat" && !look.shell && look.processes == 1;
  }));
  program.type("\x1a");
  ASSERT_TRUE(program.becomes(at_prompt));
  program.type("sleep 1000\n");
  ASSERT_TRUE(program.becomes(
      [](const Look& look) { return look.verdict == Verdict::busy && look.command == "sleep"; }));
  program.type("ls\n");
  EXPECT_TRUE(program.becomes([](const Look& look) { return look.unread == 3; }));
  EXPECT_TRUE(program.stays(is(Verdict::busy)));
  program.type("\x03");
  EXPECT_TRUE(program.becomes(at_prompt));
  // What is in the background outlives its shell.
  program.type("kill -9 %1 %2 %3; exec true\n");
  EXPECT_TRUE(program.program().wait_exit());
}

TEST(Probe, KnowsFishAtItsPrompt) {
  ProbedProgram program({"fish", "--no-config"});
  EXPECT_TRUE(program.becomes([](const Look& look) {
    return look.shell && (look.verdict == Verdict::waits || look.verdict == Verdict::may_wait);
  }));
}

TEST(Probe, LooksThroughARelay) {
  ProbedProgram asks({"script", "-q", "-c", "bash -c 'read -s -p q v'", "/dev/null"});
  EXPECT_TRUE(asks.becomes([](const Look& look) {
    return look.verdict == Verdict::waits && look.relayed && look.command == "bash" && look.canonical &&
           !look.echo;
  }));
  ProbedProgram twice({"script", "-q", "-c", "script -q -c cat /dev/null", "/dev/null"});
  EXPECT_TRUE(twice.becomes([](const Look& look) {
    return look.verdict == Verdict::waits && look.relayed && look.command == "cat" && look.echo;
  }));
  ProbedProgram works({"script", "-q", "-c", "echo ready; exec sleep 1000", "/dev/null"});
  ASSERT_TRUE(works.program().expect("ready"));
  EXPECT_TRUE(works.becomes([](const Look& look) {
    return look.verdict == Verdict::busy && look.relayed && look.command == "sleep";
  }));
  EXPECT_TRUE(works.stays(is(Verdict::busy)));
}

TEST(Probe, SeesItsOwnUsersProgramsWithoutPrivileges) {
  // The program, too, belongs to nobody: started by a process that has become nobody.
  const base::Pipe pipe = base::make_pipe().value();
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(1);
    const auto master = open_master({});
    if (!master) ::_exit(2);
    const auto pid = spawn(master->get(), command(bash("read -s -p q v")));
    if (!pid) ::_exit(3);
    const bool seen = support::wait_until([&] {
      const Look look = Probe(master->get(), *pid).look();
      return look.verdict == Verdict::waits && look.canonical && !look.echo && look.refused == 0;
    });
    ::kill(*pid, SIGKILL);
    ::_exit(seen ? 0 : 4);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(0, status);
}

TEST(Probe, WhereItMayNotLookItKnowsTheTerminalAlone) {
  // Root's program is a stranger's to nobody; an ordinary user has such a one in su.
  ProbedProgram program(::geteuid() == 0 ? bash("read -s -p 'Password: ' v")
                                         : std::vector<std::string>{"su", "root"});
  ASSERT_TRUE(program.program().expect("Password: "));
  Look look;
  EXPECT_TRUE(support::wait_until([&] {
    look = look_as_nobody(program.program().master(), program.program().pid());
    return look.verdict == Verdict::unknown && look.canonical && !look.echo;
  })) << testing::PrintToString(look);
  EXPECT_GT(look.refused, 0);
  EXPECT_EQ(0, look.reader);
}

TEST(Probe, ATreeThatIsTooLargeIsNotJudged) {
  ProbedProgram program(bash("for i in {1..300}; do sleep 1000 & done; echo ready; read v"));
  ASSERT_TRUE(program.program().expect("ready"));
  EXPECT_TRUE(program.becomes([](const Look& look) {
    return look.verdict == Verdict::unknown && look.processes <= 256 && look.canonical && look.echo;
  }));
}

TEST(Probe, FindsTheDeepestOfManyGenerations) {
  ProbedProgram program(
      bash("f() { if [ $1 -gt 0 ]; then bash -c \"$(declare -f f); f $(($1 - 1)); true\"; else read v; fi; "
           "}; f 20; true"));
  EXPECT_TRUE(program.becomes(
      [](const Look& look) { return look.verdict == Verdict::waits && look.processes == 21; }));
}

TEST(Probe, AMultiplexerThatAScriptStartedIsNotJudged) {
  // All that is known of one is its name.
  const std::string named = "open('/proc/self/comm', 'w').write('tmux: client')";
  ProbedProgram program(
      {"sh", "-c", "stty raw -echo; python3 -c \"" + named + "; import signal; signal.pause()\"; :"});
  EXPECT_TRUE(program.becomes(
      [](const Look& look) { return look.verdict == Verdict::unknown && look.command == "tmux: client"; }));
}

TEST(Probe, NobodyIsThereAfterTheEnd) {
  ProbedProgram program({"true"});
  ASSERT_TRUE(program.program().wait_exit());
  EXPECT_TRUE(program.becomes(is(Verdict::gone)));
}

TEST(Probe, LeavesTheHangUpVisible) {
  ProbedProgram program({"cat"});
  ASSERT_TRUE(program.becomes(is(Verdict::waits)));
  program.type("\x04");
  ASSERT_TRUE(program.becomes(is(Verdict::gone)));
  pollfd ask{program.program().master(), POLLIN, 0};
  EXPECT_EQ(1, ::poll(&ask, 1, 0));
  EXPECT_TRUE(ask.revents & POLLHUP);
}

struct Server {
  base::Fd listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::string port;

  explicit Server(int backlog) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(0, ::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size));
    EXPECT_EQ(0, ::listen(listener.get(), backlog));
    EXPECT_EQ(0, ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size));
    port = std::to_string(ntohs(address.sin_port));
  }
};

TEST(Probe, ARequestIsInFlightUntilItIsAnswered) {
  const Server server(8);
  ProbedProgram program(
      python("import select, socket\n"
             "s = socket.create_connection(('127.0.0.1', " +
             server.port +
             "))\n"
             "s.send(b'question'); e = select.epoll()\n"
             "e.register(0, select.EPOLLIN); e.register(s, select.EPOLLIN)\n"
             "e.poll(); s.recv(100); e.poll()"));
  const auto requests = [](uint16_t count) {
    return [count](const Look& look) {
      return look.verdict == Verdict::may_wait && look.sockets == 1 && look.requests == count;
    };
  };
  EXPECT_TRUE(program.becomes(requests(1)));
  const base::Fd peer(::accept(server.listener.get(), nullptr, nullptr));
  ASSERT_TRUE(base::write_all(peer.get(), std::string_view("answer")));
  EXPECT_TRUE(program.becomes(requests(0)));
}

TEST(Probe, NodeWithARequestInFlightIsSeenToHaveOne) {
  const Server server(8);
  ProbedProgram program(
      node("process.stdin.setRawMode(true); process.stdin.resume();"
           "require('http').get({host: '127.0.0.1', port: " +
           server.port + "})"));
  EXPECT_TRUE(program.becomes([](const Look& look) {
    return look.verdict == Verdict::may_wait && look.requests == 1 && look.call == Look::Call::epoll;
  }));
}

TEST(Probe, AConnectionThatIsBeingMadeIsARequest) {
  // Without room for more, the kernel lets the later ones wait.
  const Server server(0);
  ProbedProgram program(
      python("import select, socket\ne = select.epoll(); e.register(0, select.EPOLLIN); l = []\n"
             "for i in range(4):\n  s = socket.socket(); s.setblocking(False)\n"
             "  s.connect_ex(('127.0.0.1', " +
             server.port +
             ")); l.append(s)\n"
             "e.register(l[3], select.EPOLLOUT); e.poll()"));
  EXPECT_TRUE(program.becomes(
      [](const Look& look) { return look.verdict == Verdict::may_wait && look.requests == 1; }));
}

TEST(Probe, AListenerOrASocketWithinTheGroupIsNoOtherSource) {
  ProbedProgram program(
      python("import select, socket\na, b = socket.socketpair(); l = socket.socket()\n"
             "l.bind(('127.0.0.1', 0)); l.listen(); select.select([0, a, l], [], [])"));
  EXPECT_TRUE(
      program.becomes([](const Look& look) { return look.verdict == Verdict::waits && look.sockets == 0; }));
}

}  // namespace
}  // namespace pty
