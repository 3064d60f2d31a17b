// SPDX-License-Identifier: Apache-2.0
// tend doctor: what it finds on a good machine, and on one with something wrong.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "session_home.h"

namespace cli {
namespace {

using support::Json;
using testing::HasSubstr;

class Doctor : public SessionTest {
 protected:
  static Json finding(const Json& report, const std::string& check) {
    for (const Json& each : report["checks"].array()) {
      if (each["check"].string() == check) return each;
    }
    return Json::parse("{\"state\": \"none\", \"detail\": \"\", \"remedy\": null}");
  }
};

TEST_F(Doctor, FindsNothingThatFailsHere) {
  const Said said = says("doctor --json");
  EXPECT_EQ(0, said.code) << said.out;
  const Json report = Json::parse(said.out);
  EXPECT_TRUE(report["ok"].boolean());
  for (const char* check :
       {"runtime folder", "state folder", "disk space", "daemon", "tend-keeper", "terminals", "cgroup",
        "sandbox: user namespaces", "ptrace scope", "terminal", "locale", "descriptors"}) {
    const std::string state = finding(report, check)["state"].string();
    EXPECT_THAT((std::vector<std::string>{"ok", "warn"}), testing::Contains(state)) << check;
  }
  EXPECT_EQ("ok", finding(report, "locale")["state"].string());
  EXPECT_FALSE(std::filesystem::exists(home_.file("run"))) << "it starts and makes nothing";
}

TEST_F(Doctor, SeesTheDaemon) {
  start("api", "cat");
  EXPECT_THAT(finding(json_of("doctor --json"), "daemon")["detail"].string(),
              HasSubstr("version 0.1.0, 1 living sessions"));
}

TEST_F(Doctor, FailsWithARemedy) {
  ASSERT_EQ(0, ::mkdir(home_.file("run").c_str(), 0700));
  ASSERT_EQ(0, ::chmod(home_.file("run").c_str(), 0755));
  const Said said = says("doctor");
  EXPECT_EQ(1, said.code);
  EXPECT_THAT(said.out,
              HasSubstr("fail runtime folder   " + home_.file("run") + " is open to other users\n"));
  EXPECT_THAT(said.out, HasSubstr("-> chmod 700 " + home_.file("run") + "\n"));
  ASSERT_EQ(0, ::chmod(home_.file("run").c_str(), 0700));
  EXPECT_EQ(0, says("doctor").code);
}

TEST_F(Doctor, WarnsAndGoesOn) {
  const Said said = says("doctor --json", "TERM=dumb LC_ALL=C");
  EXPECT_EQ(0, said.code);
  const Json report = Json::parse(said.out);
  EXPECT_EQ("warn", finding(report, "terminal")["state"].string());
  EXPECT_EQ("warn", finding(report, "locale")["state"].string());
  EXPECT_EQ("export LANG=C.UTF-8", finding(report, "locale")["remedy"].string());
  EXPECT_EQ(
      "warn",
      finding(Json::parse(says("doctor --json", "ulimit -n 500;").out), "descriptors")["state"].string());
}

TEST_F(Doctor, MissesTheKeeper) {
  const support::TempDir elsewhere;
  std::filesystem::copy_file(TEND, elsewhere.file("tend"));
  const Said said = says("doctor", "TEND=" + elsewhere.file("tend") + ";");
  EXPECT_EQ(1, said.code);
  EXPECT_THAT(said.out, HasSubstr("fail tend-keeper "));
}

}  // namespace
}  // namespace cli
