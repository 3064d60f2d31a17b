// SPDX-License-Identifier: Apache-2.0
#include "support/terminal.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace support {
namespace {

TEST(Terminal, ShowsWhatTheProgramPrintsAndItsStatus) {
  Terminal terminal({.argv = {"sh", "-c", "read line; echo got $line; exit 3"}});
  terminal.type("blue\r");
  EXPECT_TRUE(terminal.expect("got blue"));
  EXPECT_EQ(W_EXITCODE(3, 0), terminal.wait_exit());
}

TEST(Terminal, DoesNotFindWhatIsNotThere) {
  Terminal terminal({.argv = {"sh", "-c", "echo one"}});
  EXPECT_TRUE(terminal.expect("one"));
  EXPECT_FALSE(terminal.expect("one")) << "what was expected once is behind us";
}

TEST(Terminal, TellsSaneFromRaw) {
  Terminal terminal(
      {.argv = {"sh", "-c", "stty raw -echo; echo ready; read x; stty sane; echo done; read x"}});
  ASSERT_TRUE(terminal.expect("ready"));
  EXPECT_TRUE(terminal.is_raw());
  EXPECT_FALSE(terminal.is_sane());
  terminal.type("\n");
  ASSERT_TRUE(terminal.expect("done"));
  EXPECT_TRUE(terminal.is_sane());
}

TEST(Terminal, GivesTheProgramItsSizeAndEnvironment) {
  Terminal terminal({.argv = {"sh", "-c", "stty size; echo [$COLOUR]"},
                     .env = {{"COLOUR", "red"}},
                     .cols = 91,
                     .rows = 17});
  EXPECT_TRUE(terminal.expect("17 91"));
  EXPECT_TRUE(terminal.expect("[red]"));
}

}  // namespace
}  // namespace support
