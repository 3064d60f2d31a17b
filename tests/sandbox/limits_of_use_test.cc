// SPDX-License-Identifier: Apache-2.0
// What goes into a sandbox, and what is refused before anything is started.
#include "sandbox_home.h"

namespace sandbox {
namespace {

using testing::HasSubstr;

class Binds : public Cage {};
FOR_EVERYONE(Binds);

TEST_P(Binds, RefusesAWorkspaceWithTendsStateInIt) {
  const Said said = says("cd " + at("") + " && \"$TEND\" run --sandbox -- true");
  EXPECT_NE(0, said.code);
  EXPECT_THAT(said.err, HasSubstr("tend's own files are in " + at("tend")));
  const Said within = says("cd " + at("tend/state") + " && \"$TEND\" run --sandbox -- true");
  EXPECT_THAT(within.err, HasSubstr("tend's own files"));
  const Said mounted =
      says("\"$TEND\" --set 'sandbox.mounts=[\"" + at("tend") + ":/mnt\"]' run --sandbox -- true");
  EXPECT_THAT(mounted.err, HasSubstr("tend's own files"));
}

TEST_P(Binds, RefusesTheHomeAsAWorkspace) {
  const Said said = says("cd && \"$TEND\" run --sandbox -- true");
  EXPECT_NE(0, said.code);
  EXPECT_THAT(said.err, HasSubstr("the home would be in it"));
}

TEST_P(Binds, TakesMoreFoldersAndPartsOfTheHome) {
  make_folder("data");
  put("data/file", "data\n");
  put("home/.gitconfig", "[user]\n\tname = N\n");
  make_folder("home/.cache");
  make_folder("home/project/inner");
  const std::string settings =
      "--set 'sandbox.mounts=[\"" + at("data") + ":/mnt:ro\", \"" + at("data") +
      ":/media\"]' --set 'sandbox.home=[\".gitconfig\", \".cache:rw\", \".not-there\"]'";
  const Said said = inside(
      "cat /mnt/file; touch /mnt/x; touch /media/y; git config user.name; echo x >> ~/.gitconfig; touch "
      "~/.cache/z; "
      "ls -A ~ | tr \"\\n\" \" \"; echo",
      settings);
  EXPECT_THAT(said.out, HasSubstr("data\r\n"));
  EXPECT_THAT(said.out, HasSubstr("touch: cannot touch '/mnt/x': Read-only file system"));
  EXPECT_THAT(said.out, HasSubstr("N\r\n"));
  EXPECT_THAT(said.out, HasSubstr(".cache .gitconfig project \r\n"));
  EXPECT_TRUE(std::filesystem::exists(at("data/y")));
  EXPECT_TRUE(std::filesystem::exists(at("home/.cache/z")));
  EXPECT_FALSE(std::filesystem::exists(at("data/x")));
  EXPECT_EQ("[user]\n\tname = N\n", support::read_file(at("home/.gitconfig")));
  struct stat about{};
  ASSERT_EQ(0, ::stat(at("data/y").c_str(), &about));
  EXPECT_EQ(GetParam() == Who::somebody ? kSomebody : ::geteuid(), about.st_uid)
      << "the files are the user's";
}

TEST_P(Binds, NamesATargetThatIsNotThere) {
  make_folder("data");
  const std::string settings = "--set 'sandbox.mounts=[\"" + at("data") + ":/tend-not-there\"]'";
  EXPECT_THAT(inside("true", settings).err, HasSubstr("/tend-not-there is not there"));
  EXPECT_EQ(0, inside("ls /tend-not-there", settings + " --set sandbox.root=overlay").code);
  const std::string wrong = "--set 'sandbox.mounts=[\"" + at("no-such") + ":/mnt\"]'";
  EXPECT_THAT(inside("true", wrong).err, HasSubstr("no-such"));
}

// A link in the workspace must not decide where a mount goes.
TEST_P(Binds, NoLinkLeadsAMountAstray) {
  make_folder("data");
  put("data/file", "data\n");
  ASSERT_EQ(0, ::symlink("/etc", (work() + "/link").c_str()));
  const std::string settings = "--set 'sandbox.mounts=[\"" + at("data") + ":" + work() + "/link/tend\"]'";
  const Said said = inside("true", settings);
  EXPECT_NE(0, said.code);
  EXPECT_FALSE(std::filesystem::exists("/etc/tend"));
}

TEST_P(Binds, TheProjectsSettingsAreNotForTheProgramToWrite) {
  put("home/project/tend.yml", "sandbox:\n  enabled: true\n");
  const Said said = inside("echo x >> tend.yml; rm -f tend.yml; mv tend.yml other; cat tend.yml");
  EXPECT_THAT(said.out, HasSubstr("enabled: true"));
  EXPECT_EQ("sandbox:\n  enabled: true\n", support::read_file(work() + "/tend.yml"));
  put_script("hostname > /dev/null; grep -c . /proc/self/mountinfo > /dev/null; echo $$");
  EXPECT_EQ("2\r\n", says("\"$TEND\" run -- sh -c '. ./script'").out)
      << "sandbox.enabled puts every session in one";
}

TEST_P(Binds, ALoopSaysThatItCannotBeInOne) {
  put("home/project/tend.yml", "sandbox:\n  enabled: true\n");
  const Said said = says("\"$TEND\" loop -p hello -c custom --set cli.command=true 2>&1");
  EXPECT_NE(0, said.code);
}

}  // namespace
}  // namespace sandbox
