// SPDX-License-Identifier: Apache-2.0
// Messages between agents, over the real socket: threads, claims, what others hear of it, what is left
// behind.
#include <gmock/gmock.h>
#include <thread>

#include "daemon_fixture.h"

namespace host_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string text(const json::value& value) {
  return value.is_string() ? std::string(value.as_string()) : json::serialize(value);
}

class Inbox : public DaemonTest {
 protected:
  static std::string send(Peer& peer, json::object params = {}) {
    if (!params.contains("body")) params["body"] = "do it";
    return text(peer.ok("inbox.send", std::move(params)).at("id"));
  }
  static json::value claim(Peer& peer, json::object params = {}) {
    return peer.ok("inbox.claim", std::move(params)).at("message");
  }
  static std::string message_of(Peer& peer, std::string_view method, json::object params) {
    const uint64_t id = peer.client().send(method, std::move(params));
    EXPECT_TRUE(peer.client().flush());
    const auto answer = peer.answer(id);
    return answer && !answer->result ? answer->result.error().what : "";
  }
};

TEST_F(Inbox, AMessageGoesFromOneAgentToAnother) {
  Peer lead = peer("lead");
  Peer worker = peer("worker");
  const json::value sent =
      lead.ok("inbox.send", {{"to", "worker"}, {"subject", "tests"}, {"body", "run them"}});
  EXPECT_EQ(text(sent.at("id")), text(sent.at("thread")));
  const json::value listed = worker.ok("inbox.list", {{"to", "worker"}});
  EXPECT_TRUE(listed.at("next").is_null());
  const json::value& message = listed.at("messages").at(0);
  EXPECT_EQ("lead", text(message.at("from")));
  EXPECT_EQ("worker", text(message.at("to")));
  EXPECT_EQ("tests", text(message.at("subject")));
  EXPECT_EQ("run them", text(message.at("body")));
  EXPECT_EQ("open", text(message.at("state")));
  EXPECT_TRUE(message.at("claimed_by").is_null());
  EXPECT_TRUE(message.at("result").is_null());
  const json::value claimed = claim(worker);
  EXPECT_EQ("claimed", text(claimed.at("state")));
  EXPECT_EQ("worker", text(claimed.at("claimed_by")));
  EXPECT_EQ(1, claimed.at("claims").to_number<int>());
  worker.ok("inbox.done", {{"id", sent.at("id")}, {"result", "all green"}});
  const json::value done = lead.ok("inbox.list", {{"thread", sent.at("thread")}}).at("messages").at(0);
  EXPECT_EQ("done", text(done.at("state")));
  EXPECT_EQ("all green", text(done.at("result")));
}

TEST_F(Inbox, NothingToClaimIsNoError) {
  Peer worker = peer("worker");
  EXPECT_TRUE(claim(worker).is_null());
  send(worker, {{"to", "somebody else"}});
  EXPECT_TRUE(claim(worker).is_null());
  EXPECT_FALSE(claim(worker, {{"to", "somebody else"}}).is_null());
}

TEST_F(Inbox, SaysWhatIsWrong) {
  Peer peer = this->peer("a");
  EXPECT_EQ("INVALID_PARAM", peer.code("inbox.send", {{"subject", "no body"}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("inbox.send", {{"body", std::string((64 << 10) + 1, 'x')}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("inbox.send", {{"body", "x"}, {"thread", "nowhere"}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("inbox.send", {{"body", "x"}, {"evidence", json::array{"nothing"}}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("inbox.send", {{"body", "x"}, {"subject", std::string(1001, 'x')}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("inbox.list", {{"state", "lost"}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("inbox.list", {{"after", "yesterday"}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("inbox.claim", {{"id", "nothing"}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("inbox.done", {{"id", "nothing"}}));
  EXPECT_TRUE(peer.ok("inbox.list").at("messages").as_array().empty());
}

TEST_F(Inbox, DoneIsForItsClaimer) {
  Peer a = peer("a");
  Peer b = peer("b");
  const std::string id = send(a);
  claim(a, {{"id", id}});
  EXPECT_TRUE(claim(b, {{"id", id}}).is_null());
  EXPECT_THAT(message_of(b, "inbox.done", {{"id", id}}), HasSubstr("is claimed by a"));
  a.ok("inbox.done", {{"id", id}});
  EXPECT_THAT(message_of(a, "inbox.done", {{"id", id}}), HasSubstr("is done already"));
  const std::string open = send(a);
  b.ok("inbox.done", {{"id", open}});
}

TEST_F(Inbox, OfManyThatClaimAtOnceOneWins) {
  Peer lead = peer("lead");
  const std::string id = send(lead);
  std::vector<Peer> workers;
  std::vector<uint64_t> asked;
  for (int i = 0; i < 8; i++) workers.push_back(peer("worker " + std::to_string(i)));
  for (Peer& each : workers) asked.push_back(each.client().send("inbox.claim", {{"id", id}}));
  for (Peer& each : workers) ASSERT_TRUE(each.client().flush());
  int won = 0;
  for (size_t i = 0; i < workers.size(); i++) {
    const auto answer = workers[i].answer(asked[i]);
    ASSERT_TRUE(answer && answer->result);
    if (!answer->result->at("message").is_null()) won++;
  }
  EXPECT_EQ(1, won);
}

TEST_F(Inbox, LongListsComeInPages) {
  Peer peer = this->peer();
  // Escaped, each of these is a third of a megabyte.
  for (int i = 0; i < 7; i++) send(peer, {{"body", std::string(60'000, '\x01')}});
  size_t seen = 0;
  json::object params;
  for (;;) {
    const json::value page = peer.ok("inbox.list", params);
    seen += page.at("messages").as_array().size();
    if (page.at("next").is_null()) break;
    params["after"] = page.at("next");
  }
  EXPECT_EQ(7U, seen);
  EXPECT_EQ(2U, peer.ok("inbox.list", {{"limit", 2}}).at("messages").as_array().size());
}

TEST_F(Inbox, EverythingIsInTheAuditAndOnTheStream) {
  Peer lead = peer("lead");
  Peer worker = peer("worker");
  lead.ok("events.subscribe");
  const std::string id = send(lead, {{"subject", "tests"}});
  claim(worker);
  claim(worker);
  worker.ok("inbox.done", {{"id", id}});
  for (const char* kind : {"inbox.sent", "inbox.claimed", "inbox.done"}) {
    const auto event =
        lead.heard("event", [&](const json::object& each) { return text(each.at("kind")) == kind; });
    ASSERT_TRUE(event) << kind;
    EXPECT_EQ(id, text(event->at("message"))) << kind;
    EXPECT_EQ("tests", text(event->at("subject"))) << kind;
    EXPECT_EQ("lead", text(event->at("from"))) << kind;
  }
  for (const char* action : {"inbox_send", "inbox_claim", "inbox_done"}) {
    const json::value rows = lead.ok("audit.show", {{"action", action}});
    ASSERT_EQ(1U, rows.as_array().size()) << action << ": a claim of nothing leaves no row";
    EXPECT_EQ(id, text(rows.at(0).at("summary"))) << action;
  }
}

TEST_F(Inbox, OutlivesTheDaemon) {
  {
    Peer lead = peer("lead");
    send(lead, {{"subject", "kept"}});
    lead.ok("daemon.shutdown");
    ASSERT_TRUE(lead.closed());
  }
  ASSERT_TRUE(support::wait_until([&] { return home_.running("tend-daemon").empty(); }));
  ASSERT_EQ("ok", home_.start());
  Peer worker = peer("worker");
  EXPECT_EQ("kept", text(claim(worker).at("subject")));
}

}  // namespace
}  // namespace host_test
