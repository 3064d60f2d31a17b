// SPDX-License-Identifier: Apache-2.0
// The answer that was meant is what real programs get. (Shells, boxes and lists: answer_test.cc.)
#include <filesystem>
#include <gmock/gmock.h>

#include "daemon_fixture.h"

namespace host_test {
namespace {

using testing::HasSubstr;

class AnswerPrograms : public DaemonTest {
 protected:
  void SetUp() override {
    DaemonTest::SetUp();
    peer_.emplace(peer());
    std::filesystem::create_directory(folder());
  }
  std::string folder() const { return home_.file("work"); }
  void start(const std::string& script) {
    id_ = run(*peer_, script, {{"cwd", folder()}, {"cols", 100}, {"rows", 30}});
  }
  // Waits for a question with this in it, and answers it.
  void answer(std::string_view question, json::object params) {
    json::value found;
    ASSERT_TRUE(support::wait_until([&] {
      const json::value list = peer_->ok("prompt.list", {{"session", id_}});
      for (const json::value& each : list.as_array())
        if (each.at("question").as_string().find(question) != std::string::npos) found = each;
      return found.is_object();
    })) << question
        << "\n"
        << output(*peer_, id_);
    params["prompt_id"] = found.at("id");
    params["nonce"] = found.at("nonce");
    const json::value result = peer_->ok("prompt.answer", std::move(params));
    EXPECT_EQ("accepted", result.at("outcome").as_string()) << question;
  }
  bool prints(std::string_view text) { return DaemonTest::prints(*peer_, id_, text); }

  std::optional<Peer> peer_;
  std::string id_;
};

TEST_F(AnswerPrograms, GitAddsThePartsThatWereMeant) {
  start(
      "git init -q . && git config user.email t@example.org && git config user.name t && seq 40 > f && "
      "git add f && git commit -qm one && sed -i 's/^3$/three/; s/^37$/end/' f && GIT_PAGER=cat git add -p; "
      "git diff --cached | grep '^+[a-z]'; echo over; sleep 60");
  answer("(1/2)", {{"answer", "n"}});
  answer("(2/2)", {{"answer", "y"}});
  EXPECT_TRUE(prints("over"));
  EXPECT_THAT(output(*peer_, id_), HasSubstr("+end"));
  EXPECT_EQ(std::string::npos, output(*peer_, id_).find("\n+three\r\n+"));
}

TEST_F(AnswerPrograms, SshKeygenKeepsTheFileAndTakesASecret) {
  start(
      "echo mine > key; ssh-keygen -q -t ed25519 -f key; cat key; ssh-keygen -q -t ed25519 -f other; "
      "ssh-keygen -y -P 'open sesame' -f other > /dev/null && echo locked; sleep 60");
  answer("Overwrite (y/n)?", {{"answer", "no"}});
  EXPECT_TRUE(prints("mine"));
  answer("Enter passphrase", {{"answer", "open sesame"}});
  answer("again", {{"answer", "open sesame"}});
  EXPECT_TRUE(prints("locked"));
  const json::value rows = peer_->ok("audit.show", {{"action", "answer"}});
  EXPECT_EQ(std::string::npos, json::serialize(rows).find("sesame"));
  const json::value ended = peer_->ok("prompt.list", {{"state", "all"}});
  EXPECT_EQ(std::string::npos, json::serialize(ended).find("sesame"));
}

TEST_F(AnswerPrograms, PythonReadsALine) {
  start("python3 -c \"a = input('How many? '); print('got', repr(a))\"; sleep 60");
  answer("How many?", {{"answer", "a b  c"}});
  EXPECT_TRUE(prints("got 'a b  c'"));
}

TEST_F(AnswerPrograms, NpmInitTakesNamesDefaultsAndAYes) {
  start("npm init; echo; grep name package.json; echo over; sleep 60");
  answer("package name", {{"answer", "tended"}});
  // How many there are depends on its version.
  std::string last = "package name";
  bool typed = false;
  for (int i = 0; i < 20; i++) {
    std::string next;
    ASSERT_TRUE(support::wait_until([&] {
      const json::value list = peer_->ok("prompt.list", {{"session", id_}});
      // Newer ones ask this in words that the detector does not know, while they have a timer.
      if (!typed && output(*peer_, id_).find("type: (") != std::string::npos) {
        typed = true;
        peer_->ok("pty.write", {{"session", id_}, {"keys", {"Enter"}}});
      }
      next = list.as_array().empty() ? last : std::string(list.as_array()[0].at("question").as_string());
      return !next.starts_with(last);
    })) << "behind "
        << last;
    last = next;
    if (last.starts_with("Is this OK?")) break;
    if (last.starts_with("type:")) continue;
    answer(last, {{"keys", {"Enter"}}});
  }
  answer("Is this OK?", {{"answer", "yes"}});
  EXPECT_TRUE(prints("over"));
  EXPECT_THAT(output(*peer_, id_), HasSubstr("\"name\": \"tended\""));
}

// What apt would have dpkg do is only printed.
TEST_F(AnswerPrograms, AptGoesOnOrStopsAsItIsTold) {
  const std::string apt = "apt-get -q -o Debug::NoLocking=true -o Dir::Bin::dpkg=/bin/echo remove fzf";
  start(apt + "; echo \"first: $?\"; " + apt + "; echo over; sleep 60");
  answer("Do you want to continue?", {{"answer", "no"}});
  EXPECT_TRUE(prints("Abort."));
  EXPECT_TRUE(prints("first: 1"));
  EXPECT_EQ(std::string::npos, output(*peer_, id_).find("--remove"));
  answer("Do you want to continue?", {{"answer", "yes"}});
  EXPECT_TRUE(prints("--remove fzf"));
  EXPECT_TRUE(prints("over"));
}

// The server is at the other end of a pipe, and needs no port.
TEST_F(AnswerPrograms, SshIsToldThatTheHostIsRightAndTakesAPassphrase) {
  // A server that root starts wants this folder, which the package's own start makes.
  start(
      "[ $(id -u) != 0 ] || mkdir -p /run/sshd; ssh-keygen -q -t ed25519 -N '' -f host; ssh-keygen -q -t "
      "ed25519 -N 'open sesame' -f id; "
      "printf '%s\n' \"HostKey $PWD/host\" 'UsePAM no' 'PermitRootLogin yes' 'StrictModes no' "
      "\"AuthorizedKeysFile $PWD/id.pub\" > conf; "
      "exec ssh -F none -o UserKnownHostsFile=known -o GlobalKnownHostsFile=none -o IdentitiesOnly=yes -i id "
      "-o ProxyCommand=\"/usr/sbin/sshd -i -f $PWD/conf -E $PWD/log\" here true");
  answer("Are you sure you want to continue connecting", {{"answer", "yes"}});
  answer("Enter passphrase for key", {{"answer", "open sesame"}});
  EXPECT_TRUE(support::wait_until([&] {
    return support::read_file(folder() + "/log").find("Accepted publickey") != std::string::npos;
  })) << output(*peer_, id_);
}

TEST_F(AnswerPrograms, SudoLikeProgramsTakeASecretFromTheirTerminal) {
  start(
      "python3 -c \"import getpass; p = getpass.getpass('[sudo] password for ada: '); "
      "print('got', len(p))\"; sleep 60");
  answer("password for ada", {{"answer", "open sesame"}});
  EXPECT_TRUE(prints("got 11"));
  EXPECT_EQ(std::string::npos, output(*peer_, id_).find("sesame"));
}

// A pager takes single keys.
TEST_F(AnswerPrograms, ReadTakesASingleKeyAndNoEnter) {
  start(
      "bash -c 'read -rsn 1 -p \"Press y to go on, n to stop \" a; echo; read -t 0.3 b; echo \"got "
      "<$a$b>\"'; "
      "sleep 60");
  answer("Press y to go on", {{"answer", "n"}});
  EXPECT_TRUE(prints("got <n>"));
}

}  // namespace
}  // namespace host_test
