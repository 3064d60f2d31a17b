// SPDX-License-Identifier: Apache-2.0
// What programs in a sandbox get of their caller's environment, and where the rest goes: nowhere.
#include <fstream>

#include "sandbox_home.h"

namespace sandbox {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kSecret = "s3cr3t-of-this-test-0815";

class SandboxEnvironment : public Cage {
 protected:
  // Whether the text stands in a file of tend's.
  bool on_disk(const std::string& text) const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(at("tend"))) {
      if (entry.is_regular_file() && support::read_file(entry.path()).find(text) != std::string::npos)
        return true;
    }
    return false;
  }
};
FOR_EVERYONE(SandboxEnvironment);

TEST_P(SandboxEnvironment, IsAListOfWhatIsLetIn) {
  put_script("env | cut -d= -f1 | sort | tr \"\\n\" \" \"; echo; echo $HOME");
  const Said said = says(
      "export AWS_SECRET_ACCESS_KEY=x SSH_AUTH_SOCK=/x DBUS_SESSION_BUS_ADDRESS=x LC_TIME=C "
      "EDITOR=vi; \"$TEND\" run --sandbox -- sh -c '. ./script'");
  EXPECT_THAT(said.out, HasSubstr("LC_ALL LC_TIME PATH"));
  EXPECT_THAT(said.out, HasSubstr("EDITOR HOME"));
  EXPECT_THAT(said.out, HasSubstr("TERM"));
  EXPECT_THAT(said.out, HasSubstr(at("home") + "\r\n"));
  for (const char* name : {"AWS", "SSH_AUTH_SOCK", "DBUS", "TEND_HOME"})
    EXPECT_THAT(said.out, Not(HasSubstr(name)));
}

TEST_P(SandboxEnvironment, TakesTheConfigurationsAndTheCallersSecrets) {
  put("home/project/tend.yml",
      "sandbox:\n  env: {TOKEN: \"$MY_TOKEN\", PLAIN: words, GONE: \"$NOT_THERE\"}\n"
      "session:\n  env: {MORE: things}\n");
  put_script("echo $PLAIN $MORE ${#TOKEN} ${GONE-none}; exec sleep 600");
  const Said said = says(std::string("export MY_TOKEN=") + kSecret +
                         "; \"$TEND\" run --sandbox -d -n box -- sh -c '. ./script'");
  ASSERT_EQ(0, said.code) << said.err;
  EXPECT_THAT(said.err, HasSubstr("warning: sandbox.env: NOT_THERE is not set here"));
  EXPECT_TRUE(shows("box", "words things 24 none"));
  put_script("echo shell ${#TOKEN}; exec sleep 600");
  const Said shell = says(std::string("export MY_TOKEN=") + kSecret + " OTHER=" + kSecret +
                          "; \"$TEND\" shell -d box -- sh -c '. ./script; echo $OTHER'");
  ASSERT_EQ(0, shell.code) << shell.err;
  EXPECT_TRUE(shows("box:1", "shell 24"));
  EXPECT_FALSE(on_disk(kSecret)) << "no secret is on the disk or in the log";
  // Neither a restart of the daemon nor one of the program needs it there.
  EXPECT_EQ(0, says("\"$TEND\" daemon stop").code);
  put_script("echo again ${#TOKEN}; exec sleep 600");
  EXPECT_EQ(0, says("\"$TEND\" restart box").code);
  EXPECT_TRUE(shows("box", "again 24"));
  EXPECT_FALSE(on_disk(kSecret));
}

}  // namespace
}  // namespace sandbox
