// SPDX-License-Identifier: Apache-2.0
// The terminal over a WebSocket, and the filter in front of it.
#include <csignal>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "filter/input_filter.h"
#include "support/wait.h"
#include "web_fixture.h"

namespace web_test {
namespace {

using testing::HasSubstr;
using testing::Not;

// Shows every byte that it gets, as "<65>", and nothing else.
constexpr const char* kShowsBytes =
    "stty raw -echo; echo ready; while true; do b=$(dd bs=1 count=1 2>/dev/null | od -An -tu1 | tr -d ' '); "
    "[ -n \"$b\" ] && printf '<%s>' \"$b\"; done";

std::string as_shown(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += "<" + std::to_string(static_cast<unsigned char>(c)) + ">";
  return text;
}

json::array typed(std::string_view keys, int wait_ms) {
  json::array steps{json::object{{"shows", "ready"}}};
  for (const char c : keys) {
    steps.push_back(json::object{{"keys", std::string(1, c)}});
    if (wait_ms > 0) steps.push_back(json::object{{"wait", wait_ms}});
  }
  return steps;
}

TEST_F(WebTest, ABrowserSeesWhatIsThereAndTypes) {
  host_test::Peer peer = this->peer();
  const std::string id = run(peer, "echo before; cat", {{"name", "a"}});
  ASSERT_TRUE(prints(peer, id, "before"));
  const json::object seen = client("session=a&cols=90&rows=20",
                                   {json::object{{"shows", "before"}}, json::object{{"keys", "hello\r"}},
                                    json::object{{"shows", "hello\r\nhello"}}});
  const json::value hello = messages(seen, "hello").at(0);
  EXPECT_EQ(hello.at("session").as_string(), id);
  EXPECT_EQ(hello.at("role").as_string(), "writer");
  EXPECT_EQ(hello.at("cols").as_int64(), 90);
  EXPECT_TRUE(hello.at("filtered").as_bool());
  EXPECT_EQ(messages(seen, "resync").at(0).at("reason").as_string(), "attach");
  const json::value rows = peer.ok("audit.show", {{"action", "keys"}});
  EXPECT_EQ(rows.at_pointer("/0/channel").as_string(), "web");
}

TEST_F(WebTest, WhatCannotBeAttachedToIsSaidBeforeTheUpgrade) {
  EXPECT_EQ(client("session=nothing", {}).at("http"), 404);
  host_test::Peer peer = this->peer();
  run(peer, "cat", {{"name", "a"}});
  EXPECT_EQ(client("session=a&pty=7", {}).at("http"), 404);
  EXPECT_EQ(client("session=a&cols=x", {}).at("http"), 400);
  EXPECT_EQ(client("session=a&what=1", {}).at("http"), 400);
  EXPECT_EQ(get("/ws?session=a").status, 400);
}

TEST_F(WebTest, ExitIsBlockedHoweverItIsTyped) {
  host_test::Peer peer = this->peer();
  struct Way {
    const char* name;
    json::array steps;
    std::string arrives;
  };
  const auto at_once = [](const std::string& keys) {
    return json::array{json::object{{"shows", "ready"}}, json::object{{"keys", keys}}};
  };
  const std::vector<Way> ways = {
      {"quick", typed("exit\r", 0), ""},
      {"slow", typed("exit\r", 1000), "exit"},
      {"whole", at_once("exit\r"), ""},
      {"paste",
       {json::object{{"shows", "ready"}},
        json::object{{"say", json::object{{"type", "paste"}, {"text", "exit\n"}}}}},
       ""},
      {"backspaces", at_once("exot\x7f\x7fit\r"), "exot\x7f\x7f"},
      {"blank", at_once(" exit\r"), " "},
      {"afterline", at_once("foo\rexit\rbar\r"), "foo\rbar\r"},
      {"ctrld",
       at_once("a\x04"
               "b"),
       "ab"},
  };
  for (const Way& way : ways) {
    const std::string id = run(peer, kShowsBytes, {{"name", way.name}});
    json::array steps = way.steps;
    steps.push_back(json::object{{"hears", "warning"}});
    // What comes behind it shows that nothing more is on its way.
    steps.push_back(json::object{{"keys", "#"}});
    steps.push_back(json::object{{"shows", "<35>"}});
    const json::object seen = client("session=" + std::string(way.name), steps);
    EXPECT_EQ(messages(seen, "warning").size(), 1U) << way.name;
    EXPECT_EQ(messages(seen, "warning").at(0).at("text").as_string(), filter::kWarning) << way.name;
    const std::string shown = output(peer, id);
    EXPECT_EQ(shown.substr(shown.find_first_of("<")), as_shown(way.arrives + "#")) << way.name;
  }
  const json::value rows = peer.ok("audit.show", {{"action", "filter_block"}});
  EXPECT_EQ(rows.as_array().size(), ways.size());
}

TEST_F(WebTest, AQuestionWithQuitInItPasses) {
  host_test::Peer peer = this->peer();
  const std::string id = run(peer, kShowsBytes, {{"name", "a"}});
  const json::object seen =
      client("session=a", {json::object{{"shows", "ready"}}, json::object{{"keys", "how do I quit\r"}},
                           json::object{{"shows", as_shown("how do I quit\r")}}});
  EXPECT_TRUE(messages(seen, "warning").empty());
  run(peer, kShowsBytes, {{"name", "b"}, {"settings", "input_filter: {anchor: anywhere}\n"}});
  const json::object other = client(
      "session=b", {json::object{{"shows", "ready"}}, json::object{{"keys", "how do I quit\r"}},
                    json::object{{"hears", "warning"}}, json::object{{"shows", as_shown("how do I ")}}});
  EXPECT_EQ(messages(other, "warning").size(), 1U);
}

TEST_F(WebTest, ALoneLetterPassesByATimer) {
  host_test::Peer peer = this->peer();
  run(peer, kShowsBytes, {{"name", "a"}});
  const json::object seen = client(
      "session=a",
      {json::object{{"shows", "ready"}}, json::object{{"keys", "e"}}, json::object{{"shows", "<101>"}}});
  EXPECT_TRUE(seen.at("failed").is_null());
}

TEST_F(WebTest, CtrlCTwiceIsCtrlCOnce) {
  host_test::Peer peer = this->peer();
  const std::string id = run(peer, kShowsBytes, {{"name", "a"}});
  const json::object seen =
      client("session=a", {json::object{{"shows", "ready"}}, json::object{{"keys", "\x03\x03"}},
                           json::object{{"hears", "warning"}}, json::object{{"keys", "#"}},
                           json::object{{"shows", "<35>"}}});
  EXPECT_EQ(messages(seen, "warning").at(0).at("reason").as_string(), "debounced");
  EXPECT_THAT(output(peer, id), HasSubstr("<3><35>"));
}

TEST_F(WebTest, AShellIsFree) {
  host_test::Peer peer = this->peer();
  const std::string id = run(peer, "cat", {{"name", "a"}});
  peer.ok("pty.spawn", {{"session", id}, {"command", json::array{"/bin/sh"}}});
  const json::object seen = client(
      "session=a&pty=1",
      {json::object{{"hears", "hello"}}, json::object{{"keys", "exit\r"}}, json::object{{"closed", true}}});
  EXPECT_FALSE(messages(seen, "hello").at(0).at("filtered").as_bool());
  EXPECT_TRUE(messages(seen, "warning").empty());
  EXPECT_EQ(messages(seen, "detached").size(), 1U);
  EXPECT_EQ(seen.at("closed").at("code").as_int64(), 1000);
  EXPECT_TRUE(becomes(peer, id, "dead", 1));
}

TEST_F(WebTest, PastesCannotPressKeys) {
  host_test::Peer peer = this->peer();
  const std::string id = run(peer, "printf '\\033[?2004h'; " + std::string(kShowsBytes), {{"name", "a"}});
  const json::object seen = client(
      "session=a",
      {json::object{{"shows", "ready"}},
       json::object{{"say", json::object{{"type", "paste"}, {"text", "a\x1b[201~\x03z\n"}}}},
       json::object{{"shows", "<122>"}}, json::object{{"keys", "#"}}, json::object{{"shows", "<35>"}}});
  EXPECT_THAT(output(peer, id), HasSubstr(as_shown("\x1b[200~a[201~z\r\x1b[201~#")));
}

TEST_F(WebTest, TheFilterStandsBeforeWritesAndAnswersToo) {
  host_test::Peer peer = this->peer();
  const std::string id = run(peer, kShowsBytes, {{"name", "a"}});
  ASSERT_TRUE(prints(peer, id, "ready"));
  const Answer first = post("/api/sessions/a/ptys/0/write", {{"data", "ex"}});
  EXPECT_EQ(first.status, 200) << first.body;
  const Answer second = post("/api/sessions/a/ptys/0/write", {{"data", "it"}, {"enter", true}});
  EXPECT_EQ(second.value().at("blocked").as_int64(), 1);
  EXPECT_EQ(post("/api/sessions/a/ptys/0/run", {{"command", "exit"}}).code(), "PTY_ACCESS_DENIED");
  post("/api/sessions/a/ptys/0/write", {{"data", "#"}});
  ASSERT_TRUE(prints(peer, id, "<35>"));
  EXPECT_THAT(output(peer, id), Not(HasSubstr("<13>")));

  const std::string asks =
      run(peer, "printf 'Your name: '; read name; echo \"<$name>\"; sleep 60", {{"name", "b"}});
  std::string prompt;
  ASSERT_TRUE(support::wait_until([&] {
    const Answer list = get("/api/prompts?session=b");
    if (list.value().as_array().empty()) return false;
    prompt = list.value().at(0).at("id").as_string();
    return true;
  }));
  EXPECT_EQ(post("/api/prompts/" + prompt + "/answer", {{"answer", "exit"}}).code(), "PTY_ACCESS_DENIED");
  const Answer good = post("/api/prompts/" + prompt + "/answer", {{"answer", "Ada"}});
  EXPECT_EQ(good.status, 200) << good.body;
  EXPECT_TRUE(prints(peer, asks, "<Ada>"));
}

TEST_F(WebTest, APromptIsShownAndGoes) {
  host_test::Peer peer = this->peer();
  run(peer, "printf 'Go on? [y/n] '; read a; echo done; sleep 60", {{"name", "a"}});
  const json::object seen =
      client("session=a", {json::object{{"prompt", "YES_NO"}}, json::object{{"keys", "y\r"}},
                           json::object{{"shows", "done"}}, json::object{{"prompt", "none"}}});
  EXPECT_GE(messages(seen, "prompt").size(), 1U);
}

TEST_F(WebTest, ItGoesOnWhereItWas) {
  host_test::Peer peer = this->peer();
  const std::string id = run(peer, "echo first; cat", {{"name", "a"}});
  ASSERT_TRUE(prints(peer, id, "first"));
  const json::object seen = client("session=a&from=0", {json::object{{"shows", "first"}}});
  EXPECT_TRUE(messages(seen, "resync").empty());
  const int64_t offset = static_cast<int64_t>(std::string_view(seen.at("output").as_string()).size());
  peer.ok("pty.write", {{"session", id}, {"data", "second\n"}});
  ASSERT_TRUE(prints(peer, id, "second"));
  const json::object rest =
      client("session=a&from=" + std::to_string(offset), {json::object{{"shows", "second"}}});
  EXPECT_TRUE(messages(rest, "resync").empty());
  EXPECT_THAT(std::string(rest.at("output").as_string()), Not(HasSubstr("first")));
}

TEST_F(WebTest, ABrowserIsToldThatTheServerCloses) {
  host_test::Peer peer = this->peer();
  run(peer, "cat", {{"name", "quiet"}});
  run(peer, "exec yes", {{"name", "busy"}});
  const auto closed = [](std::string_view why) { return json::value{{"code", 1001}, {"reason", why}}; };
  EXPECT_EQ(closed_by("serve --stop", "session=quiet", {}), closed("the server was closed"));
  const auto open = [&] {
    const json::object serving = serve();
    token_ = serving.at("token").as_string();
    port_ = serving.at("port").as_int64();
  };
  open();
  // In the middle of output, and while the browser goes on talking.
  EXPECT_EQ(closed_by("serve --stop", "session=busy",
                      {json::object{{"acknowledge", true}}, json::object{{"wait", 300}}}),
            closed("the server was closed"));
  open();
  EXPECT_EQ(closed_by("daemon stop", "session=busy", {json::object{{"acknowledge", true}}}),
            closed("the daemon ends"));
  // The next one goes on where this one was.
  EXPECT_EQ(home_.tend({"ls"}).status, 0);
  EXPECT_TRUE(client("session=quiet", {json::object{{"hears", "hello"}}}).at("closed").is_null());
}

TEST_F(WebTest, ABrowserThatSaysNothingDoesNotKeepTheDaemon) {
  host_test::Peer peer = this->peer();
  const std::string id = run(peer, "exec yes", {{"name", "busy"}});
  const base::Fd stuck = connected();
  const std::string request = "GET /ws?session=busy HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) +
                              "\r\n" + bearer() +
                              "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  ASSERT_TRUE(base::write_all(stuck.get(), request));
  ASSERT_TRUE(
      support::wait_until([&] { return session(peer, id).at_pointer("/ptys/0/clients").as_int64() == 1; }));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(home_.tend({"daemon", "stop"}).status, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_F(WebTest, ASlowBrowserIsShownTheScreenAndHoldsNobodyUp) {
  host_test::Peer peer = this->peer();
  const std::string id =
      run(peer, "echo ready; read go; seq 1 1500000; echo the-end; sleep 60", {{"name", "a"}});
  ASSERT_TRUE(prints(peer, id, "ready"));
  const json::object seen =
      client("session=a", {json::object{{"shows", "ready"}},
                           json::object{{"say", json::object{{"type", "seen"}, {"offset", 7}}}},
                           json::object{{"keys", "go\r"}}, json::object{{"wait", 1000}},
                           json::object{{"acknowledge", true}}, json::object{{"shows", "the-end"}}});
  EXPECT_EQ(seen.at("offset").as_int64(), peer.ok("pty.screen", {{"session", id}}).at("offset").as_int64());
  bool slow = false;
  for (const json::value& each : messages(seen, "resync"))
    slow = slow || each.at("reason").as_string() == "slow";
  EXPECT_TRUE(slow);
  EXPECT_THAT(std::string(seen.at("output").as_string()), HasSubstr("1500000"));
}

TEST_F(WebTest, TwoHundredBrowsersUnderAFlood) {
  host_test::Peer peer = this->peer();
  const std::string go = home_.file("go");
  const std::string script =
      "while [ ! -e " + go + " ]; do sleep 0.05; done; seq 1 4000000; echo the-end; sleep 100";
  // A terminal beside them, which must miss nothing, however slowly the file takes it that its output goes
  // to.
  const std::string terminal = home_.file("terminal");
  const pid_t attached = ::fork();
  if (attached == 0) {
    const int file = ::open(terminal.c_str(), O_CREAT | O_WRONLY, 0600);
    const int nothing = ::open("/dev/null", O_RDONLY);
    if (file < 0 || nothing < 0 || ::dup2(nothing, 0) < 0 || ::dup2(file, 1) < 0) ::_exit(126);
    ::execl(TEND, "tend", "run", "-n", "a", "--", "sh", "-c", script.c_str(), nullptr);
    ::_exit(127);
  }
  ASSERT_GT(attached, 0);
  std::string id;
  ASSERT_TRUE(support::wait_until([&] {
    const json::value list = peer.ok("session.list").at("sessions");
    if (list.as_array().empty() || list.at_pointer("/0/ptys").as_array().empty()) return false;
    id = list.at_pointer("/0/id").as_string();
    return list.at_pointer("/0/ptys/0/clients").as_int64() == 1;
  }));
  const json::object options{
      {"url", "ws://127.0.0.1:" + std::to_string(port_) + "/ws?session=a&role=observer"},
      {"headers", json::object{{"Authorization", "Bearer " + token_}}},
      {"clients", 200},
      {"end", "the-end"},
      {"go", go}};
  const std::string said =
      output_of("cd '" WEB_PACKAGES "' && " NODE " flood.mjs " + quoted(json::serialize(options)));
  const json::value result = json::parse(said);
  EXPECT_EQ(result.at("opened").as_int64(), 200) << said;
  EXPECT_EQ(result.at("ended").as_int64(), 200) << said;
  EXPECT_THAT(std::string(peer.ok("pty.screen", {{"session", id}}).at("data").as_string()),
              HasSubstr("the-end"));
  EXPECT_TRUE(support::wait_until([&] { return support::read_file(terminal).ends_with("the-end\r\n"); }));
  ::kill(attached, SIGTERM);
  ::waitpid(attached, nullptr, 0);
  // Behind the empty screen that it begins with.
  const std::string all = support::read_file(terminal);
  const size_t first = all.find("1\r\n2\r\n3\r\n");
  ASSERT_NE(first, std::string::npos);
  std::istringstream lines(all.substr(first));
  int64_t next = 1;
  for (std::string line; next <= 4'000'000 && std::getline(lines, line); next++)
    ASSERT_EQ(line, std::to_string(next) + "\r");
  EXPECT_EQ(next, 4'000'001);
  const std::string status = support::read_file("/proc/" + std::to_string(daemon_pid(peer)) + "/status");
  const auto kilobytes = [&](const char* name) {
    const size_t at = status.find(name);
    return std::stol(status.substr(at + std::string(name).size()));
  };
  std::cout << "200 browsers: " << said << "daemon at most " << kilobytes("VmHWM:") << " kB\n";
  RecordProperty("vm_hwm_kb", static_cast<int>(kilobytes("VmHWM:")));
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr long kMost = 400 << 10;  // with what a sanitizer keeps about each byte
#else
  constexpr long kMost = 60 << 10;
#endif
  EXPECT_LT(kilobytes("VmHWM:"), kMost);
}

}  // namespace
}  // namespace web_test
