// SPDX-License-Identifier: Apache-2.0
// Runs of a PTY whose program is the test itself, so that it decides what is written before a look comes
// back.
#include "session/runs.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "pty/pty.h"
#include "session/pty.h"
#include "support/temp_dir.h"

namespace session {
namespace {

using testing::HasSubstr;

constexpr const char* kFirst = "__first___";
constexpr const char* kSecond = "__second__";
constexpr std::chrono::seconds kDeadline{30};

class RunsTest : public testing::Test, public PtyOwner {
 protected:
  void SetUp() override {
    auto master = pty::open_master({80, 24});
    ASSERT_TRUE(master);
    slave_.reset(::ioctl(master->get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    termios raw{};
    ASSERT_EQ(0, ::tcgetattr(slave_.get(), &raw));
    ::cfmakeraw(&raw);
    ASSERT_EQ(0, ::tcsetattr(slave_.get(), TCSANOW, &raw));
    const base::Fd folder(::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    auto journal = pty::Journal::create(folder.get(), "0.journal", pty::Journal::kDefaultCapacity);
    auto pipe = base::make_pipe();
    ASSERT_TRUE(journal && pipe);
    pty::HeldPty held;
    held.spawned_at = std::chrono::time_point_cast<pty::Stamp::duration>(std::chrono::system_clock::now());
    held.size = {80, 24};
    held.argv = {"bash"};
    held.master = std::move(*master);
    held.pipe = std::move(*pipe);
    held.journal = std::move(*journal);
    pty_.emplace(loop_, *this, PtyOptions{.base = folder_.file("0"), .size = {80, 24}});
    ASSERT_TRUE(pty_->hold(std::move(held), Pty::Past::none));
  }

  void write(const std::string& text) {
    ASSERT_EQ(static_cast<ssize_t>(text.size()), ::write(slave_.get(), text.data(), text.size()));
  }
  // What was typed and not read yet.
  std::string read() {
    char bytes[4096];
    const ssize_t size = ::read(slave_.get(), bytes, sizeof bytes);
    return {bytes, size > 0 ? static_cast<size_t>(size) : 0};
  }
  static std::string mark(const std::string& sentinel, const std::string& body) {
    return "\x1b]7717;" + sentinel + ";" + body + "\a";
  }

  void add(const char* sentinel, const char* command) {
    ASSERT_TRUE(pty_->runs().add({.id = sentinel,
                                  .command = command,
                                  .sentinel = sentinel,
                                  .timeout = kDeadline,
                                  .most = 1000,
                                  .on_end = [this, command](const RunReport& report) {
                                    ended_ += std::string(command) + ": ";
                                    ended_ +=
                                        report.error ? report.error->message() : std::string(report.output);
                                  }}));
  }

  // A shell that waits with the terminal in line mode does not wait for a command.
  static pty::Look at_prompt(bool canonical = false) {
    return {.verdict = pty::Look::Verdict::waits,
            .canonical = canonical,
            .echo = canonical,
            .shell = true,
            .call = pty::Look::Call::read,
            .command = "bash",
            .turns = 1};
  }
  void answer(const pty::Look& look) {
    ASSERT_GT(wanted_, 0);
    wanted_--;
    pty_->looked(look);
  }
  testing::AssertionResult wait_for(const std::function<bool()>& condition) {
    event::Timer late(loop_, [this] { loop_.stop(); });
    late.set_after(kDeadline);
    event::Timer now_and_then(loop_, [this] { loop_.stop(); });
    while (!condition()) {
      if (!late.pending()) return testing::AssertionFailure() << "it did not come";
      now_and_then.set_after(std::chrono::milliseconds(1));
      loop_.run();
    }
    return testing::AssertionSuccess();
  }
  // The next command, typed because every look shows a prompt.
  std::string typed_at_prompt() {
    std::string typed;
    EXPECT_TRUE(wait_for([&] {
      while (wanted_ > 0) answer(at_prompt());
      return (typed += read()).ends_with('\r');
    }));
    return typed;
  }

  support::TempDir folder_;
  event::Loop loop_;
  base::Fd slave_;
  std::optional<Pty> pty_;
  int wanted_ = 0;  // looks that have not come back
  std::string ended_;

 private:
  void exited(Pty&) override {}
  void resized(Pty&) override {}
  void viewers_changed(Pty&) override {}
  void want_look(Pty&) override { wanted_++; }
  void name_question(Pty&, Question&) override {}
  void attention_changed(Pty&, const News&) override {}
  void unserved(Pty&, std::string_view) override {}
};

// While the first command runs its PTY is looked at. With the answer comes the end of the command, which the
// look has not seen: it says nothing of the prompt that the second one waits for.
TEST_F(RunsTest, ALookThatWasBegunForOneCommandDecidesNothingForTheNext) {
  write("$ ");
  pty_->catch_up();
  add(kFirst, "first");
  add(kSecond, "second");
  EXPECT_THAT(typed_at_prompt(), HasSubstr("first"));
  write(mark(kFirst, "begin"));
  ASSERT_TRUE(wait_for([&] { return wanted_ > 0; }));
  write("one\r\n" + mark(kFirst, "0") + "$ ");
  answer(at_prompt(true));
  EXPECT_EQ("first: one\n", ended_);
  ASSERT_TRUE(wait_for([&] { return wanted_ > 0; })) << "the second one has a look of its own";
  EXPECT_THAT(typed_at_prompt(), HasSubstr("second"));
  write(mark(kSecond, "begin") + "two\r\n" + mark(kSecond, "0") + "$ ");
  ASSERT_TRUE(wait_for([&] { return ended_ != "first: one\n"; }));
  EXPECT_EQ("first: one\nsecond: two\n", ended_);
}

}  // namespace
}  // namespace session
