// SPDX-License-Identifier: Apache-2.0
// Real programs on real terminals: what the kernel says of each when it has come to rest.
#include "pty/probe.h"

#include <gtest/gtest.h>

#include "probed_program.h"

namespace pty {
namespace {

using Verdict = Look::Verdict;

struct Case {
  const char* name;
  std::vector<std::string> argv;
  Verdict verdict;
  ProbedProgram::Condition more = [](const Look&) { return true; };
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }
std::string name_of_case(const testing::TestParamInfo<Case>& info) { return info.param.name; }

class ProbeFinds : public testing::TestWithParam<Case> {};

TEST_P(ProbeFinds, TheProgramAtRest) {
  ProbedProgram program(GetParam().argv);
  EXPECT_TRUE(program.becomes(
      [](const Look& look) { return look.verdict == GetParam().verdict && GetParam().more(look); }));
}

bool line(const Look& look) { return look.canonical && look.echo && !look.shell && !look.relayed; }
bool secret(const Look& look) { return look.canonical && !look.echo && !look.shell; }
bool shell(const Look& look) { return look.shell && look.reader == look.group; }
bool raw(const Look& look) { return !look.canonical && !look.echo && !look.shell; }

// Waits for the terminal and a timer of so many seconds; none at all if it is never set.
std::vector<std::string> python_with_timer(int seconds) {
  return python(
      "import ctypes, select\nc = ctypes.CDLL(None); t = c.timerfd_create(1, 0)\nc.timerfd_settime(t, 0, "
      "(ctypes.c_long * 4)(0, 0, " +
      std::to_string(seconds) +
      ", 0), None)\n"
      "e = select.epoll(); e.register(0, 1); e.register(t, 1); e.poll()");
}

INSTANTIATE_TEST_SUITE_P(
    Waiting, ProbeFinds,
    testing::Values(
        Case{"bash_read", bash("read -p 'x? ' v"), Verdict::waits,
             [](const Look& look) {
               return line(look) && look.command == "bash" && look.call == Look::Call::read &&
                      look.timeout_ms == -1 && look.reader == look.group && look.thread == look.reader &&
                      look.processes == 1 && look.threads == 1 && look.turns > 0 && look.cpu_ns > 0;
             }},
        Case{"bash_read_secret", bash("read -s -p 'Password: ' v"), Verdict::waits, secret},
        Case{"echo_off", bash("stty -echo; read v"), Verdict::waits, secret},
        Case{"bash_shell", {"bash", "--norc", "-i"}, Verdict::waits, shell},
        Case{"dash_shell", {"dash", "-i"}, Verdict::waits, shell},
        Case{"zsh_shell", {"zsh", "-f", "-i"}, Verdict::waits, shell},
        Case{"cat", {"cat"}, Verdict::waits, line},
        Case{"python_input", python("input('name: ')"), Verdict::waits, line},
        Case{"python_prompt", {"python3", "-q"}, Verdict::waits, raw},
        Case{"python_getpass", python("import getpass; getpass.getpass()"), Verdict::waits, secret},
        Case{"python_child", python("import subprocess; subprocess.run(['cat'])"), Verdict::waits,
             [](const Look& look) { return look.command == "cat" && look.processes == 2; }},
        Case{"node_readline",
             node("require('readline').createInterface({input: process.stdin, output: process.stdout})"
                  ".question('q? ', () => 0)"),
             Verdict::waits,
             [](const Look& look) {
               return look.call == Look::Call::epoll && look.threads > 1 && !look.shell;
             }},
        Case{"node_raw", node("process.stdin.setRawMode(true); process.stdin.resume()"), Verdict::waits, raw},
        Case{"node_prompt", {"node"}, Verdict::waits, raw},
        Case{"less", {"less", "/etc/passwd"}, Verdict::waits, raw},
        Case{"pipe_into_less", bash("seq 1 100000 | less"), Verdict::waits,
             [](const Look& look) { return look.command == "less"; }},
        Case{"reader_into_pipe", bash("bash -c 'read -p q v' | cat | tee /dev/null"), Verdict::waits,
             [](const Look& look) { return look.command == "bash" && look.processes == 4; }},
        // As git does with the ssh that asks for a password.
        Case{"child_with_captured_output",
             python("import subprocess; subprocess.run(['bash', '-c', 'read v < /dev/tty'], "
                    "capture_output=True)"),
             Verdict::waits, [](const Look& look) { return look.command == "bash"; }},
        Case{"out_of_the_session", bash("setsid -w bash -c 'read -p q v'; true"), Verdict::waits},
        Case{"background_of_the_group", bash("(bash -c 'read -p q v < /dev/tty' & wait)"), Verdict::waits},
        Case{"threads_idle",
             python("import os, threading\nt = threading.Thread(target=lambda: os.read(0, 1))\n"
                    "t.start(); t.join()"),
             Verdict::waits,
             [](const Look& look) { return look.threads == 2 && look.thread != look.reader; }},
        Case{"its_own_pipe", python("import os, select\nr, w = os.pipe(); select.select([0, r], [], [])"),
             Verdict::waits,
             [](const Look& look) { return look.call == Look::Call::select && look.pipes == 0; }},
        Case{"timer_that_is_not_set", python_with_timer(0), Verdict::waits,
             [](const Look& look) { return look.timers == 0 && look.timeout_ms == -1; }},
        Case{"nested_epoll",
             python("import select\na = select.epoll(); a.register(0, select.EPOLLIN)\n"
                    "b = select.epoll(); b.register(a.fileno(), select.EPOLLIN); b.poll()"),
             Verdict::waits, [](const Look& look) { return look.call == Look::Call::epoll; }}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    PerhapsWaiting, ProbeFinds,
    testing::Values(
        Case{"read_with_timeout", bash("read -t 3000 -p 'x? ' v"), Verdict::may_wait,
             [](const Look& look) { return look.timeout_ms > 2'000'000 && look.timeout_ms <= 3'000'000; }},
        Case{"select_with_timeout", python("import select\nwhile True: select.select([0], [], [], 900.0)"),
             Verdict::may_wait,
             [](const Look& look) { return look.timeout_ms == 900'000 && look.call == Look::Call::select; }},
        Case{"poll_with_timeout",
             python("import select\np = select.poll(); p.register(0, select.POLLIN); p.poll(900000)"),
             Verdict::may_wait,
             [](const Look& look) { return look.timeout_ms > 800'000 && look.call == Look::Call::poll; }},
        Case{"top", {"top", "-d", "600"}, Verdict::may_wait},
        Case{"node_with_a_timer",
             node("process.stdin.setRawMode(true); process.stdin.resume(); setInterval(() => 0, 900000)"),
             Verdict::may_wait,
             [](const Look& look) { return look.timeout_ms > 0 && look.call == Look::Call::epoll; }},
        Case{"timer", python_with_timer(900), Verdict::may_wait,
             [](const Look& look) { return look.timers == 1 && look.timeout_ms > 600'000; }},
        Case{"another_sleeps", bash("cat | sleep 1000"), Verdict::may_wait,
             [](const Look& look) { return look.command == "cat" && look.timers == 1; }},
        Case{"a_pipe_of_a_child",
             python("import select, subprocess\n"
                    "p = subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, "
                    "start_new_session=True)\nselect.select([0, p.stdout], [], [])"),
             Verdict::may_wait, [](const Look& look) { return look.pipes == 1; }}),
    name_of_case);

// These print "ready" once they are what they are; from then on every look must say so.
class ProbeNever : public testing::TestWithParam<Case> {};

TEST_P(ProbeNever, TakesItForAnythingElse) {
  ProbedProgram program(GetParam().argv);
  ASSERT_TRUE(program.program().expect("ready"));
  EXPECT_TRUE(program.stays(
      [](const Look& look) { return look.verdict == GetParam().verdict && GetParam().more(look); }));
}

bool nobody(const Look& look) { return look.reader == 0 && look.thread == 0 && look.turns == 0; }

INSTANTIATE_TEST_SUITE_P(
    Busy, ProbeNever,
    testing::Values(
        Case{"sleep", bash("echo ready; exec sleep 1000"), Verdict::busy, nobody},
        Case{"loop", bash("echo ready; while :; do :; done"), Verdict::busy, nobody},
        Case{"child_of_python",
             python("import subprocess; print('ready', flush=True); subprocess.run(['sleep', '1000'])"),
             Verdict::busy, nobody},
        Case{"pipe", bash("echo ready; sleep 1000 | cat"), Verdict::busy, nobody},
        Case{"socket",
             python("import socket\na, b = socket.socketpair(); print('ready', flush=True); a.recv(1)"),
             Verdict::busy, nobody},
        Case{"lock",
             python(
                 "import fcntl, os, tempfile\nf = tempfile.TemporaryFile()\n"
                 "g = os.open(f'/proc/self/fd/{f.fileno()}', os.O_RDWR)\n"
                 "fcntl.flock(f, fcntl.LOCK_EX); print('ready', flush=True); fcntl.flock(g, fcntl.LOCK_EX)"),
             Verdict::busy, nobody},
        Case{"node", node("console.log('ready'); setTimeout(() => 0, 1000000)"), Verdict::busy, nobody},
        Case{"reader_of_another_terminal",
             python("import os\nm, s = os.openpty(); print('ready', flush=True); os.read(s, 1)"),
             Verdict::busy, nobody}),
    name_of_case);

}  // namespace
}  // namespace pty
