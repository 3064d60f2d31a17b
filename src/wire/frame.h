// SPDX-License-Identifier: Apache-2.0
// Frames on tend's socket: the length of the payload (four bytes, big-endian), its type (one byte), the
// payload. A payload has 1 MiB at most.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace wire {

constexpr size_t kMostPayload = 1 << 20;
constexpr size_t kHeaderBytes = 5;

enum class FrameType : uint8_t { bytes = 0, json = 1 };

// The payload stays where it was received, until the reader is asked again or given more; then it is wiped.
struct FrameView {
  FrameType type;
  std::string_view payload;
};

// The payload must not be larger than kMostPayload.
std::string make_frame(FrameType type, std::string_view payload);
void append_frame(std::string& to, FrameType type, std::string_view payload);

// Collects bytes as they come and gives whole frames out. A frame that is too large, or of a type that does
// not exist, is an error for good: the stream has no next beginning to wait for.
class FrameReader {
 public:
  void append(std::string_view bytes);
  base::Result<std::optional<FrameView>> next();

 private:
  void wipe_given();

  std::string bytes_;
  size_t start_ = 0;
  size_t wiped_ = 0;  // before start_
};

}  // namespace wire
