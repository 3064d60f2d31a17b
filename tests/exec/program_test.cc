// SPDX-License-Identifier: Apache-2.0
#include "exec/program.h"

#include <gtest/gtest.h>

namespace exec {
namespace {

TEST(Program, ShellsAreKnownByTheirName) {
  EXPECT_EQ(Shell::bash, shell_named("bash"));
  EXPECT_EQ(Shell::plain, shell_named("dash"));
  EXPECT_EQ(Shell::posix, shell_named("busybox"));
  EXPECT_EQ(Shell::none, shell_named("bashful"));
  EXPECT_EQ(Shell::none, shell_named(""));
}

TEST(Program, ReplsAreKnownWithTheirVersion) {
  EXPECT_EQ(Repl::python, repl_named("python3.11"));
  EXPECT_EQ(Repl::sqlite, repl_named("sqlite3"));
  EXPECT_EQ(Repl::none, repl_named("python-config"));
  EXPECT_EQ(Repl::none, repl_named("nodemon"));
}

TEST(Program, APromptIsTheEndOfItsLine) {
  EXPECT_EQ(PromptKind::main, prompt_of(Repl::python, ">>> ").kind);
  EXPECT_EQ(PromptKind::more, prompt_of(Repl::python, "... ").kind);
  EXPECT_EQ(4U, prompt_of(Repl::python, "output>>> ").size);
  EXPECT_EQ(PromptKind::none, prompt_of(Repl::python, "really? ").kind);
  // A short one may be anybody's.
  EXPECT_EQ(PromptKind::main, prompt_of(Repl::node, "> ").kind);
  EXPECT_EQ(PromptKind::none, prompt_of(Repl::node, "name> ").kind);
  EXPECT_EQ(PromptKind::main, prompt_of(Repl::psql, "shop=# ").kind);
  EXPECT_EQ(PromptKind::more, prompt_of(Repl::psql, "shop-# ").kind);
}

}  // namespace
}  // namespace exec
