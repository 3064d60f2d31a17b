// SPDX-License-Identifier: Apache-2.0
#include "person.h"

#include <cstdlib>
#include <fmt/format.h>

#include "base/folders.h"
#include "wire/params.h"
#include "wire/reach.h"

namespace e2e {
namespace {

namespace json = wire::json;

base::Result<wire::Client> reach(const std::string& home) {
  auto folders = base::find_folders(
      [&](const char* name) { return std::string_view(name) == "TEND_HOME" ? home.c_str() : nullptr; });
  if (!folders) return base::fail(folders);
  // A daemon is started, if need be, by the keepers or by `tend` itself: here nobody may help.
  base::Result<wire::Client> client = base::fail(base::Code::internal, 0, "");
  support::wait_until([&] {
    client = wire::reach_running(*folders, {.agent = "test", .channel = "test"});
    return client.has_value();
  });
  return client;
}

}  // namespace

support::Start EndToEnd::tend(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), TEND);
  return {.argv = std::move(arguments),
          .env = {{"TEND_HOME", dir_.file("home")},
                  {"TERM", "xterm-256color"},
                  {"PS1", "$ "},
                  {"LC_ALL", "C.UTF-8"},
                  {"HISTFILE", "/dev/null"},
                  {"TEND_SESSION", ""},
                  {"TEND_PTY", ""}}};
}

void EndToEnd::TearDown() { output_of({"daemon", "stop", "--kill"}); }

std::string EndToEnd::output_of(std::vector<std::string> arguments) {
  support::Terminal terminal(tend(std::move(arguments)));
  EXPECT_TRUE(terminal.wait_exit());
  return terminal.output();
}

json::value EndToEnd::ask(std::string_view method, const json::object& params) {
  base::Result<json::value> answer = base::fail(base::Code::internal, 0, "no daemon");
  // One that is killed meanwhile is asked again when it has been replaced.
  support::wait_until([&] {
    auto client = reach(dir_.file("home"));
    if (!client) return true;
    answer = client->call(method, params);
    return answer || answer.error().code != base::Code::internal;
  });
  EXPECT_TRUE(answer) << method << ": " << answer.error().message();
  return answer ? *answer : json::value(nullptr);
}

bool EndToEnd::shows_the_same(Person& person, const std::string& session) {
  return support::wait_until([&] {
    const json::value answer = ask("pty.screen", {{"session", session}, {"format", "ansi"}});
    if (!answer.is_object()) return false;
    const json::object& shown = answer.get_object();
    vt::Screen theirs({static_cast<int>(wire::integer(shown, "cols").value_or(1)),
                       static_cast<int>(wire::integer(shown, "rows").value_or(1))});
    theirs.feed(wire::text(shown, "data").value_or(""));
    return person.screen().same_but_scrollback(theirs);
  });
}

pid_t EndToEnd::daemon_pid() {
  return static_cast<pid_t>(wire::integer(ask("daemon.status").as_object(), "pid").value_or(0));
}

bool EndToEnd::has_printed(const std::string& session, const std::string& text) {
  return support::wait_until([&] {
    const json::value answer = ask("pty.read", {{"session", session}});
    return answer.is_object() &&
           wire::text(answer.get_object(), "data").value_or("").find(text) != std::string::npos;
  });
}

}  // namespace e2e
