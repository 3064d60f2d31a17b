// SPDX-License-Identifier: Apache-2.0
#include "pty/write_queue.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "running_program.h"

namespace pty {
namespace {

TEST(WriteQueue, RefusesPastItsBoundAndKeepsWhatWaits) {
  WriteQueue queue(1000);
  EXPECT_TRUE(queue.push(std::string(900, 'a')));
  const auto refused = queue.push(std::string(101, 'b'));
  ASSERT_FALSE(refused);
  EXPECT_EQ(base::Code::pty_write_failed, refused.error().code);
  EXPECT_EQ(900U, queue.size());
}

TEST(WriteQueue, IsEightMebibytesDeep) {
  WriteQueue queue;
  EXPECT_TRUE(queue.push(std::string(8 << 20, 'a')));
  EXPECT_FALSE(queue.push("b"));
}

// A paste is far larger than what the terminal takes at once, and the program is slow to start reading.
void paste_into(const std::string& settings) {
  const support::TempDir folder;
  const std::string received = folder.file("received");
  std::string paste;
  for (int i = 0; paste.size() < (1 << 20); i++) paste += "line " + std::to_string(i) + " of a long paste\n";
  const std::string size = std::to_string(paste.size());
  RunningProgram program(command(
      {"sh", "-c", "stty " + settings + "; echo ready; head -c " + size + " > " + received + "; echo all"}));
  ASSERT_TRUE(program.expect("ready"));
  WriteQueue queue;
  ASSERT_TRUE(queue.push(paste));
  ASSERT_TRUE(support::wait_until([&] {
    EXPECT_TRUE(queue.flush(program.master()));
    return queue.empty();
  }));
  ASSERT_TRUE(program.expect("all"));
  EXPECT_EQ(paste, support::read_file(received));
}

TEST(WriteQueue, APasteOfAMebibyteArrivesCompleteInARawTerminal) { paste_into("raw -echo"); }

TEST(WriteQueue, APasteOfAMebibyteArrivesCompleteInALineEditor) { paste_into("-echo"); }

}  // namespace
}  // namespace pty
