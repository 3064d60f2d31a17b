// SPDX-License-Identifier: Apache-2.0
// What a program gets from spawn(), and what it must not get.
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pty/pty.h"
#include "running_program.h"

namespace pty {
namespace {

using testing::HasSubstr;
using testing::Not;

// Runs a body that changes this process for good in a child, and gives its exit status.
int in_a_child(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(body());
  int status = -1;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string probe(const Command& command) { return RunningProgram(command, {91, 17}).output_to_the_end(); }

TEST(Spawn, GivesTheProgramATerminalAndASessionOfItsOwn) {
  const std::string report = probe(command({PTY_PROBE}));
  EXPECT_THAT(report, HasSubstr("leads its session: 1, its group: 1, the terminal: 1"));
  EXPECT_THAT(report, HasSubstr("one terminal on 0 1 2: 1"));
}

TEST(Spawn, SetsTheSizeBeforeTheProgramRuns) {
  EXPECT_THAT(probe(command({PTY_PROBE})), HasSubstr("size: 91x17"));
}

TEST(Spawn, LeaksNoDescriptor) {
  // Without close-on-exec, as a careless library would open them.
  const base::Fd first(::open("/dev/null", O_RDONLY));
  const base::Fd second(::fcntl(first.get(), F_DUPFD, 200));
  EXPECT_THAT(probe(command({PTY_PROBE})), HasSubstr("descriptors: 0 1 2\r\n"));
}

TEST(Spawn, LeaksNoSignalSetting) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigaddset(&blocked, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &blocked, &before);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGTSTP, SIG_IGN);
  ::signal(SIGUSR2, [](int) {});
  // One that the C library keeps to itself; a parent that goes past it may have left it ignored.
  constexpr int kInternal = 32;
  const unsigned long ignored[4] = {reinterpret_cast<unsigned long>(SIG_IGN)};
  unsigned long internal[4] = {};
  ::syscall(SYS_rt_sigaction, kInternal, ignored, internal, 8);
  const std::string report = probe(command({PTY_PROBE}));
  for (const int signo : {SIGPIPE, SIGTSTP, SIGUSR2}) ::signal(signo, SIG_DFL);
  ::syscall(SYS_rt_sigaction, kInternal, internal, nullptr, 8);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  for (const char* name : {"SigBlk", "SigIgn", "SigPnd"})
    EXPECT_THAT(report, HasSubstr(std::string(name) + ":\t0000000000000000"));
}

TEST(Spawn, GivesTheChosenEnvironmentAndNoOther) {
  ::setenv("TEND_TEST_SECRET", "hunter2", 1);
  Command with_env = command({PTY_PROBE});
  with_env.env.emplace_back("COLOUR=blue");
  const std::string report = probe(with_env);
  ::unsetenv("TEND_TEST_SECRET");
  EXPECT_THAT(report, HasSubstr("env: COLOUR=blue"));
  EXPECT_THAT(report, HasSubstr("env: TERM=xterm-256color"));
  EXPECT_THAT(report, Not(HasSubstr("hunter2")));
}

TEST(Spawn, StartsInTheFolderWithTheUmask) {
  const support::TempDir folder;
  Command there = command({PTY_PROBE});
  there.cwd = folder.path().string();
  there.umask = 027;
  const std::string report = probe(there);
  EXPECT_THAT(report, HasSubstr("folder: " + folder.path().string()));
  EXPECT_THAT(report, HasSubstr("umask: 027"));
}

TEST(Spawn, WorksForACallerWithoutStandardDescriptors) {
  EXPECT_EQ(0, in_a_child([] {
              for (int fd = 0; fd < 3; fd++) ::close(fd);
              RunningProgram program(command({PTY_PROBE}));
              return program.output_to_the_end().find("descriptors: 0 1 2\r\n") != std::string::npos ? 0 : 1;
            }));
}

TEST(Spawn, LooksAlongThePathOfTheProgramsOwnEnvironment) {
  const support::TempDir folder;
  const std::string script = folder.file("only-here");
  support::write_file(script, "#!/bin/sh\necho found\n");
  ::chmod(script.c_str(), 0755);
  Command found = command({"only-here"});
  found.env = {"PATH=/nonexistent:" + folder.path().string()};
  EXPECT_THAT(RunningProgram(found).output_to_the_end(), HasSubstr("found"));
}

TEST(Spawn, RunsAScriptWithoutAFirstLineInTheShell) {
  const support::TempDir folder;
  const std::string script = folder.file("plain");
  support::write_file(script, "echo plain $1\n");
  ::chmod(script.c_str(), 0755);
  EXPECT_THAT(RunningProgram(command({script, "words"})).output_to_the_end(), HasSubstr("plain words"));
}

struct Refused {
  const char* what;
  std::vector<std::string> argv;
  std::string cwd;
  std::string message;
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.message; }

class SpawnRefuses : public testing::TestWithParam<Refused> {};

TEST_P(SpawnRefuses, WithTheReason) {
  Command refused = command(GetParam().argv);
  refused.cwd = GetParam().cwd;
  const auto master = open_master({});
  ASSERT_TRUE(master);
  const auto pid = spawn(master->get(), refused);
  ASSERT_FALSE(pid);
  EXPECT_EQ(GetParam().message, pid.error().message());
}

INSTANTIATE_TEST_SUITE_P(
    Reasons, SpawnRefuses,
    testing::Values(
        Refused{"NoProgram", {"vmi"}, "/", "cannot start vmi: No such file or directory"},
        Refused{"NoFile", {"/usr/bin/vmi"}, "/", "cannot start /usr/bin/vmi: No such file or directory"},
        Refused{"NotExecutable", {"/etc/passwd"}, "/", "cannot start /etc/passwd: Permission denied"},
        Refused{"AFolder", {"/etc"}, "/", "cannot start /etc: Permission denied"},
        Refused{"NoFolder", {"true"}, "/nowhere", "cannot enter /nowhere: No such file or directory"},
        Refused{"FolderIsAFile", {"true"}, "/etc/passwd", "cannot enter /etc/passwd: Not a directory"},
        Refused{"Nothing", {}, "/", "no program to start"},
        Refused{"EmptyName", {""}, "/", "no program to start"}),
    [](const auto& refused) { return refused.param.what; });

TEST(Spawn, ReportsThatNoDescriptorsAreLeft) {
  EXPECT_EQ(0, in_a_child([] {
              const auto master = open_master({});
              rlimit limit{};
              ::getrlimit(RLIMIT_NOFILE, &limit);
              limit.rlim_cur = static_cast<rlim_t>(master->get()) + 1;
              ::setrlimit(RLIMIT_NOFILE, &limit);
              const auto pid = spawn(master->get(), command({"true"}));
              return !pid && pid.error().sys == EMFILE ? 0 : 1;
            }));
}

TEST(OpenMaster, ReportsThatNoDescriptorsAreLeft) {
  EXPECT_EQ(0, in_a_child([] {
              const rlimit limit{3, 3};
              ::setrlimit(RLIMIT_NOFILE, &limit);
              const auto master = open_master({});
              return !master && master.error().message() == "cannot open a terminal: Too many open files" ? 0
                                                                                                          : 1;
            }));
}

}  // namespace
}  // namespace pty
