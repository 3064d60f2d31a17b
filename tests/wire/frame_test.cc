// SPDX-License-Identifier: Apache-2.0
#include "wire/frame.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace wire {
namespace {

struct Frame {
  FrameType type;
  std::string payload;
  bool operator==(const Frame&) const = default;
};

TEST(Frame, IsLengthTypePayload) {
  EXPECT_EQ(std::string("\0\0\0\2\1{}", 7), make_frame(FrameType::json, "{}"));
  EXPECT_EQ(std::string("\0\0\0\0\0", 5), make_frame(FrameType::bytes, ""));
  EXPECT_EQ(std::string("\0\1\0\0\0", 5), make_frame(FrameType::bytes, std::string(65536, 'x')).substr(0, 5));
}

TEST(Frame, ComesOutTheSameHoweverTheBytesAreCut) {
  std::mt19937 random(1);
  std::vector<Frame> sent;
  std::string bytes;
  for (int i = 0; i < 200; i++) {
    std::string payload(i % 20 == 0 ? random() % 70'000 : random() % 50, '\0');
    for (char& c : payload) c = static_cast<char>(random());
    sent.push_back({i % 3 == 0 ? FrameType::bytes : FrameType::json, payload});
    append_frame(bytes, sent.back().type, sent.back().payload);
  }
  for (const size_t most : {size_t{1}, size_t{2}, size_t{5}, size_t{777}, size_t{65536}, bytes.size()}) {
    FrameReader reader;
    std::vector<Frame> received;
    for (size_t at = 0; at < bytes.size();) {
      const size_t piece = 1 + random() % most;
      reader.append(std::string_view(bytes).substr(at, piece));
      at += piece;
      for (;;) {
        const auto frame = reader.next();
        ASSERT_TRUE(frame);
        if (!*frame) break;
        received.push_back({(*frame)->type, std::string((*frame)->payload)});
      }
    }
    EXPECT_EQ(sent, received) << most;
  }
}

TEST(Frame, MayHaveAMegabyteAndNotAByteMore) {
  FrameReader reader;
  const std::string largest(kMostPayload, 'x');
  reader.append(make_frame(FrameType::bytes, largest));
  const auto frame = reader.next();
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ(largest, (*frame)->payload);
  // The head alone is enough to refuse it, again and again.
  reader.append(std::string("\x00\x10\x00\x01\x01", 5));
  for (int i = 0; i < 3; i++) {
    const auto refused = reader.next();
    ASSERT_FALSE(refused);
    EXPECT_EQ(base::Code::message_too_large, refused.error().code);
  }
}

TEST(Frame, OfAnUnknownTypeIsAnErrorForGood) {
  FrameReader reader;
  reader.append(std::string("\0\0\0\1\2x", 6) + make_frame(FrameType::json, "{}"));
  for (int i = 0; i < 3; i++) {
    const auto refused = reader.next();
    ASSERT_FALSE(refused);
    EXPECT_EQ(base::Code::invalid_param, refused.error().code);
  }
}

}  // namespace
}  // namespace wire
