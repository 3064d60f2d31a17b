// SPDX-License-Identifier: Apache-2.0
// Evidence of what agents do: what is in a pack, when there is one, and what never gets into it.
#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>

#include "daemon_fixture.h"
#include "wire/encoding.h"

namespace host_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string text(const json::value& value) {
  return value.is_string() ? std::string(value.as_string()) : json::serialize(value);
}

class Evidence : public DaemonTest {
 protected:
  Peer peer_of(const std::string& channel) {
    auto client = wire::Client::connect(home_.socket(), {.agent = "claude-7", .channel = channel});
    if (!client) ADD_FAILURE() << client.error().message();
    return Peer(std::move(client.value()));
  }
  // A program that answers lines.
  std::string run_echo(Peer& peer, json::object more = {}) {
    std::string id = run(peer, "echo ready; while read line; do echo got:$line; done", std::move(more));
    EXPECT_TRUE(prints(peer, id, "ready"));
    return id;
  }
  // Once nothing is to come any more.
  static json::value pack(Peer& peer, const std::string& id) {
    json::value found;
    EXPECT_TRUE(support::wait_until([&] {
      found = peer.ok("evidence.get", {{"evidence_id", id}});
      return found.at("complete").as_bool();
    })) << json::serialize(found);
    return found;
  }
  static json::value write(Peer& peer, const std::string& session, const std::string& data) {
    return peer.ok("pty.write", {{"session", session}, {"data", data}});
  }
  static json::value capture(Peer& peer, const std::string& session) {
    return pack(peer, text(peer.ok("evidence.capture", {{"session", session}}).at("evidence_id")));
  }
  static std::string part(Peer& peer, const json::value& pack, const std::string& name) {
    std::string all;
    json::object params{{"evidence_id", pack.at("evidence_id")}, {"part", name}, {"encoding", "base64"}};
    for (;;) {
      const json::value piece = peer.ok("evidence.get", params);
      all += wire::from_base64(text(piece.at("data"))).value_or("?");
      if (piece.at("next").is_null()) return all;
      params["offset"] = piece.at("next");
    }
  }
  static bool has_part(const json::value& pack, std::string_view name) {
    const json::array& parts = pack.at("parts").as_array();
    return std::find(parts.begin(), parts.end(), json::value(name)) != parts.end();
  }
  // A repository with one file that has changed.
  std::string repository(const std::string& name = "repo") const {
    const std::string folder = home_.file(name);
    std::filesystem::create_directories(folder);
    support::write_file(folder + "/a.txt", "one\ntwo\n");
    const std::string git = "git -C " + folder + " -c user.name=t -c user.email=t@localhost ";
    EXPECT_EQ(0, std::system((git + "init -q && " + git + "add -A && " + git + "commit -qm x").c_str()));
    support::write_file(folder + "/a.txt", "one\nTWO\n");
    return folder;
  }
  std::string store_bytes() const {
    return support::read_file(home_.file("state/store.db")) +
           support::read_file(home_.file("state/store.db-wal"));
  }
};

TEST_F(Evidence, AnAgentsWriteLeavesAPack) {
  Peer agent = peer_of("mcp");
  const std::string session = run_echo(agent, {{"name", "web"}});
  const json::value answer = write(agent, session, "hello\r");
  const std::string id = text(answer.at("evidence_id"));
  const json::value found = pack(agent, id);
  EXPECT_EQ("write", text(found.at("action")));
  EXPECT_EQ("web", text(found.at("name")));
  EXPECT_EQ("claude-7", text(found.at("agent")));
  EXPECT_EQ("mcp", text(found.at("channel")));
  EXPECT_EQ("hello\r", text(found.at("sent")));
  EXPECT_EQ("ready\n", text(found.at("before")));
  EXPECT_THAT(text(found.at("after")), HasSubstr("got:hello"));
  EXPECT_THAT(text(found.at("output")), HasSubstr("got:hello\r\n"));
  EXPECT_FALSE(found.at("secret").as_bool());
  EXPECT_EQ(home_.path(), text(found.at("cwd")));
  EXPECT_EQ("not in a git work tree", text(found.at("diff_note")));
  const json::value row = agent.ok("audit.show", {{"action", "write"}}).at(0);
  EXPECT_EQ(id, text(row.at("evidence_id")));
  EXPECT_EQ("hello\r", part(agent, found, "sent.bin"));
  EXPECT_THAT(part(agent, found, "before.svg"), StartsWith("<svg"));
  EXPECT_THAT(part(agent, found, "after.svg"), HasSubstr("got:hello"));
  EXPECT_THAT(part(agent, found, "after.txt"), HasSubstr("got:hello"));
}

TEST_F(Evidence, APersonsWriteLeavesNone) {
  for (const char* channel : {"cli", "attach"}) {
    Peer person = peer_of(channel);
    const std::string session = run_echo(person);
    EXPECT_FALSE(write(person, session, "hello\r").as_object().contains("evidence_id"));
  }
  Peer person = peer_of("cli");
  EXPECT_TRUE(person.ok("evidence.list").at("evidence").as_array().empty());
}

TEST_F(Evidence, WhoNamesNoChannelIsAnAgent) {
  Peer nobody = peer_of("");
  const std::string session = run_echo(nobody);
  EXPECT_TRUE(write(nobody, session, "hello\r").as_object().contains("evidence_id"));
}

TEST_F(Evidence, CanBeTurnedOffForASession) {
  Peer agent = peer_of("mcp");
  const std::string session = run_echo(agent, {{"settings", "evidence: {auto: false}\n"}});
  EXPECT_FALSE(write(agent, session, "hello\r").as_object().contains("evidence_id"));
}

// Each pack begins with the screen that the one before ended with, however fast they come.
TEST_F(Evidence, WritesInARowHaveEachTheirOwnScreens) {
  Peer agent = peer_of("mcp");
  const std::string session = run_echo(agent);
  std::vector<std::string> ids;
  for (const char* word : {"one", "two", "three"}) {
    ids.push_back(text(write(agent, session, std::string(word) + "\r").at("evidence_id")));
    ASSERT_TRUE(prints(agent, session, std::string("got:") + word));
  }
  const json::value first = pack(agent, ids[0]);
  const json::value second = pack(agent, ids[1]);
  const json::value third = pack(agent, ids[2]);
  EXPECT_EQ("ready\n", text(first.at("before")));
  EXPECT_THAT(text(first.at("after")), Not(HasSubstr("two")));
  EXPECT_EQ(text(first.at("after")), text(second.at("before")));
  EXPECT_EQ(text(second.at("after")), text(third.at("before")));
  EXPECT_EQ(text(agent.ok("pty.screen", {{"session", session}}).at("data")).substr(0, 30),
            text(third.at("after")).substr(0, 30));
}

TEST_F(Evidence, APasswordIsNowhere) {
  Peer agent = peer_of("mcp");
  // The word itself stands in no command.
  const std::string session =
      run(agent, "stty -echo; echo 'Password:'; read secret; stty echo; echo right:${#secret}; cat");
  ASSERT_TRUE(prints(agent, session, "Password:"));
  const std::string id = text(write(agent, session, "correct-horse-battery\r").at("evidence_id"));
  ASSERT_TRUE(prints(agent, session, "right:21"));
  const json::value found = pack(agent, id);
  EXPECT_TRUE(found.at("secret").as_bool());
  EXPECT_EQ("secret", text(found.at("sent")));
  EXPECT_TRUE(found.at("sent_bytes").is_null());
  EXPECT_FALSE(has_part(found, "sent.bin"));
  EXPECT_THAT(text(found.at("before")), HasSubstr("Password:"));
  EXPECT_THAT(text(found.at("after")), HasSubstr("right:21"));
  EXPECT_THAT(json::serialize(found), Not(HasSubstr("horse")));
  const json::value row = agent.ok("audit.show", {{"action", "write"}}).at(0);
  EXPECT_TRUE(row.at("secret").as_bool());
  EXPECT_THAT(store_bytes(), Not(HasSubstr("horse")));
  EXPECT_THAT(support::read_file(home_.file("state/daemon.log")), Not(HasSubstr("horse")));
  // What follows is no secret.
  const std::string next = text(write(agent, session, "in the open\r").at("evidence_id"));
  EXPECT_EQ("in the open\r", text(pack(agent, next).at("sent")));
}

TEST_F(Evidence, HasWhatGitSaysHasChanged) {
  const std::string repo = repository();
  Peer agent = peer_of("mcp");
  const std::string session = run(agent, "cd repo; echo ready; cat");
  ASSERT_TRUE(prints(agent, session, "ready"));
  const json::value found = capture(agent, session);
  EXPECT_EQ(repo, text(found.at("cwd"))) << "of whoever is in front, not where it began";
  EXPECT_THAT(text(found.at("diff_stat")), HasSubstr("a.txt | 2 +-"));
  EXPECT_EQ("", text(found.at("diff_note")));
  const std::string diff = part(agent, found, "diff.patch");
  EXPECT_THAT(diff, StartsWith("diff --git a/a.txt b/a.txt"));
  EXPECT_THAT(diff, HasSubstr("-two\n+TWO\n"));
  EXPECT_FALSE(found.at("truncated").as_bool());
}

TEST_F(Evidence, WorksInALinkedWorkTree) {
  const std::string repo = repository();
  const std::string git = "git -C " + repo + " -c user.name=t -c user.email=t@localhost ";
  ASSERT_EQ(0, std::system((git + "worktree add -q " + home_.file("linked")).c_str()));
  support::write_file(home_.file("linked/a.txt"), "linked\n");
  Peer agent = peer_of("mcp");
  const std::string session = run(agent, "cat", {{"cwd", home_.file("linked")}});
  EXPECT_THAT(part(agent, capture(agent, session), "diff.patch"), HasSubstr("+linked\n"));
}

// Whatever a repository's own settings name must not run.
TEST_F(Evidence, AHostileRepositoryRunsNothing) {
  const std::string repo = repository();
  const std::string trap = home_.file("trap");
  support::write_file(trap, "#!/bin/sh\necho \"$0 $*\" >> " + home_.file("sprung") + "\ncat\n");
  std::filesystem::permissions(trap, std::filesystem::perms::owner_all);
  std::ofstream config(repo + "/.git/config", std::ios::app);
  config << "[diff]\n\texternal = " << trap << "\n[diff \"x\"]\n\tcommand = " << trap
         << "\n\ttextconv = " << trap << "\n[filter \"x\"]\n\tclean = " << trap << "\n\tsmudge = " << trap
         << "\n\tprocess = " << trap << "\n\trequired = true\n[core]\n\tfsmonitor = " << trap
         << "\n\tpager = " << trap << "\n\tsshCommand = " << trap << "\n\thooksPath = " << home_.path()
         << "\n[pager]\n\tdiff = " << trap << "\n[alias]\n\tdiff = !" << trap << "\n";
  config.close();
  support::write_file(repo + "/.gitattributes", "* diff=x filter=x\n");
  support::write_file(repo + "/.git/info/attributes", "* diff=x filter=x\n");
  // That it is a trap at all: git itself falls into it.
  ASSERT_EQ(0, std::system(("git -C " + repo + " status --short >/dev/null 2>&1; true").c_str()));
  ASSERT_TRUE(std::filesystem::exists(home_.file("sprung")));
  std::filesystem::remove(home_.file("sprung"));
  Peer agent = peer_of("mcp");
  const std::string session = run(agent, "cat", {{"cwd", repo}});
  const json::value found = capture(agent, session);
  EXPECT_THAT(part(agent, found, "diff.patch"), HasSubstr("-two\n+TWO\n"));
  EXPECT_FALSE(std::filesystem::exists(home_.file("sprung"))) << support::read_file(home_.file("sprung"));
}

TEST_F(Evidence, AHugeDiffIsCut) {
  const std::string repo = repository();
  std::string lines;
  for (int i = 0; i < 100'000; i++) lines += "line " + std::to_string(i) + "\n";
  support::write_file(repo + "/a.txt", lines);
  Peer agent = peer_of("mcp");
  const std::string session = run(agent, "cat", {{"cwd", repo}});
  const json::value found = capture(agent, session);
  EXPECT_TRUE(found.at("truncated").as_bool());
  EXPECT_THAT(text(found.at("diff_stat")), HasSubstr("a.txt"));
  const size_t size = part(agent, found, "diff.patch").size();
  EXPECT_LE(size + text(found.at("diff_stat")).size(), size_t{256} << 10);
  EXPECT_GT(size, size_t{200} << 10);
}

TEST_F(Evidence, AProgramThatEndsLeavesAWholePack) {
  Peer agent = peer_of("mcp");
  const std::string session = run(agent, "echo ready; read line; echo bye; exit 3");
  ASSERT_TRUE(prints(agent, session, "ready"));
  const std::string id = text(write(agent, session, "x\r").at("evidence_id"));
  ASSERT_TRUE(becomes(agent, session, "dead"));
  agent.ok("session.kill", {{"session", session}});
  EXPECT_THAT(text(pack(agent, id).at("after")), HasSubstr("bye"));
}

TEST_F(Evidence, ADaemonThatStopsKeepsWhatIsThere) {
  std::string id;
  {
    Peer agent = peer_of("mcp");
    const std::string session = run_echo(agent);
    id = text(write(agent, session, "hello\r").at("evidence_id"));
    agent.ok("daemon.shutdown");
    ASSERT_TRUE(agent.closed());
  }
  ASSERT_TRUE(support::wait_until([&] { return home_.start() == "ok"; }));
  Peer agent = peer_of("mcp");
  const json::value found = pack(agent, id);
  EXPECT_EQ("hello\r", text(found.at("sent")));
  EXPECT_EQ("the daemon stopped", text(found.at("diff_note")));
}

TEST_F(Evidence, IsCapturedOnRequestAndAttachedToAThread) {
  Peer person = peer_of("cli");
  const std::string session = run_echo(person);
  const std::string thread = text(person.ok("inbox.send", {{"body", "look"}}).at("thread"));
  const std::string id =
      text(person.ok("evidence.capture", {{"session", session}, {"note", "it hangs"}, {"thread", thread}})
               .at("evidence_id"));
  const json::value found = pack(person, id);
  EXPECT_EQ("capture", text(found.at("action")));
  EXPECT_EQ("it hangs", text(found.at("note")));
  EXPECT_EQ("ready\n", text(found.at("before")));
  EXPECT_TRUE(found.at("after").is_null());
  EXPECT_TRUE(found.at("sent").is_null());
  const json::value message = person.ok("inbox.list", {{"thread", thread}}).at("messages").at(0);
  EXPECT_EQ(id, text(message.at("evidence").at(0)));
  const json::value row = person.ok("audit.show", {{"action", "evidence"}}).at(0);
  EXPECT_EQ(id, text(row.at("evidence_id")));
  const std::string sent = text(
      person.ok("inbox.send", {{"body", "see"}, {"thread", thread}, {"evidence", json::array{id}}}).at("id"));
  EXPECT_EQ(id, text(person.ok("audit.show", {{"action", "inbox_send"}}).at(1).at("evidence_id")));
}

TEST_F(Evidence, ListsAreNewestFirstAndComeInPages) {
  Peer agent = peer_of("mcp");
  const std::string one = run_echo(agent, {{"name", "one"}});
  const std::string two = run_echo(agent, {{"name", "two"}});
  for (int i = 0; i < 3; i++) capture(agent, one);
  capture(agent, two);
  const json::value all = agent.ok("evidence.list");
  ASSERT_EQ(4U, all.at("evidence").as_array().size());
  EXPECT_EQ("two", text(all.at("evidence").at(0).at("name")));
  EXPECT_TRUE(all.at("next").is_null());
  const json::value page = agent.ok("evidence.list", {{"session", "one"}, {"limit", 2}});
  EXPECT_EQ(2U, page.at("evidence").as_array().size());
  const json::value rest = agent.ok("evidence.list", {{"session", "one"}, {"after", page.at("next")}});
  EXPECT_EQ(1U, rest.at("evidence").as_array().size());
}

TEST_F(Evidence, SaysWhatIsWrong) {
  Peer agent = peer_of("mcp");
  const std::string session = run_echo(agent);
  EXPECT_EQ("INVALID_PARAM", agent.code("evidence.get", {{"evidence_id", "nothing"}}));
  EXPECT_EQ("INVALID_PARAM", agent.code("evidence.list", {{"after", "yesterday"}}));
  EXPECT_EQ("PTY_SESSION_NOT_FOUND", agent.code("evidence.capture", {{"session", "nobody"}}));
  EXPECT_EQ("PTY_SESSION_NOT_FOUND", agent.code("evidence.capture", {{"session", session}, {"pty", 9}}));
  EXPECT_EQ("INVALID_PARAM", agent.code("evidence.capture", {{"session", session}, {"thread", "nowhere"}}));
  EXPECT_EQ("INVALID_PARAM",
            agent.code("evidence.capture", {{"session", session}, {"note", std::string(5000, 'x')}}));
  const json::value found = capture(agent, session);
  const json::value id = found.at("evidence_id");
  EXPECT_EQ("INVALID_PARAM", agent.code("evidence.get", {{"evidence_id", id}, {"part", "after.svg"}}));
  EXPECT_EQ("INVALID_PARAM", agent.code("evidence.get", {{"evidence_id", id}, {"part", "../passwd"}}));
  EXPECT_EQ("INVALID_PARAM", agent.code("evidence.get", {{"evidence_id", id}, {"encoding", "rot13"}}));
}

TEST_F(Evidence, ALargeScreenStillFitsIntoMessages) {
  Peer agent = peer_of("mcp");
  const std::string session =
      run(agent,
          "for i in $(seq 400); do printf '\\033[38;5;%dm%0900d' $((i % 256)) $i; done; echo; echo full; cat",
          {{"cols", 1000}, {"rows", 400}});
  agent.ok("pty.wait", {{"session", session}, {"until", "text"}, {"pattern", "full"}, {"timeout_ms", 20000}});
  const json::value found = capture(agent, session);
  EXPECT_GT(part(agent, found, "before.svg").size(), size_t{300'000});
}

}  // namespace
}  // namespace host_test
