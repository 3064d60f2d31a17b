// SPDX-License-Identifier: Apache-2.0
// Each rule of the server, and somebody who means harm.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "web/routes.h"
#include "web_fixture.h"

namespace web_test {
namespace {

using namespace std::string_view_literals;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(WebTest, TheLinkGivesACookieAndDropsTheToken) {
  const Answer answer = curl({}, "/?token=" + token_);
  EXPECT_EQ(answer.status, 303);
  EXPECT_EQ(answer.header("Location"), "/");
  const std::string set = answer.header("Set-Cookie");
  EXPECT_THAT(set, HasSubstr("HttpOnly"));
  EXPECT_THAT(set, HasSubstr("SameSite=Strict"));
  EXPECT_THAT(set, Not(HasSubstr(token_)));
  const Answer me = curl({"-b", set.substr(0, set.find(';'))}, "/api/me");
  EXPECT_EQ(me.status, 200);
  EXPECT_EQ(me.value().at("access").as_string(), "full");
}

TEST_F(WebTest, OnlyDigestsAreOnTheDisk) {
  const std::string kept = support::read_file(home_.file("state/web.json"));
  EXPECT_THAT(kept, HasSubstr(token_id_));
  EXPECT_THAT(kept, Not(HasSubstr(token_)));
  EXPECT_THAT(support::read_file(home_.file("state/daemon.log")), Not(HasSubstr(token_)));
}

TEST_F(WebTest, NothingWithoutAToken) {
  for (const web::Route& each : web::routes()) {
    std::string path(each.path);
    for (size_t at = 0; (at = path.find('{')) != std::string::npos;)
      path.replace(at, path.find('}') - at + 1, "0");
    const Answer answer = curl({"-X", std::string(web::verb_name(each.verb))}, path);
    EXPECT_EQ(answer.status, 401) << path;
    EXPECT_EQ(answer.code(), "UNAUTHORIZED") << path;
  }
  for (const char* path : {"/ws?session=a", "/metrics", "/api/events", "/api/openapi.json", "/api/me"})
    EXPECT_EQ(curl({}, path).status, 401) << path;
  EXPECT_EQ(curl({"-X", "POST"}, "/api/logout").status, 401);
  EXPECT_EQ(curl({}, "/healthz").status, 200);
}

TEST_F(WebTest, AWrongTokenIsCountedAndAudited) {
  for (int i = 0; i < 10; i++) EXPECT_EQ(curl({"-H", "Authorization: Bearer wrong"}, "/api/me").status, 401);
  const Answer more = curl({"-H", "Authorization: Bearer wrong"}, "/api/me");
  EXPECT_EQ(more.status, 429);
  EXPECT_NE(more.header("Retry-After"), "");
  EXPECT_EQ(curl({}, "/?token=" + token_).status, 429);
  EXPECT_EQ(curl({"-b", "tend_" + std::to_string(port_) + "=wrong"}, "/api/me").status, 429);
  // Whoever has come in already is not kept out by it.
  EXPECT_EQ(get("/api/me").status, 200);
  host_test::Peer peer = this->peer();
  const json::value rows = peer.ok("audit.show", {{"action", "login"}});
  EXPECT_EQ(rows.as_array().size(), 10U);
  EXPECT_EQ(rows.at_pointer("/0/result").as_string(), "PTY_ACCESS_DENIED");
}

TEST_F(WebTest, ATokenThatIsAlmostRightIsWrong) {
  std::string other = token_;
  other.back() = other.back() == 'A' ? 'E' : 'A';
  EXPECT_EQ(curl({"-H", "Authorization: Bearer " + other}, "/api/me").status, 401);
  EXPECT_EQ(curl({"-H", "Authorization: Bearer " + token_ + "A"}, "/api/me").status, 401);
  EXPECT_EQ(curl({"-H", "Authorization: Bearer "}, "/api/me").status, 401);
  EXPECT_EQ(curl({"-H", "Authorization: Basic " + token_}, "/api/me").status, 401);
}

TEST_F(WebTest, ATokenInAUrlOpensThePageAndNothingElse) {
  EXPECT_EQ(curl({}, "/api/me?token=" + token_).status, 401);
  EXPECT_EQ(curl({}, "/ws?session=a&token=" + token_).status, 401);
  EXPECT_EQ(curl({"-H", "Sec-Fetch-Dest: image"}, "/?token=" + token_).status, 403);
  EXPECT_EQ(curl({"-H", "Sec-Fetch-Dest: iframe"}, "/?token=" + token_).status, 403);
  EXPECT_EQ(curl({"-H", "Origin: http://evil.example"}, "/?token=" + token_).status, 403);
}

TEST_F(WebTest, RequestsOfOtherSitesAreNotAnswered) {
  const std::string cookie = this->cookie();
  for (const std::string origin :
       {"http://evil.example", "null", "http://127.0.0.1:1", "http://localhost:3000"}) {
    const Answer answer = curl({"-H", "Origin: " + origin, "-b", cookie}, "/api/sessions");
    EXPECT_EQ(answer.status, 403) << origin;
    EXPECT_EQ(curl({"-H", "Origin: " + origin, "-H", bearer()}, "/api/sessions").status, 403) << origin;
  }
  EXPECT_EQ(curl({"-H", "Sec-Fetch-Site: cross-site", "-b", cookie}, "/api/sessions").status, 403);
  // A form of another site's has no Origin in old browsers; a cookie alone does nothing.
  EXPECT_EQ(curl({"-X", "POST", "-b", cookie}, "/api/logout").status, 403);
  EXPECT_EQ(curl({"-H", "Origin: " + origin(), "-b", cookie}, "/api/sessions").status, 200);
  // No answer invites another site.
  EXPECT_EQ(get("/api/me").header("Access-Control-Allow-Origin"), "");
}

TEST_F(WebTest, WebSocketsOfOtherSitesFail) {
  host_test::Peer peer = this->peer();
  run(peer, "cat", {{"name", "a"}});
  const json::object with_cookie{{"Cookie", cookie()}};
  EXPECT_EQ(client("session=a", {}, {{"origin", "http://evil.example"}}).at("http"), 403);
  EXPECT_EQ(client("session=a", {}, {{"origin", "http://evil.example"}, {"headers", with_cookie}}).at("http"),
            403);
  EXPECT_EQ(client("session=a", {}, {{"headers", with_cookie}}).at("http"), 403);
  const json::object good = client("session=a", {json::object{{"hears", "hello"}}},
                                   {{"origin", origin()}, {"headers", with_cookie}});
  EXPECT_TRUE(good.at("http").is_null());
  EXPECT_EQ(messages(good, "hello").size(), 1U);
}

TEST_F(WebTest, NamesThatLeadHereByATrickAreNotAnswered) {
  for (const char* host : {"evil.example", "evil.example:8888", "127.0.0.1.evil.example",
                           "localhost.evil.example", "10.0.0.1", ""})
    EXPECT_THAT(curl({"-H", std::string("Host: ") + host, "-H", bearer()}, "/api/me").status, AnyOf(421, 400))
        << host;
  EXPECT_EQ(curl({"-H", "Host: evil.example"}, "/?token=" + token_).status, 421);
  EXPECT_EQ(curl({"-H", "Host: evil.example"}, "/").status, 421);
  for (const char* host : {"localhost:9999", "127.0.0.1", "[::1]:80"})
    EXPECT_EQ(curl({"-H", std::string("Host: ") + host, "-H", bearer()}, "/api/me").status, 200) << host;
}

TEST_F(WebTest, PathsLeadNowhereElse) {
  for (const char* path : {"/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
                           "/index.html/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/api/../etc/passwd",
                           "/\\..\\etc", "/index.html%00.css", "/style.css/", "/api/sessions/..%2f..",
                           "/api/sessions/%00", "/api/sessions/%zz", "/api//sessions"}) {
    const Answer answer = curl({"-H", bearer()}, path);
    EXPECT_THAT(answer.status, AnyOf(400, 404)) << path;
    EXPECT_THAT(answer.body, Not(HasSubstr("root:"))) << path;
  }
  EXPECT_EQ(curl({"-H", bearer(), "--request-target", "http://evil.example/api/me"}, "/").status, 400);
  EXPECT_EQ(curl({"-H", bearer(), "--request-target", "*"}, "/").status, 400);
  EXPECT_EQ(curl({"-X", "TRACE"}, "/").status, 405);
  EXPECT_EQ(curl({"-X", "PUT", "-H", bearer()}, "/api/sessions").status, 405);
}

// A body behind it would be taken for the beginning of the next answer.
TEST_F(WebTest, AHeadIsAnsweredWithAHeadAloneAlsoWhereItIsRefused) {
  constexpr int kMost = std::chrono::milliseconds(support::kDeadline).count();
  for (const char* fields :
       {"Host: localhost\r\n", "Host: localhost\r\nHost: evil.example\r\n", "Host: evil.example\r\n"}) {
    const base::Fd socket = connected();
    ASSERT_TRUE(
        base::write_all(socket.get(), fmt::format("HEAD / HTTP/1.1\r\n{}Connection: close\r\n\r\n", fields)));
    std::string answer;
    std::array<char, 4096> said;
    pollfd wait{socket.get(), POLLIN, 0};
    while (::poll(&wait, 1, kMost) > 0) {
      const ssize_t count = ::recv(socket.get(), said.data(), said.size(), 0);
      if (count <= 0) break;
      answer.append(said.data(), static_cast<size_t>(count));
    }
    EXPECT_THAT(answer, HasSubstr("Content-Length: "));
    EXPECT_EQ(answer.find("\r\n\r\n"), answer.size() - 4) << answer;
  }
}

TEST_F(WebTest, EveryAnswerIsStrict) {
  for (const char* path : {"/", "/api/me", "/nothing", "/healthz"}) {
    const Answer answer = get(path);
    EXPECT_THAT(answer.header("Content-Security-Policy"), HasSubstr("default-src 'none'; script-src 'self';"))
        << path;
    EXPECT_THAT(answer.header("Content-Security-Policy"), HasSubstr("frame-ancestors 'none'")) << path;
    EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff") << path;
    EXPECT_EQ(answer.header("Referrer-Policy"), "no-referrer") << path;
  }
  EXPECT_EQ(get("/api/me").header("Cache-Control"), "no-store");
}

TEST_F(WebTest, TooMuchIsRefused) {
  EXPECT_EQ(curl({"-H", "X-Long: " + std::string(20'000, 'x')}, "/healthz").status, 431);
  support::write_file(home_.file("large"), std::string(1'200'000, 'x'));
  EXPECT_EQ(curl({"-H", bearer(), "-H", "Content-Type: application/json", "-H", "Expect:", "--data-binary",
                  "@" + home_.file("large")},
                 "/api/sessions")
                .status,
            413);
  host_test::Peer peer = this->peer();
  run(peer, "cat", {{"name", "a"}});
  const json::object seen = client(
      "session=a",
      {json::object{{"hears", "hello"}}, json::object{{"bytes", 70'000}}, json::object{{"closed", true}}});
  EXPECT_EQ(seen.at("closed").at("code").as_int64(), 1009);
}

TEST_F(WebTest, AThousandThatSayNothingKeepNobodyOut) {
  const size_t before = descriptors(daemon_pid(*std::make_unique<host_test::Peer>(peer())));
  std::vector<base::Fd> silent;
  for (int i = 0; i < 1000; i++) {
    silent.push_back(connected());
    if (i % 100 == 50) {
      EXPECT_EQ(get("/api/me").status, 200) << i;
    }
  }
  EXPECT_EQ(get("/api/me").status, 200);
  host_test::Peer peer = this->peer();
  EXPECT_LE(descriptors(daemon_pid(peer)), before + 40);
  silent.clear();
  EXPECT_EQ(get("/api/me").status, 200);
}

// A byte a second, for ever: neither a head nor a body may come like that.
TEST_F(WebTest, WhoeverSpeaksTooSlowlyIsCutOff) {
  const base::Fd head = connected();
  const base::Fd body = connected();
  ASSERT_TRUE(
      base::write_all(head.get(), std::string_view("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ")));
  ASSERT_TRUE(
      base::write_all(body.get(),
                      "POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                      "Content-Length: 1000\r\n\r\n{"sv));
  const auto begun = std::chrono::steady_clock::now();
  std::string answers;
  const auto closed_after = [&](const base::Fd& socket) -> std::optional<double> {
    pollfd wait{socket.get(), POLLIN, 0};
    std::array<char, 4096> said;
    while (::poll(&wait, 1, 0) > 0) {
      const ssize_t count = ::recv(socket.get(), said.data(), said.size(), 0);
      if (count <= 0) break;
      answers.append(said.data(), static_cast<size_t>(count));
      return {};
    }
    if (wait.revents == 0) return {};
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  };
  std::optional<double> head_closed;
  std::optional<double> body_closed;
  const auto poke = [&](const base::Fd& socket, std::optional<double>& closed) {
    if (!closed) closed = closed_after(socket);
    if (!closed) (void)::send(socket.get(), " ", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  };
  while ((!head_closed || !body_closed) && std::chrono::steady_clock::now() < begun + support::kDeadline) {
    poke(head, head_closed);
    poke(body, body_closed);
    ::poll(nullptr, 0, 500);
  }
  ASSERT_TRUE(head_closed);
  ASSERT_TRUE(body_closed);
  EXPECT_GE(*head_closed, 9) << answers;
  EXPECT_LE(*head_closed, 20);
  EXPECT_GE(*body_closed, 29);
  EXPECT_EQ(get("/api/me").status, 200);
}

TEST_F(WebTest, ARevokedTokenTakesItsCookiesAndTerminalsWithIt) {
  host_test::Peer peer = this->peer();
  run(peer, "cat", {{"name", "a"}});
  const std::string cookie = this->cookie();
  EXPECT_EQ(curl({"-b", cookie}, "/api/me").status, 200);
  const json::object other = serve();
  // Revoked while it is attached.
  EXPECT_EQ(closed_by("serve --revoke " + token_id_, "session=a", {}).at("code").as_int64(), 1008);
  EXPECT_EQ(curl({"-b", cookie}, "/api/me").status, 401);
  EXPECT_EQ(get("/api/me").status, 401);
  token_ = other.at("token").as_string();
  EXPECT_EQ(get("/api/me").status, 200);
}

TEST_F(WebTest, ACookieThatLoggedOutIsNothing) {
  const std::string cookie = this->cookie();
  EXPECT_EQ(curl({"-X", "POST", "-b", cookie, "-H", "Origin: " + origin()}, "/api/logout").status, 200);
  EXPECT_EQ(curl({"-b", cookie}, "/api/me").status, 401);
}

TEST_F(WebTest, AReadOnlyTokenLooksAndDoesNothing) {
  host_test::Peer peer = this->peer();
  const std::string id = run(peer, "echo ready; cat", {{"name", "a"}});
  ASSERT_TRUE(prints(peer, id, "ready"));
  token_ = serve({"--read-only"}).at("token").as_string();
  EXPECT_EQ(get("/api/me").value().at("access").as_string(), "read-only");
  EXPECT_EQ(get("/api/sessions/a").status, 200);
  EXPECT_EQ(get("/api/sessions/a/ptys/0/screen").status, 200);
  for (const web::Route& each : web::routes()) {
    if (each.access != web::Access::full) continue;
    std::string path(each.path);
    for (size_t at = 0; (at = path.find('{')) != std::string::npos;)
      path.replace(at, path.find('}') - at + 1, path.substr(at, 5) == "{pty}" ? "0" : "a");
    EXPECT_EQ(curl({"-X", std::string(web::verb_name(each.verb)), "-H", bearer()}, path).status, 403) << path;
  }
  const json::object seen =
      client("session=a&role=writer",
             {json::object{{"hears", "hello"}}, json::object{{"keys", "typed\r"}},
              json::object{{"say", json::object{{"type", "paste"}, {"text", "pasted\n"}}}},
              json::object{{"say", json::object{{"type", "resize"}, {"cols", 33}, {"rows", 11}}}},
              json::object{{"say", json::object{{"type", "resync"}}}}, json::object{{"wait", 1000}}});
  EXPECT_EQ(messages(seen, "hello").at(0).at("role").as_string(), "observer");
  EXPECT_THAT(output(peer, id), Not(AnyOf(HasSubstr("typed"), HasSubstr("pasted"))));
  EXPECT_NE(session(peer, id).at("ptys").at(0).at("cols").as_int64(), 33);
}

}  // namespace
}  // namespace web_test
