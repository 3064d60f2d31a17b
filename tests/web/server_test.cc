// SPDX-License-Identifier: Apache-2.0
// What the server offers, to clients that are not tend's; its life; TLS.
#include <csignal>
#include <gmock/gmock.h>

#include "support/temp_dir.h"
#include "web/routes.h"
#include "web_fixture.h"

namespace web_test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(WebTest, ThePageIsCompressedAndTagged) {
  const Answer plain = curl({}, "/");
  EXPECT_EQ(plain.status, 200);
  EXPECT_THAT(plain.body, HasSubstr("<!doctype html>"));
  EXPECT_EQ(plain.header("Content-Encoding"), "");
  const Answer packed = curl({"--compressed"}, "/");
  EXPECT_EQ(packed.header("Content-Encoding"), "gzip");
  EXPECT_EQ(packed.body, plain.body);
  EXPECT_EQ(packed.header("Content-Type"), "text/html; charset=utf-8");
  const Answer again = curl({"-H", "If-None-Match: " + plain.header("ETag")}, "/");
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(curl({"-I"}, "/").body, "");
}

TEST_F(WebTest, TheRoutesAreTheProtocol) {
  const Answer made = post("/api/sessions", {{"name", "a"}, {"command", json::array{"cat"}}});
  EXPECT_EQ(made.status, 200) << made.body;
  EXPECT_EQ(get("/api/sessions").value().at("sessions").as_array().size(), 1U);
  EXPECT_EQ(get("/api/sessions/a").value().at("name").as_string(), "a");
  EXPECT_EQ(get("/api/sessions/nothing").code(), "PTY_SESSION_NOT_FOUND");
  EXPECT_EQ(get("/api/sessions?limit=x").status, 400);
  EXPECT_EQ(get("/api/sessions?what=1").status, 400);
  const Answer shell = post("/api/sessions/a/ptys", {{"command", json::array{"cat"}}});
  EXPECT_EQ(shell.value().at("id").as_int64(), 1) << shell.body;
  EXPECT_EQ(post("/api/sessions/a/ptys/1/write", {{"data", "hello\n"}}).status, 200);
  EXPECT_EQ(get("/api/sessions/a/ptys/1/wait?until=text&pattern=hello&timeout_ms=20000")
                .value()
                .at("reason")
                .as_string(),
            "text");
  EXPECT_THAT(std::string(get("/api/sessions/a/ptys/1/screen?format=text").value().at("data").as_string()),
              HasSubstr("hello"));
  EXPECT_EQ(get("/api/sessions/a/ptys/1/wait?until=text&pattern=never&timeout_ms=50").status, 504);
  EXPECT_EQ(get("/api/sessions/a/ptys/99/screen").status, 404);
  EXPECT_EQ(post("/api/sessions/a/ptys/1/resize", {{"cols", 70}, {"rows", 20}}).value().at("cols").as_int64(),
            70);
  EXPECT_EQ(post("/api/sessions/a/ptys/1/resize", {{"cols", 70}, {"rows", 20}, {"agent_id", "me"}}).status,
            400);
  EXPECT_EQ(post("/api/sessions/a/ptys/1/resize", {{"session", "b"}, {"cols", 70}, {"rows", 20}}).status,
            400);
  EXPECT_EQ(curl({"-H", bearer(), "-d", "{}"}, "/api/sessions").status, 400);
  EXPECT_EQ(curl({"-X", "DELETE", "-H", bearer()}, "/api/sessions/a?force=true").status, 200);
  const Answer rows = get("/api/audit?action=spawn");
  EXPECT_THAT(std::string(rows.value().at(0).at("agent").as_string()), HasSubstr("web:" + token_id_));
}

TEST_F(WebTest, ThePageOfTheRoutesIsTheTable) {
  const std::string page = support::read_file(WEB_PAGE);
  for (const web::Route& each : web::routes()) {
    const std::string row = "| `" + std::string(web::verb_name(each.verb)) + " " + std::string(each.path) +
                            "` | `" + std::string(each.method) + "` | " +
                            std::string(web::access_name(each.access)) + " |";
    EXPECT_THAT(page, HasSubstr(row));
  }
  const Answer openapi = get("/api/openapi.json");
  EXPECT_EQ(openapi.value().at("openapi").as_string(), "3.1.0");
  size_t operations = 0;
  const json::value described = openapi.value();
  for (const auto& [path, verbs] : described.at("paths").as_object()) operations += verbs.as_object().size();
  EXPECT_EQ(operations, web::routes().size());
}

TEST_F(WebTest, ManyRequestsOnOneConnection) {
  const std::string said = output_of("curl -s --max-time 30 -v -H " + quoted(bearer()) + " " + origin() +
                                     "/api/me " + origin() + "/healthz " + origin() + "/nothing 2>&1");
  EXPECT_THAT(said, HasSubstr("Re-using existing connection"));
  EXPECT_EQ(host_test::count_of(said, "< HTTP/1.1 "), 3U) << said;
}

TEST_F(WebTest, EventsGoOnBehindTheLast) {
  const std::string file = home_.file("events");
  const std::string follow = "curl -s -N --max-time 30 -H " + quoted(bearer()) + " " + origin() +
                             "/api/events > " + file + " & echo $!";
  const std::string pid = output_of(follow);
  ASSERT_TRUE(support::wait_until(
      [&] { return support::read_file(file).find("event: start") != std::string::npos; }));
  host_test::Peer peer = this->peer();
  run(peer, "sleep 100", {{"name", "a"}});
  ASSERT_TRUE(
      support::wait_until([&] { return support::read_file(file).find("pty.started") != std::string::npos; }));
  output_of("kill " + pid);
  const std::string first = support::read_file(file);
  const size_t at = first.find("id: ") + 4;
  const std::string number = first.substr(at, first.find('\n', at) - at);
  run(peer, "sleep 100", {{"name", "b"}});
  const std::string rest = output_of("curl -s -N --max-time 3 -H 'Last-Event-ID: " + number + "' -H " +
                                     quoted(bearer()) + " " + origin() + "/api/events");
  EXPECT_THAT(rest, HasSubstr("\"missed\":0"));
  EXPECT_THAT(rest, HasSubstr("\"name\":\"b\""));
  EXPECT_THAT(rest, Not(HasSubstr("id: " + number + "\n")));
  EXPECT_THAT(output_of("curl -s -N --max-time 2 -H 'Last-Event-ID: 5' -H " + quoted(bearer()) + " " +
                        origin() + "/api/events"),
              HasSubstr("\"replaced\":true"));
}

TEST_F(WebTest, MetricsForPrometheus) {
  const Answer answer = get("/metrics");
  EXPECT_THAT(answer.header("Content-Type"), HasSubstr("text/plain; version=0.0.4"));
  EXPECT_THAT(answer.body, HasSubstr("\ntend_sessions 0\n"));
  EXPECT_THAT(answer.body, HasSubstr("# TYPE tend_web_answers_total counter"));
}

TEST_F(WebTest, AWaitEndsWithItsConnection) {
  host_test::Peer peer = this->peer();
  run(peer, "cat", {{"name", "a"}});
  output_of("curl -s --max-time 1 -H " + quoted(bearer()) + " " +
            quoted(origin() + "/api/sessions/a/ptys/0/wait?until=exited"));
  EXPECT_TRUE(support::wait_until([&] {
    return home_.tend({"daemon", "status", "--json"}).output.find("\"connections\":0") != std::string::npos;
  }));
}

TEST_F(WebTest, ItComesBackWithTheNextDaemon) {
  host_test::Peer peer = this->peer();
  run(peer, "echo still here; cat", {{"name", "a"}});
  const std::string cookie = this->cookie();
  const pid_t old = daemon_pid(peer);
  ::kill(old, SIGKILL);
  EXPECT_TRUE(support::wait_until([&] { return get("/api/sessions/a").status == 200; }));
  EXPECT_EQ(curl({"-b", cookie}, "/api/me").status, 200);
  const json::object seen = client("session=a", {json::object{{"shows", "still here"}}});
  EXPECT_EQ(messages(seen, "hello").size(), 1U);
  const auto status = home_.tend({"daemon", "status", "--json"});
  EXPECT_THAT(status.output, HasSubstr(":" + std::to_string(port_) + "/"));
}

TEST_F(WebTest, ItStopsAndItsLinksDie) {
  EXPECT_THAT(home_.tend({"status"}).output, HasSubstr("web: http://127.0.0.1:" + std::to_string(port_)));
  EXPECT_EQ(home_.tend({"serve", "--stop"}).output, "closed\n");
  EXPECT_EQ(get("/healthz").status, 0);
  EXPECT_EQ(home_.tend({"serve", "--stop"}).output, "it was not open\n");
  serve();
  EXPECT_EQ(get("/api/me").status, 401);
}

TEST_F(WebTest, TokensAreListedAndEndOneByOne) {
  const json::object second = serve({"--read-only"});
  EXPECT_EQ(second.at("port").as_int64(), port_);
  const auto list = json::parse(home_.tend({"serve", "--tokens", "--json"}).output);
  ASSERT_EQ(list.as_array().size(), 2U);
  EXPECT_EQ(list.at(1).at("access").as_string(), "read-only");
  EXPECT_EQ(home_.tend({"serve", "--revoke", "nothing"}).status, 2);
  EXPECT_EQ(home_.tend({"serve", "--revoke", std::string(second.at("token_id").as_string())}).status, 0);
  EXPECT_EQ(json::parse(home_.tend({"serve", "--tokens", "--json"}).output).as_array().size(), 1U);
}

class TlsTest : public WebTest {
 protected:
  void SetUp() override { host_test::DaemonTest::SetUp(); }
};

TEST_F(TlsTest, OffLoopbackItMakesACertificateOfItsOwn) {
  const json::object opened = serve({"--host", "0.0.0.0"});
  port_ = opened.at("port").as_int64();
  token_ = opened.at("token").as_string();
  EXPECT_TRUE(std::string_view(opened.at("url").as_string()).starts_with("https://"));
  const std::string shown = output_of("openssl s_client -connect 127.0.0.1:" + std::to_string(port_) +
                                      " < /dev/null 2>/dev/null | openssl x509 -noout -fingerprint -sha256");
  EXPECT_THAT(shown, HasSubstr(std::string(opened.at("fingerprint").as_string())));
  EXPECT_EQ(output_of("openssl s_client -tls1_1 -connect 127.0.0.1:" + std::to_string(port_) +
                      " < /dev/null 2>/dev/null | openssl x509 -noout 2>/dev/null && echo spoke"),
            "");
  const std::string url = "https://127.0.0.1:" + std::to_string(port_);
  EXPECT_EQ(curl({"-k", "-H", bearer()}, url + "/api/me").status, 200);
  EXPECT_THAT(curl({"-k"}, url + "/?token=" + token_).header("Set-Cookie"), HasSubstr("; Secure"));
  EXPECT_EQ(curl({"-H", bearer()}, "/api/me").status, 0);
  host_test::Peer peer = this->peer();
  run(peer, "echo over tls; cat", {{"name", "a"}});
  const json::object seen =
      client("",
             {json::object{{"shows", "over tls"}}, json::object{{"keys", "hello\r"}},
              json::object{{"shows", "hello"}}},
             {{"url", "wss://127.0.0.1:" + std::to_string(port_) + "/ws?session=a"}, {"insecure", true}});
  EXPECT_EQ(messages(seen, "hello").size(), 1U);
  // The same certificate again.
  EXPECT_EQ(serve({"--host", "0.0.0.0"}).at("fingerprint"), opened.at("fingerprint"));
}

TEST_F(TlsTest, WithoutTlsOnlyWhereThatIsSaid) {
  const json::object opened = serve({"--host", "0.0.0.0", "--insecure"});
  EXPECT_TRUE(std::string_view(opened.at("url").as_string()).starts_with("http://"));
  EXPECT_TRUE(opened.at("fingerprint").is_null());
}

TEST_F(TlsTest, WithACertificateOfTheUsers) {
  const std::string certificate = home_.file("cert.pem");
  const std::string key = home_.file("key.pem");
  output_of(
      "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext "
      "subjectAltName=DNS:localhost -keyout " +
      key + " -out " + certificate + " 2>/dev/null");
  const json::object opened = serve({"--tls-cert", certificate, "--tls-key", key});
  port_ = opened.at("port").as_int64();
  token_ = opened.at("token").as_string();
  EXPECT_EQ(curl({"--cacert", certificate, "-H", bearer()},
                 "https://localhost:" + std::to_string(port_) + "/api/me")
                .status,
            200);
  EXPECT_NE(home_.tend({"serve", "--stop"}).output, "");
  port_ = 0;
  const auto wrong = home_.tend({"serve", "--port", "0", "--tls-cert", key, "--tls-key", key});
  EXPECT_EQ(wrong.status, 2) << wrong.output;
  EXPECT_THAT(wrong.output, HasSubstr("cannot be used"));
}

TEST_F(TlsTest, APortThatIsTakenIsSaid) {
  const json::object opened = serve();
  const std::string port = std::to_string(opened.at("port").as_int64());
  const auto again = home_.tend({"serve", "--host", "127.0.0.2", "--port", port});
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.output, HasSubstr("it is open at"));
}

}  // namespace
}  // namespace web_test
