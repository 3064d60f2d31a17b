// SPDX-License-Identifier: Apache-2.0
#include "wire/frame.h"

#include <cassert>
#include <cstring>

#include "base/wipe.h"

namespace wire {

using base::Code;
using base::fail;

void append_frame(std::string& to, FrameType type, std::string_view payload) {
  assert(payload.size() <= kMostPayload);
  const auto length = static_cast<uint32_t>(payload.size());
  for (int shift = 24; shift >= 0; shift -= 8) to += static_cast<char>(length >> shift & 0xff);
  to += static_cast<char>(type);
  to += payload;
}

std::string make_frame(FrameType type, std::string_view payload) {
  std::string frame;
  frame.reserve(kHeaderBytes + payload.size());
  append_frame(frame, type, payload);
  return frame;
}

// A frame may carry a password.
void FrameReader::wipe_given() {
  base::wipe(bytes_.data() + wiped_, start_ - wiped_);
  wiped_ = start_;
}

void FrameReader::append(std::string_view bytes) {
  wipe_given();
  const size_t rest = bytes_.size() - start_;
  std::memmove(bytes_.data(), bytes_.data() + start_, rest);
  base::wipe(bytes_.data() + rest, start_);
  bytes_.resize(rest);
  start_ = wiped_ = 0;
  bytes_ += bytes;
}

base::Result<std::optional<FrameView>> FrameReader::next() {
  wipe_given();
  const std::string_view waiting = std::string_view(bytes_).substr(start_);
  if (waiting.size() < kHeaderBytes) return std::nullopt;
  uint32_t length = 0;
  for (size_t i = 0; i < 4; i++) length = length << 8 | static_cast<unsigned char>(waiting[i]);
  const auto type = static_cast<unsigned char>(waiting[4]);
  // Said before the payload is there: nobody waits for what is refused anyway.
  if (length > kMostPayload) return fail(Code::message_too_large, 0, "a message may have 1 MiB at most");
  if (type > static_cast<unsigned char>(FrameType::json))
    return fail(Code::invalid_param, 0, "a message of a type that does not exist");
  if (waiting.size() < kHeaderBytes + length) return std::nullopt;
  start_ += kHeaderBytes + length;
  return FrameView{static_cast<FrameType>(type), waiting.substr(kHeaderBytes, length)};
}

}  // namespace wire
