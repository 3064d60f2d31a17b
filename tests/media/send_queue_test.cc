// SPDX-License-Identifier: Apache-2.0
#include "channel/send_queue.h"

#include <gmock/gmock.h>
#include <map>
#include <vector>

namespace channel {
namespace {

using testing::ElementsAre;
using What = SendQueue::Sent::What;

class SendQueueTest : public testing::Test {
 protected:
  void add(const std::string& name, const std::string& user = "ann",
           SendQueue::Kind kind = SendQueue::Kind::fresh) {
    queue_.add(
        {.prompt = name, .user = user, .kind = kind, .send = [this, name](const SendQueue::Then& then) {
           tried_.push_back(name);
           SendQueue::Sent result;
           if (failures_[name] > 0) {
             failures_[name]--;
             result = {.what = What::again, .wait = std::chrono::milliseconds(20), .problem = "no"};
           }
           loop_.post([then, result] { then(result); });
         }});
  }
  void run_until(size_t tries) {
    event::Timer end(loop_, [this] { loop_.stop(); });
    end.set_after(std::chrono::seconds(20));
    event::Timer look(loop_, [&] {
      if (tried_.size() >= tries && queue_.size() <= left_) return loop_.stop();
      look.set_after(std::chrono::milliseconds(1));
    });
    look.set_after(std::chrono::milliseconds(1));
    loop_.run();
  }

  event::Loop loop_;
  std::vector<std::string> tried_;
  std::map<std::string, int> failures_;
  size_t left_ = 0;
  SendQueue queue_{loop_, [](const SendQueue::Sent&) {}};
};

TEST_F(SendQueueTest, SendsInOrderAndTriesAgainBeforeItGoesOn) {
  failures_["one"] = 2;
  add("one");
  add("two");
  run_until(4);
  EXPECT_THAT(tried_, ElementsAre("one", "one", "one", "two"));
}

TEST_F(SendQueueTest, ThePaceOfOneHoldsUpNobodyElse) {
  for (const char* name : {"a", "b", "c", "d"}) add(name, "ann");
  add("e", "bob");
  add("f", "ann", SendQueue::Kind::update);
  left_ = 1;
  run_until(5);
  EXPECT_THAT(tried_, ElementsAre("a", "b", "c", "e", "f"));
  EXPECT_EQ(1U, queue_.size());
}

TEST_F(SendQueueTest, WhatWasNotTriedCanBeTakenBack) {
  add("one");
  add("two");
  EXPECT_FALSE(queue_.take_back("one", "ann"));
  EXPECT_TRUE(queue_.take_back("two", "ann"));
  EXPECT_FALSE(queue_.take_back("two", "ann"));
  run_until(1);
  EXPECT_THAT(tried_, ElementsAre("one"));
}

TEST_F(SendQueueTest, IsBounded) {
  for (size_t i = 0; i < SendQueue::kMost + 50; i++) add(std::to_string(i));
  EXPECT_EQ(SendQueue::kMost, queue_.size());
}

}  // namespace
}  // namespace channel
