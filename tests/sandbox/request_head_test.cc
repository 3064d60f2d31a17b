// SPDX-License-Identifier: Apache-2.0
#include "sandbox/request_head.h"

#include <gtest/gtest.h>

#include "base/domain_rule.h"

namespace sandbox {
namespace {

RequestHead good(const std::string& text) {
  auto head = parse_head(text);
  EXPECT_TRUE(head) << text << (head ? "" : head.error().what);
  return head.value_or(RequestHead{});
}
bool refused(const std::string& text) { return !parse_head(text); }

TEST(RequestHead, TakesATunnel) {
  const RequestHead head = good("CONNECT Example.ORG:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n");
  EXPECT_TRUE(head.tunnel);
  EXPECT_EQ("example.org", head.host);
  EXPECT_EQ(443, head.port);
  EXPECT_EQ("", head.forward);
}

TEST(RequestHead, ForwardsAPlainRequestOnce) {
  const RequestHead head = good(
      "POST http://example.org/a?b=c HTTP/1.1\r\nHost: example.org\r\nProxy-Connection: keep-alive\r\n"
      "Connection: keep-alive\r\nProxy-Authorization: Basic x\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(80, head.port);
  EXPECT_EQ("POST /a?b=c HTTP/1.1\r\nHost: example.org\r\nContent-Length: 3\r\nConnection: close\r\n\r\n",
            head.forward);
  EXPECT_EQ(8080, good("GET http://example.org:8080 HTTP/1.0\r\n\r\n").port);
}

TEST(RequestHead, RefusesWhatCanBeReadInTwoWays) {
  for (const char* target : {"127.0.0.1:443",
                             "[::1]:443",
                             "2130706433:443",
                             "0x7f.1:443",
                             "127.1:443",
                             "a:443:80",
                             "a",
                             "a:0",
                             "a:99999",
                             "a@b:443",
                             "a#b:443",
                             "a/b:443",
                             "a%2eb:443",
                             "a..b:443",
                             "-a:443",
                             ".a:443",
                             ":443",
                             "a b:443",
                             "a\tb:443",
                             "a\x01:443",
                             "\xc3\xa4:443",
                             "example.org.:443.",
                             "localhost.1:443"})
    EXPECT_TRUE(refused("CONNECT " + std::string(target) + " HTTP/1.1\r\n\r\n")) << target;
  for (const char* target :
       {"/", "http:///", "https://a/", "ftp://a/", "http://a@b/", "http://a:b@c/", "http://127.0.0.1/",
        "http://[::1]/", "http://a\\b/", "http://a/#b", "http://a?b", "HTTP://a/"})
    EXPECT_TRUE(refused("GET " + std::string(target) + " HTTP/1.1\r\n\r\n")) << target;
  for (const char* head :
       {"GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n", "GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nX : y\r\n\r\n", "GET http://a/ HTTP/1.1\r\nX: y\r\n z\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nX: y\nHost: b\r\n\r\n", "GET http://a/ HTTP/2\r\n\r\n", "\r\n\r\n", "",
        "GET\r\n\r\n", "GET  http://a/ HTTP/1.1\r\n\r\n"})
    EXPECT_TRUE(refused(head)) << head;
}

TEST(DomainRule, FitsNamesAndNothingElse) {
  const auto exact = base::DomainRule::parse("Example.org");
  ASSERT_TRUE(exact);
  EXPECT_TRUE(exact->allows("example.org", 80));
  EXPECT_TRUE(exact->allows("example.org", 443));
  EXPECT_FALSE(exact->allows("example.org", 22));
  EXPECT_FALSE(exact->allows("a.example.org", 443));
  EXPECT_FALSE(exact->allows("badexample.org", 443));
  const auto below = base::DomainRule::parse("*.example.org:8443");
  ASSERT_TRUE(below);
  EXPECT_TRUE(below->allows("a.b.example.org", 8443));
  EXPECT_FALSE(below->allows("example.org", 8443));
  EXPECT_FALSE(below->allows("badexample.org", 8443));
  EXPECT_FALSE(below->allows("a.example.org", 443));
  EXPECT_EQ("example.org", base::domain_name("EXAMPLE.org."));
  for (const char* text :
       {"", "*", "*.", "1.2.3.4", "::1", "[::1]", "a:b", "a:0", "http://a", "a/b", "*.*.a", "a b", "10"})
    EXPECT_FALSE(base::DomainRule::parse(text)) << text;
}

}  // namespace
}  // namespace sandbox
