// SPDX-License-Identifier: Apache-2.0
// A root under a layer: what is changed is seen in there, and nowhere else; it goes or stays as told.
#include "sandbox_home.h"

namespace sandbox {
namespace {

using testing::HasSubstr;

// The files of the host that are changed belong to the user, and stand right below a folder of /: those above
// them an ordinary user could not change either. Only root can put them there.
class Overlay : public Cage {
 protected:
  Overlay() : host_(std::string("/srv/tend-test-") + std::to_string(::getpid())) {
    std::filesystem::create_directories(host_.string() + "/old/deep");
    support::write_file(host_ / "file", "old\n");
    support::write_file(host_ / "old/deep/leaf", "leaf\n");
    if (GetParam() != Who::somebody) return;
    for (const char* each : {"", "file", "old", "old/deep", "old/deep/leaf"})
      EXPECT_EQ(0, ::lchown((host_ / each).c_str(), kSomebody, kSomebody));
  }
  ~Overlay() override { std::filesystem::remove_all(host_); }

  std::string host() const { return host_.string(); }
  std::filesystem::path host_;
  static inline const std::string kOn = "--set sandbox.root=overlay";
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Overlay);
INSTANTIATE_TEST_SUITE_P(As, Overlay, testing::ValuesIn(::geteuid() == 0 ? everyone() : std::vector<Who>()),
                         name_of);

TEST_P(Overlay, TakesChangesOfEveryKind) {
  const Said said =
      inside("cd " + host() +
                 " && echo new > file && cat file && mv file renamed && ls && "
                 "rm -r old && ls && mkdir old && ls -A old && echo x > old/other && "
                 "mkdir fresh && mv fresh moved && rmdir moved && ln -s renamed link && cat link && "
                 "mv old older && cat older/other",
             kOn);
  EXPECT_EQ("new\r\nold  renamed\r\nrenamed\r\nnew\r\nx\r\n", said.out) << said.err;
  EXPECT_EQ(0, said.code);
  EXPECT_EQ("old\n", support::read_file(host_ / "file")) << "the host's are as they were";
  EXPECT_EQ("leaf\n", support::read_file(host_ / "old/deep/leaf"));
}

TEST_P(Overlay, IsThrownAwayWithTheSession) {
  EXPECT_EQ(0, inside("echo new > " + host() + "/file", kOn).code);
  EXPECT_EQ("old\r\n", inside("cat " + host() + "/file", kOn).out);
  EXPECT_TRUE(support::wait_until([&] {
    std::error_code none;
    return std::filesystem::is_empty(at("tend/state/overlays"), none);
  })) << "nothing is left on the disk";
}

TEST_P(Overlay, IsKeptWhereItIsToldTo) {
  const std::string kept = kOn + " --set sandbox.overlay_folder=" + at("kept");
  EXPECT_EQ(0, inside("echo new > " + host() + "/file; rm -r " + host() + "/old", kept).code);
  EXPECT_EQ("new\r\nfile\r\n", inside("cat " + host() + "/file; ls " + host(), kept).out);
  EXPECT_EQ("old\n", support::read_file(host_ / "file"));
  EXPECT_EQ("old\r\n", inside("cat " + host() + "/file", kOn).out) << "the next one has a layer of its own";
}

TEST_P(Overlay, ARestartOfTheProgramKeepsIt) {
  start("box", "cat " + host() + "/file; echo new > " + host() + "/file; echo ready; exec sleep 600", kOn);
  ASSERT_TRUE(shows("box", "ready"));
  const auto world = json_of("status box")["ptys"].array()[0]["pid"].integer();
  EXPECT_EQ(0, says("\"$TEND\" restart box").code);
  EXPECT_TRUE(shows("box", "new"));
  EXPECT_NE(world, json_of("status box")["ptys"].array()[0]["pid"].integer());
}

TEST_P(Overlay, AnAutomaticRestartKeepsItToo) {
  put_script("cat " + host() + "/file; echo run >> " + host() + "/file; [ $(grep -c run " + host() +
             "/file) -ge 3 ] && { readlink /proc/self/ns/mnt; echo thrice; exec sleep 600; }; exit 1");
  const Said said =
      says("\"$TEND\" " + kOn +
           " --set session.restart_delay_ms=10 run --sandbox --restart -d -n box -- sh -c '. ./script'");
  ASSERT_EQ(0, said.code) << said.err;
  EXPECT_TRUE(shows("box", "thrice"));
}

TEST_P(Overlay, HomeAndSecretsStayHidden) {
  EXPECT_NE(0, inside("cat " + at("home/.ssh/id"), kOn).code);
  EXPECT_EQ("", inside("cat /etc/shadow 2> /dev/null", kOn).out);
  EXPECT_NE(0, inside("ls " + at("tend/state"), kOn).code);
  EXPECT_NE(0, inside("echo x > /top-level", kOn).code) << "what would be kept nowhere is refused";
}

// An ordinary user has no numbers for the owners of the system's files, and the kernel copies none of them
// up.
TEST_P(Overlay, RootChangesTheSystemsFilesInThere) {
  if (::geteuid() != 0 || GetParam() != Who::self) return;
  const std::string before = support::read_file("/etc/hostname");
  EXPECT_EQ("x\r\n", inside("echo x > /etc/hostname; cat /etc/hostname; mkdir -p /usr/share/x/y", kOn).out);
  EXPECT_EQ(before, support::read_file("/etc/hostname"));
  EXPECT_FALSE(std::filesystem::exists("/usr/share/x"));
}

}  // namespace
}  // namespace sandbox
