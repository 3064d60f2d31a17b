// SPDX-License-Identifier: Apache-2.0
// The completions, in the real shells: what Tab would offer.
#include <gmock/gmock.h>
#include <set>

#include "base/strings.h"
#include "session_home.h"

namespace cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

class Completions : public SessionTest {
 protected:
  static std::set<std::string> lines(const std::string& text) {
    std::set<std::string> all;
    for (const std::string_view each : base::split(text, '\n')) {
      if (!each.empty()) all.emplace(each);
    }
    return all;
  }
  std::set<std::string> run_script(const std::vector<std::string>& shell_command,
                                   const std::string& script) const {
    support::write_file(work_.file("script"), script);
    std::string line;
    for (const std::string& each : shell_command) line += each + " ";
    support::Start start =
        shell(line + work_.file("script") + " > " + work_.file("offers") + " 2> " + work_.file("err"));
    // The program is found as a person would have it.
    start.env["PATH"] = std::filesystem::path(TEND).parent_path().string() + ":" + std::getenv("PATH");
    support::Terminal terminal(start);
    EXPECT_TRUE(terminal.wait_exit());
    EXPECT_EQ("", support::read_file(work_.file("err")));
    return lines(support::read_file(work_.file("offers")));
  }
  // As bash calls it, with the last word to be completed.
  std::set<std::string> bash_offers(const std::vector<std::string>& words) const {
    std::string script = "source <(tend completions bash)\nCOMP_WORDS=(";
    for (const std::string& each : words) script += base::shell_quote(each) + " ";
    script +=
        ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) + "\n_tend\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
    return run_script({"bash", "--norc"}, script);
  }
};

TEST_F(Completions, BashOffersCommandsOptionsAndChoices) {
  const auto commands = bash_offers({"tend", ""});
  for (const char* each : {"run", "attach", "ls", "kill", "audit", "completions"})
    EXPECT_THAT(commands, Contains(each));
  EXPECT_THAT(commands, Not(Contains("__sessions")));
  EXPECT_THAT(bash_offers({"tend", "s"}), UnorderedElementsAre("shell", "status", "screen", "send", "serve"));
  EXPECT_THAT(bash_offers({"tend", "audit", ""}), UnorderedElementsAre("show", "verify", "export", "head"));
  EXPECT_THAT(bash_offers({"tend", "audit", "verify", "--"}),
              UnorderedElementsAre("--help", "--anchor", "--json"));
  EXPECT_THAT(bash_offers({"tend", "screen", "x", "--format", ""}),
              UnorderedElementsAre("text", "ansi", "html", "svg", "json"));
  EXPECT_THAT(bash_offers({"tend", "screen", "x", "--format", "=", "s"}), UnorderedElementsAre("svg"));
  EXPECT_THAT(bash_offers({"tend", "--set", "web.port=1", "con"}), UnorderedElementsAre("config"));
  EXPECT_THAT(bash_offers({"tend", "completions", ""}), UnorderedElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(bash_offers({"tend", "wait", "x", "--until", ""}),
              UnorderedElementsAre("waiting", "ready", "quiet", "exited", "text="));
  EXPECT_THAT(bash_offers({"tend", "run", "--", "bas"}), Contains("bash"));
}

TEST_F(Completions, BashOffersTheSessionsThatLive) {
  EXPECT_THAT(bash_offers({"tend", "attach", ""}), UnorderedElementsAre()) << "and starts no daemon for it";
  EXPECT_FALSE(std::filesystem::exists(home_.file("run/tend.sock")));
  start("api", "cat");
  start("web", "cat");
  start("gone", "true");
  ASSERT_TRUE(ends("gone"));
  EXPECT_THAT(bash_offers({"tend", "attach", ""}), UnorderedElementsAre("api", "web"));
  EXPECT_THAT(bash_offers({"tend", "kill", "--force", "api", "w"}), UnorderedElementsAre("web"));
  EXPECT_THAT(bash_offers({"tend", "audit", "show", "--session", "a"}), UnorderedElementsAre("api"));
  EXPECT_THAT(bash_offers({"tend", "resize", "api", ":", "0", ""}), UnorderedElementsAre());
}

TEST_F(Completions, AreLoadedByBashAsATabWould) {
  start("api", "cat");
  support::Start interactive = interactive_shell();
  interactive.env["PATH"] = std::filesystem::path(TEND).parent_path().string() + ":" + std::getenv("PATH");
  support::Terminal terminal(interactive);
  ASSERT_TRUE(terminal.expect("ready> "));
  terminal.type("source <(tend completions bash); echo loa''ded\r");
  ASSERT_TRUE(terminal.expect("loaded"));
  ASSERT_TRUE(terminal.expect("ready> "));
  terminal.type("tend stat\t");
  ASSERT_TRUE(terminal.expect("tend status "));
  terminal.type("a\t");
  EXPECT_TRUE(terminal.expect("api "));
  terminal.type("\x03");
}

TEST_F(Completions, OfAnotherShellAreRefused) {
  const Said said = says("completions tcsh");
  EXPECT_EQ(2, said.code);
  EXPECT_EQ("tend: there are completions for bash, zsh and fish\n", said.err);
}

#ifdef ZSH
TEST_F(Completions, AreWhatZshOffers) {
  start("api", "cat");
  // compadd says what it is given instead of offering it.
  const auto offers = [&](const std::string& words) {
    return run_script(
        {ZSH, "-f"},
        "compdef() { :; }\ncompadd() { shift; print -l -- \"$@\"; }\nsource <(tend completions zsh)\n"
        "words=(" +
            words + ")\nCURRENT=${#words}\n_tend\n");
  };
  EXPECT_THAT(offers("tend audit ''"), UnorderedElementsAre("show", "verify", "export", "head"));
  EXPECT_THAT(offers("tend audit verify --"), UnorderedElementsAre("-h", "--help", "--anchor", "--json"));
  EXPECT_THAT(offers("tend screen x --format ''"),
              UnorderedElementsAre("text", "ansi", "html", "svg", "json"));
  EXPECT_THAT(offers("tend attach ''"), UnorderedElementsAre("api"));
  EXPECT_THAT(offers("tend kill x ''"), UnorderedElementsAre("api"));
}

TEST_F(Completions, AreLoadedByZshBehindCompinit) {
  EXPECT_THAT(
      run_script(
          {ZSH, "-f"},
          "autoload -Uz compinit; compinit -D -u\nsource <(tend completions zsh)\nprint ${_comps[tend]}\n"),
      UnorderedElementsAre("_tend"));
}
#endif

#ifdef FISH
TEST_F(Completions, AreWhatFishOffers) {
  start("api", "cat");
  const auto offers = [&](const std::string& line) {
    std::set<std::string> words;
    for (const std::string& each :
         run_script({FISH, "--no-config"},
                    "tend completions fish | source\ncomplete --do-complete '" + line + "'\n"))
      words.insert(each.substr(0, each.find('\t')));
    return words;
  };
  EXPECT_THAT(offers("tend audit "), UnorderedElementsAre("show", "verify", "export", "head"));
  EXPECT_THAT(offers("tend audit verify --"), UnorderedElementsAre("--help", "--anchor", "--json"));
  EXPECT_THAT(offers("tend screen x --format "), UnorderedElementsAre("text", "ansi", "html", "svg", "json"));
  EXPECT_THAT(offers("tend attach "), UnorderedElementsAre("api"));
  EXPECT_THAT(offers("tend comp"), UnorderedElementsAre("completions"));
}
#endif

}  // namespace
}  // namespace cli
