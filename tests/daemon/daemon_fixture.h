// SPDX-License-Identifier: Apache-2.0
// A daemon of the test's own: the real program in a home of its own. Whatever happens in a test, nothing of
// it runs on afterwards.
#pragma once
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "peer.h"
#include "support/temp_dir.h"
#include "support/wait.h"

namespace host_test {

struct DaemonStart {
  std::vector<std::string> arguments = {};
  std::optional<unsigned> descriptors = {};       // the limit it has
  std::optional<unsigned> soft_descriptors = {};  // the one it may raise itself
};

class Home {
 public:
  Home();
  ~Home();  // ends everything that runs in it

  std::string path() const { return dir_.path().string(); }
  std::string file(const std::string& name) const { return dir_.file(name); }
  std::string socket() const { return dir_.file("run/tend.sock"); }

  // Gives what it said: "ok", "busy", or what is wrong.
  std::string start(const DaemonStart& how = {});
  // Runs `tend ARGUMENTS…` to its end. Its output (both kinds); -1 for a signal.
  struct Ran {
    int status;
    std::string output;
  };
  Ran tend(std::vector<std::string> arguments) const;
  pid_t tend_in_background(std::vector<std::string> arguments, int output) const;

  // The processes of this home: daemons, or keepers.
  std::vector<pid_t> running(std::string_view program) const;
  // Of the keepers those that have a PTY, and the one that waits for a session.
  std::vector<pid_t> keepers() const;
  std::optional<pid_t> spare_keeper() const;

 private:
  support::TempDir dir_;
};

class DaemonTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ("ok", home_.start()); }

  Peer peer(const std::string& agent = "tester");
  // A session with this shell script as its agent; its id.
  std::string run(Peer& peer, const std::string& script, json::object more = {});
  json::value session(Peer& peer, const std::string& id) { return peer.ok("session.get", {{"session", id}}); }
  // Waits until PTY `number` has this state.
  bool becomes(Peer& peer, const std::string& id, std::string_view state, size_t number = 0);
  // All the output there is, as text.
  std::string output(Peer& peer, const std::string& id, int number = 0);
  bool prints(Peer& peer, const std::string& id, std::string_view text, int number = 0);

  pid_t daemon_pid(Peer& peer);
  // Until keepers have started another daemon in the place of this one.
  void wait_for_another(pid_t old);
  size_t descriptors(pid_t pid) const;
  // The daemon answers, nothing is degraded, and it has no more descriptors than before.
  void expect_healthy(size_t descriptors_before);
  // When the daemon has all that it needs for the next session.
  size_t resting_descriptors(pid_t pid) const;

  Home home_;
};

size_t count_of(std::string_view text, std::string_view part);

}  // namespace host_test
