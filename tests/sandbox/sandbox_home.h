// SPDX-License-Identifier: Apache-2.0
// A home, a workspace and a tend of the test's own, for root and for an ordinary user: a number that nobody
// has. A test that is started by an ordinary user has that one only.
#pragma once
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "support/json.h"
#include "support/temp_dir.h"
#include "support/terminal.h"
#include "support/wait.h"

namespace sandbox {

constexpr uid_t kSomebody = 54321;

struct Said {
  int code = -1;
  std::string out;
  std::string err;
};

enum class Who { self, somebody };

inline std::vector<Who> everyone() {
  return ::geteuid() == 0 ? std::vector{Who::self, Who::somebody} : std::vector{Who::self};
}
inline std::string name_of(const testing::TestParamInfo<Who>& info) {
  return info.param == Who::somebody ? "OrdinaryUser" : ::geteuid() == 0 ? "Root" : "Self";
}

class Home : public testing::Test {
 protected:
  explicit Home(Who who = Who::self) : who_(who) {
    for (const char* each : {"home", "home/.ssh", "home/project", "tend", "out"}) make_folder(each);
    put("home/.ssh/id", "the private key\n");
  }

  void make_folder(const std::string& name) {
    std::filesystem::create_directories(at(name));
    give_away(name);
  }
  void put(const std::string& name, const std::string& text) {
    support::write_file(at(name), text);
    give_away(name);
  }
  void give_away(const std::string& name) const {
    if (who_ != Who::somebody) return;
    ASSERT_EQ(0, ::lchown(files_.path().c_str(), kSomebody, kSomebody));
    ASSERT_EQ(0, ::lchown(at(name).c_str(), kSomebody, kSomebody));
  }
  std::string at(const std::string& name) const { return files_.file(name); }
  std::string work() const { return at("home/project"); }

  // A shell script as this user, in the workspace, on a terminal; $TEND is the program.
  support::Start script(const std::string& text) const {
    std::vector<std::string> argv = {"bash", "--norc", "-c", text};
    if (who_ == Who::somebody) {
      const std::string number = std::to_string(kSomebody);
      argv.insert(argv.begin(), {"setpriv", "--reuid=" + number, "--regid=" + number, "--clear-groups"});
    }
    return {.argv = argv, .env = environment(), .cwd = work()};
  }
  std::map<std::string, std::string> environment() const {
    return {{"TEND_HOME", at("tend")},
            {"HOME", at("home")},
            {"TEND", TEND},
            {"REFUSE", REFUSE_CALL},
            {"TERM", "xterm-256color"},
            {"LC_ALL", "C.UTF-8"},
            {"PATH", "/usr/local/bin:/usr/bin:/bin"},
            {"PS1", "$ "}};
  }
  Said says(const std::string& text) const {
    support::Terminal terminal(script("{ " + text + "\n} > " + at("out/out") + " 2> " + at("out/err")));
    const int status = terminal.wait_exit().value_or(-1);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, support::read_file(at("out/out")),
            support::read_file(at("out/err"))};
  }

  // The same shell script in a sandbox, with these settings, and without one.
  Said inside(const std::string& text, const std::string& settings = "") const {
    put_script(text);
    return says("\"$TEND\" " + settings + " run --sandbox -- sh -c '. ./script'");
  }
  Said outside(const std::string& text) const {
    put_script(text);
    return says("\"$TEND\" run -- sh -c '. ./script'");
  }
  void put_script(const std::string& text) const {
    const std::string path = work() + "/script";
    std::filesystem::remove(path);
    support::write_file(path, text + "\n");
    give_away("home/project/script");
  }

  support::Json json_of(const std::string& arguments) const {
    const Said said = says("\"$TEND\" " + arguments + " --json");
    EXPECT_EQ(0, said.code) << arguments << "\n" << said.err;
    return support::Json::parse(said.out.empty() ? "null" : said.out);
  }
  // A session in the background that runs the script.
  void start(const std::string& name, const std::string& text, const std::string& settings = "") const {
    put_script(text);
    const Said said =
        says("\"$TEND\" " + settings + " run --sandbox -d -n " + name + " -- sh -c '. ./script'");
    ASSERT_EQ(0, said.code) << said.err;
  }
  bool shows(const std::string& target, const std::string& text) const {
    return says("\"$TEND\" wait " + target + " --until text='" + text + "' --timeout 60000").code == 0;
  }

  bool no_keeper_is_left() const {
    return support::wait_until([&] {
      // One that waits for the next session has a hidden name.
      std::error_code none;
      for (const auto& entry : std::filesystem::directory_iterator(at("tend/run/keepers"), none)) {
        if (!entry.path().filename().string().starts_with('.')) return false;
      }
      return true;
    });
  }

  void TearDown() override {
    if (!std::filesystem::exists(at("tend/run"))) return;
    EXPECT_EQ(0, says("\"$TEND\" daemon stop --kill").code) << support::read_file(at("out/err"));
    EXPECT_TRUE(no_keeper_is_left());
  }

  Who who_;
  support::TempDir files_;
};

// For everyone that this process can be.
class Cage : public Home, public testing::WithParamInterface<Who> {
 protected:
  Cage() : Home(GetParam()) {}
};

#define FOR_EVERYONE(suite) INSTANTIATE_TEST_SUITE_P(As, suite, testing::ValuesIn(everyone()), name_of)

}  // namespace sandbox
