// SPDX-License-Identifier: Apache-2.0
// What a program in a sandbox must not be able to do: each is tried, and each is shown to be possible without
// the sandbox, so that the test tests something.
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "sandbox/landlock.h"
#include "sandbox_home.h"

namespace sandbox {
namespace {

using testing::HasSubstr;

class Escape : public Cage {
 protected:
  // In the workspace, which is seen inside wherever this was built.
  Escape() {
    std::filesystem::copy_file(ESCAPE, work() + "/escape");
    give_away("home/project/escape");
  }
  // `escape ARGUMENTS` is refused inside and done outside.
  void expect_refused(const std::string& arguments, const std::string& settings = "") {
    const Said in = inside("exec ./escape " + arguments, settings);
    EXPECT_EQ(1, in.code) << arguments << ": " << in.out << in.err;
    EXPECT_THAT(in.out, HasSubstr("refused: ")) << arguments;
    const Said out = outside("exec ./escape " + arguments);
    EXPECT_EQ(0, out.code) << "the control of " << arguments << ": " << out.out << out.err;
  }
  // A process of the same user, outside.
  pid_t start_victim() {
    victim_ = ::fork();
    if (victim_ == 0) {
      ::setsid();
      const bool changed =
          GetParam() != Who::somebody || (::setresgid(kSomebody, kSomebody, kSomebody) == 0 &&
                                          ::setresuid(kSomebody, kSomebody, kSomebody) == 0);
      if (changed) ::execlp("sleep", "sleep", "600", nullptr);
      ::_exit(127);
    }
    EXPECT_TRUE(support::wait_until(
        [&] { return support::read_file("/proc/" + std::to_string(victim_) + "/comm") == "sleep\n"; }));
    return victim_;
  }
  void TearDown() override {
    if (victim_ > 0) {
      ::kill(victim_, SIGKILL);
      ::waitpid(victim_, nullptr, 0);
    }
    Cage::TearDown();
  }
  pid_t victim_ = 0;
};
FOR_EVERYONE(Escape);

TEST_P(Escape, ReadsNoKeyOfTheUser) {
  expect_refused("read " + at("home/.ssh/id"));
  const Said listing = inside("ls -A ~");
  EXPECT_EQ("project\r\n", listing.out) << "the home is empty but for the workspace";
}

TEST_P(Escape, WritesNothingOutsideTheWorkspace) {
  make_folder("elsewhere");
  expect_refused("write " + at("elsewhere/file"));
  EXPECT_EQ(0, inside("echo made > made").code);
  EXPECT_EQ("made\n", support::read_file(work() + "/made")) << "the workspace is the real one";
  // What is written beside it is written nowhere.
  EXPECT_EQ(0, inside("echo x > ~/file; echo x > /tmp/tend-escape").code);
  EXPECT_FALSE(std::filesystem::exists(at("home/file")));
  EXPECT_FALSE(std::filesystem::exists("/tmp/tend-escape"));
}

TEST_P(Escape, FollowsNoLinkOutOfTheWorkspace) {
  make_folder("elsewhere");
  put("elsewhere/file", "secret");
  ASSERT_EQ(0, ::symlink(at("elsewhere").c_str(), (work() + "/link").c_str()));
  expect_refused("read " + work() + "/link/file");
}

TEST_P(Escape, ChangesNoFileOfTheSystem) {
  for (const char* path : {"/etc/tend-escape", "/usr/tend-escape", "/var/lib/tend-escape"}) {
    const Said in = inside("exec ./escape write " + std::string(path));
    EXPECT_EQ(1, in.code) << path << in.out;
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  for (const char* path :
       {"/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper"})
    EXPECT_EQ(1, inside("exec ./escape write " + std::string(path)).code) << path;
}

TEST_P(Escape, ReachesNoSocketOfTend) {
  expect_refused("unix " + at("tend/run/tend.sock"));
  expect_refused("list " + at("tend/state"));
}

TEST_P(Escape, SeesKillsAndTracesNobodyOutside) {
  const std::string victim = std::to_string(start_victim());
  expect_refused("kill " + victim);
  expect_refused("attach " + victim);
  expect_refused("list /proc/" + victim);
  const std::string count = "ps -e -o pid= | grep -cw " + victim;
  EXPECT_EQ("0\r\n", inside(count).out);
  EXPECT_EQ("1\r\n", outside(count).out);
  EXPECT_EQ("1\r\n", inside("ps -e -o args= | grep -c [t]end-keeper").out) << "its own keeper, and no other";
  EXPECT_EQ(0, ::kill(victim_, 0)) << "it lives";
}

TEST_P(Escape, UsesNoNetwork) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(0, ::bind(listener, reinterpret_cast<sockaddr*>(&address), size));
  ASSERT_EQ(0, ::listen(listener, 8));
  ASSERT_EQ(0, ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size));
  expect_refused("port " + std::to_string(ntohs(address.sin_port)), "--set sandbox.network=none");
  ::close(listener);
}

TEST_P(Escape, ReachesNoAbstractSocket) {
  const std::string name = "tend-test-" + std::to_string(::getpid());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(name.begin(), name.end(), address.sun_path + 1);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  ASSERT_EQ(0, ::bind(listener, reinterpret_cast<sockaddr*>(&address), size));
  ASSERT_EQ(0, ::listen(listener, 8));
  expect_refused("abstract " + name, "--set sandbox.network=none");
  // In the host's network it takes Landlock of Linux 6.12.
  if (Landlock::version() >= 6) expect_refused("abstract " + name, "--set sandbox.network=host");
  ::close(listener);
}

TEST_P(Escape, PutsNoKeysIntoAnotherTerminal) {
  // A terminal of the same user, outside.
  support::Terminal other(script("tty > " + at("out/tty") + "; stty -echo; exec cat"));
  ASSERT_TRUE(support::wait_until([&] { return !support::read_file(at("out/tty")).empty(); }));
  std::string name = support::read_file(at("out/tty"));
  name.pop_back();
  EXPECT_EQ(1, inside("exec ./escape push " + name).code);
  // Its own one it must not fool either: what runs in it later may be another program.
  const Said own = inside("exec ./escape push /dev/tty");
  EXPECT_EQ(1, own.code);
  EXPECT_THAT(own.out, HasSubstr("Operation not permitted"));
  // Root may, where the kernel still has it at all.
  if (::geteuid() == 0 && GetParam() == Who::self &&
      support::read_file("/proc/sys/dev/tty/legacy_tiocsti") != "0\n") {
    EXPECT_EQ(0, outside("exec ./escape push " + name).code);
  }
}

TEST_P(Escape, UndoesNoWall) {
  for (const char* what : {"mount", "unshare", "clone", "keyctl", "bpf", "perf", "io_uring", "vsock"}) {
    const Said in = inside(std::string("exec ./escape ") + what);
    EXPECT_EQ(1, in.code) << what << ": " << in.out;
  }
  for (const char* what : {"unshare", "clone", "keyctl", "bpf", "io_uring"}) {
    const Said out = outside(std::string("exec ./escape ") + what);
    EXPECT_EQ(0, out.code) << "the control of " << what << ": " << out.out;
  }
}

TEST_P(Escape, LeavesNoSetuidFileBehind) { expect_refused("setuid " + work() + "/program"); }

TEST_P(Escape, LooksNotIntoTheKeeper) {
  for (const char* path : {"/proc/1/root/", "/proc/1/fd", "/proc/1/cwd/"})
    EXPECT_EQ(1, inside(std::string("exec ./escape list ") + path).code) << path;
  EXPECT_EQ(1, inside("exec ./escape memory 1").code);
  EXPECT_EQ(1, inside("exec ./escape attach 1").code);
  // Neither does it end at a program's wish.
  const Said said = inside("kill 1; kill -9 1; kill -HUP 1; kill -STOP 1; sleep 0.2; echo still here");
  EXPECT_THAT(said.out, HasSubstr("still here"));
}

TEST_P(Escape, HasNoPrivileges) {
  const Said in = inside("grep -E \"^(CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp):\" /proc/self/status");
  EXPECT_EQ(
      "CapPrm:\t0000000000000000\r\nCapEff:\t0000000000000000\r\nCapBnd:\t0000000000000000\r\n"
      "CapAmb:\t0000000000000000\r\nNoNewPrivs:\t1\r\nSeccomp:\t2\r\n",
      in.out);
}

TEST_P(Escape, ADebuggerOfItsOwnStillWorks) { EXPECT_EQ(0, inside("exec ./escape trace-child").code); }

// Root in there is nobody out here.
TEST_P(Escape, RootIsAnotherUserOutside) {
  if (::geteuid() != 0 || GetParam() != Who::self) return;
  start("root", "id -u; exec sleep 600");
  ASSERT_TRUE(shows("root", "0"));
  const auto pid = json_of("status root")["ptys"].array()[0]["pid"].integer();
  struct stat about{};
  ASSERT_EQ(0, ::stat(("/proc/" + std::to_string(pid)).c_str(), &about));
  EXPECT_GE(about.st_uid, 0x70000000U);
  EXPECT_EQ(1, inside("exec ./escape read /etc/shadow").code);
  EXPECT_EQ(0, outside("exec ./escape read /etc/shadow").code);
}

}  // namespace
}  // namespace sandbox
