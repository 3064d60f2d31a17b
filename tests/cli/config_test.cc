// SPDX-License-Identifier: Apache-2.0
// tend config, and what the configuration does to other commands, on the real program.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include "base/strings.h"
#include "tend_home.h"

namespace cli {
namespace {

using support::read_file;
using support::Terminal;
using support::write_file;
using testing::HasSubstr;
using testing::Not;

class Config : public TendTest {
 protected:
  // `tend ARGUMENTS` as a script would run it, in a folder of its own.
  Said tend_says(const std::string& arguments, const std::map<std::string, std::string>& env = {}) const {
    support::Start start = shell("exec \"$TEND\" " + arguments + " > ../out 2> ../err");
    start.cwd = project_.file("in");
    start.env.insert(env.begin(), env.end());
    Terminal terminal(start);
    const int status = terminal.wait_exit().value_or(-1);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(project_.file("out")),
            read_file(project_.file("err"))};
  }
  void SetUp() override {
    std::filesystem::create_directory(project_.file("in"));
    std::filesystem::create_directories(home_.file("config"));
  }
  void write_project(const std::string& yaml) const { write_file(project_.file("in/tend.yml"), yaml); }
  void write_user(const std::string& yaml) const { write_file(home_.file("config/config.yml"), yaml); }

  support::TempDir project_;
};

TEST_F(Config, ShowIsWhatItAlwaysWas) {
  const Said said = tend_says("config show");
  EXPECT_EQ(0, said.code);
  EXPECT_EQ("", said.err);
  EXPECT_EQ(read_file(GOLDEN "/config_show.yml"), said.out);
}

TEST_F(Config, HelpIsWhatItAlwaysWas) {
  EXPECT_EQ(read_file(GOLDEN "/config_help.txt"), tend_says("config --help").out);
  EXPECT_EQ(read_file(GOLDEN "/config_show_help.txt"), tend_says("config show --help").out);
  EXPECT_EQ(read_file(GOLDEN "/config_validate_help.txt"), tend_says("config validate --help").out);
}

TEST_F(Config, ShowTakesANamedFile) {
  write_file(project_.file("in/test.yml"),
             "cli:\n  pty_mode: true\n  pty_interactive: false\n  idle_timeout_secs: 42\n");
  for (const char* arguments : {"--config test.yml config show", "config show --config test.yml"}) {
    const Said said = tend_says(arguments);
    EXPECT_EQ(0, said.code);
    EXPECT_THAT(said.out, HasSubstr("  idle_timeout_secs: 42  # test.yml:4\n"));
  }
}

TEST_F(Config, ShowSaysWhichLayerWon) {
  write_user("web: {port: 1}\nsession: {cols: 1}\ncli: {backend: codex}\nstore: {archive_days: 1}\n");
  write_project("web: {port: 2}\nsession: {cols: 2}\ncli: {backend: gemini}\n");
  write_file(project_.file("in/named.yml"), "web: {port: 3}\nsession: {cols: 3}\n");
  const Said said = tend_says("--config named.yml --set web.port=5 --set session.rows=6 config show",
                              {{"TEND_WEB_PORT", "4"}, {"TEND_SESSION_COLS", "44"}, {"TEND_SESSION", "x"}});
  EXPECT_EQ("", said.err);
  EXPECT_THAT(said.out, HasSubstr("  port: 5  # --set\n"));
  EXPECT_THAT(said.out, HasSubstr("  rows: 6  # --set\n"));
  EXPECT_THAT(said.out, HasSubstr("  cols: 44  # TEND_SESSION_COLS\n"));
  EXPECT_THAT(said.out, HasSubstr("  backend: gemini  # tend.yml:3\n"));
  EXPECT_THAT(said.out, HasSubstr("  archive_days: 1  # " + home_.file("config/config.yml") + ":4\n"));
}

TEST_F(Config, ShowCanBeLoadedAgain) {
  write_project("session: {env: {A: secret-1, B: $B}}\ncli: {args: [-x, 'a b']}\nstore: {path: db}\n");
  const std::string first = tend_says("config show --secrets").out;
  EXPECT_THAT(first, HasSubstr("A: secret-1"));
  EXPECT_THAT(first, HasSubstr("  path: " + project_.file("in/db") + "  # tend.yml:3\n"));
  write_project(first);
  const auto without_comments = [](const std::string& yaml) {
    std::string text;
    for (const std::string_view line : base::split(yaml, '\n'))
      text += std::string(line.substr(0, line.find("  #"))) + "\n";
    return text;
  };
  EXPECT_EQ(without_comments(first), without_comments(tend_says("config show --secrets").out));
}

TEST_F(Config, ShowMasksSecretsAndRefusesTheMask) {
  write_project("session: {env: {A: secret-1}}\n");
  const Said said = tend_says("config show");
  EXPECT_THAT(said.out, Not(HasSubstr("secret-1")));
  EXPECT_THAT(tend_says("config show --json").out, Not(HasSubstr("secret-1")));
  write_project(said.out);
  EXPECT_THAT(tend_says("config show").err,
              HasSubstr("has what 'tend config show' prints in place of a secret"));
}

TEST_F(Config, ShowIsColouredOnATerminalOnly) {
  EXPECT_THAT(tend_says("config show").out, Not(HasSubstr("\x1b")));
  Terminal terminal(tend({"config", "show"}));
  EXPECT_TRUE(terminal.expect("port: 8888\x1b[2m  # default\x1b[0m"));
  support::Start start = tend({"config", "show"});
  start.env["NO_COLOR"] = "1";
  Terminal plain(start);
  EXPECT_TRUE(plain.expect("auto: true  # default"));
  EXPECT_THAT(plain.output(), Not(HasSubstr("\x1b")));
}

TEST_F(Config, ShowAsJsonHasValuesAndOrigins) {
  const Said said = tend_says("--set web.port=1 config show --json");
  EXPECT_THAT(said.out, HasSubstr("\"port\": 1,"));
  EXPECT_THAT(said.out, HasSubstr("\"web.port\": \"--set\""));
}

TEST_F(Config, ValidateSaysOk) {
  const Said said = tend_says("config validate");
  EXPECT_EQ(0, said.code);
  EXPECT_EQ("ok\n", said.out);
  EXPECT_EQ("", said.err);
}

TEST_F(Config, ValidatePrintsAllErrors) {
  write_project("web:\n  prot: 1\n  insecure: maybe\n");
  const std::string errors =
      "tend.yml:2:3: web.prot: is not a setting (did you mean 'port'?)\n"
      "tend.yml:3:13: web.insecure: wants true or false, not 'maybe'\n";
  for (const char* arguments : {"config validate", "config validate tend.yml"}) {
    const Said said = tend_says(arguments);
    EXPECT_EQ(2, said.code);
    EXPECT_EQ("", said.out);
    EXPECT_EQ(errors, said.err);
  }
  const Said json = tend_says("config validate --json");
  EXPECT_EQ(2, json.code);
  EXPECT_THAT(json.out,
              HasSubstr("{\"ok\": false, \"errors\": [{\"file\": \"tend.yml\", \"line\": 2, \"column\": 3, "
                        "\"key\": \"web.prot\""));
}

TEST_F(Config, ValidateOfAFileLooksAtNothingElse) {
  write_user("not: good\n");
  write_file(project_.file("in/half.yml"), "web: {tls_cert: c.pem}\n");
  EXPECT_EQ(0, tend_says("config validate half.yml", {{"TEND_WEB_PORT", "x"}}).code);
  EXPECT_EQ(2, tend_says("--config half.yml config validate").code);
  EXPECT_EQ("none.yml: cannot be opened: No such file or directory\n",
            tend_says("config validate none.yml").err);
}

TEST_F(Config, WarnsOfSettingsWithoutMeaning) {
  write_project("detector:\n  stuck_poll_interval_seconds: 0.5\n");
  const std::string warning =
      "warning: tend.yml:2:3: detector.stuck_poll_interval_seconds: has no meaning any more: nothing polls\n";
  EXPECT_EQ("tend: " + warning, tend_says("config show").err);
  const Said said = tend_says("config validate");
  EXPECT_EQ(0, said.code);
  EXPECT_EQ("ok\n", said.out);
  EXPECT_EQ(warning, said.err);
}

TEST_F(Config, NothingStartsWithAnError) {
  write_project("web:\n  prot: 1\n  insecure: maybe\n");
  for (const char* arguments : {"run -- touch ../started", "config show"}) {
    const Said said = tend_says(arguments);
    EXPECT_EQ(2, said.code);
    EXPECT_EQ("", said.out);
    EXPECT_EQ("tend: tend.yml:2:3: web.prot: is not a setting (did you mean 'port'?)\n", said.err);
  }
  EXPECT_FALSE(std::filesystem::exists(project_.file("started")));
}

TEST_F(Config, ReachesTheProgramThatRuns) {
  write_project("session: {env: {GREETING: hello there, TERM: dumb}}\n");
  const Said said = tend_says("run -- sh -c 'echo \"$GREETING, $TERM\"'");
  EXPECT_EQ(0, said.code) << said.err;
  EXPECT_EQ("hello there, dumb\r\n", said.out);
}

TEST_F(Config, CommandsThatAreNoneAreNamed) {
  EXPECT_EQ("tend: there is no command 'config shwo'; try 'tend config --help'\n",
            tend_says("config shwo").err);
  EXPECT_EQ("tend: there is no command 'rnu'; try 'tend --help'\n",
            tend_says("--set web.port=1 rnu -- ls").err);
  EXPECT_EQ("tend: A subcommand is required; try 'tend config --help'\n", tend_says("config").err);
  EXPECT_EQ(2, tend_says("config").code);
}

TEST_F(Config, ExamplesOfTheReferenceWork) {
  const std::string page = read_file(REFERENCE);
  const auto block = [&](const std::string& language) {
    const size_t begin = page.find("```" + language + "\n") + language.size() + 4;
    return page.substr(begin, page.find("```", begin) - begin);
  };
  write_project(block("yaml"));
  int commands = 0;
  const std::string script = block("sh");
  for (const std::string_view line : base::split(script, '\n')) {
    if (!line.starts_with("tend ")) continue;
    const Said said = tend_says(std::string(line.substr(5, line.find('#') - 5)));
    EXPECT_EQ(0, said.code) << line << "\n" << said.err;
    commands++;
  }
  EXPECT_EQ(3, commands);
}

}  // namespace
}  // namespace cli
