// SPDX-License-Identifier: Apache-2.0
// The networks of a sandbox: the host's, none, and the proxy's.
#include "local_server.h"
#include "sandbox_home.h"

namespace sandbox {
namespace {

using testing::HasSubstr;

class Networks : public Cage {};
FOR_EVERYONE(Networks);

TEST_P(Networks, NoneIsALoopbackThatIsUp) {
  const Said said = inside(
      "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d \" \"; cat /sys/class/net/lo/operstate > /dev/null; "
      "/usr/bin/python3 -c \"import socket as s; l = s.create_server((\\\"127.0.0.1\\\", 0)); "
      "c = s.create_connection(l.getsockname()); print(\\\"connected\\\")\"",
      "--set sandbox.network=none");
  EXPECT_EQ("lo\r\nconnected\r\n", said.out) << said.err;
}

TEST_P(Networks, HostIsTheHosts) {
  const LocalServer server;
  const Said said =
      inside("curl -s http://127.0.0.1:" + server.port() + "/path", "--set sandbox.network=host");
  EXPECT_THAT(said.out, HasSubstr("GET /path HTTP/1.1"));
}

TEST_P(Networks, ProxyLetsAnAllowedNameThrough) {
  const LocalServer server;
  const std::string settings =
      "--set sandbox.network=proxy --set 'sandbox.allow_domains=[\"localhost:" + server.port() +
      "\", \"*.example.org\"]'";
  const std::string url = "localhost:" + server.port();
  EXPECT_THAT(inside("curl -s http://" + url + "/path", settings).out, HasSubstr("GET /path HTTP/1.1"));
  // Through a tunnel, as for https.
  EXPECT_THAT(inside("curl -s --proxytunnel http://" + url + "/path", settings).out, HasSubstr("GET /path"));
  EXPECT_EQ("lo\r\n", inside("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d \" \"", settings).out);
  // Another name, another port, the address itself.
  for (const std::string& refused : {std::string("other.example.com/"), "127.0.0.1:" + server.port() + "/",
                                     "[::1]:" + server.port() + "/", "2130706433:" + server.port() + "/",
                                     std::string("localhost:1/"), "x.localhost:" + server.port() + "/"}) {
    const Said said = inside(
        "curl -s -o /dev/null -w \"%{http_code}\" --proxytunnel http://" + refused + "; true", settings);
    EXPECT_THAT(said.out, testing::AnyOf(HasSubstr("000"), HasSubstr("400"), HasSubstr("403"))) << refused;
    const Said plain = inside("curl -s -g http://" + refused, settings);
    EXPECT_THAT(plain.out, testing::Not(HasSubstr("GET /"))) << refused;
  }
  // Without the proxy there is no way at all.
  EXPECT_NE(0, inside("curl -s --noproxy \"*\" http://" + url, settings).code);
  EXPECT_EQ(2, server.requests()) << "two requests were let through, and no other came";
}

TEST_P(Networks, TheProxyOutlivesTheDaemon) {
  const LocalServer server;
  start("box", "echo up; read line; curl -s http://localhost:" + server.port() + "/later; exec sleep 600",
        "--set sandbox.network=proxy --set 'sandbox.allow_domains=[\"localhost:" + server.port() + "\"]'");
  ASSERT_TRUE(shows("box", "up"));
  const auto daemon = json_of("status")["daemon"]["pid"].integer();
  ASSERT_EQ(0, ::kill(daemon, SIGKILL));
  ASSERT_TRUE(support::wait_until([&] { return ::kill(daemon, 0) != 0; }));
  EXPECT_EQ(0, says("\"$TEND\" send box go --enter").code);
  EXPECT_TRUE(shows("box", "GET /later"));
}

}  // namespace
}  // namespace sandbox
