// SPDX-License-Identifier: Apache-2.0
// Bytes from a peer: frames come out the same however the bytes are cut, and whatever decodes encodes to what
// decodes to the same again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "pty/keeper_protocol.h"

namespace {

using pty::keeper::Frame;

void check(bool holds) {
  if (!holds) std::abort();
}

std::vector<Frame> frames_of(std::string_view bytes, size_t piece) {
  pty::keeper::FrameReader reader;
  std::vector<Frame> frames;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    reader.append(bytes.substr(at, piece));
    for (;;) {
      auto frame = reader.next();
      if (!frame) return frames;
      if (!*frame) break;
      frames.push_back(std::move(**frame));
    }
  }
  return frames;
}

template <typename T>
void round_trip(std::string_view payload) {
  const auto message = pty::keeper::decode<T>(payload);
  if (!message) return;
  const std::string encoded = pty::keeper::encode(*message);
  const auto again = pty::keeper::decode<T>(encoded);
  check(again.has_value() && pty::keeper::encode(*again) == encoded);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<Frame> whole = frames_of(bytes, bytes.size() + 1);
  const std::vector<Frame> pieces = frames_of(bytes, 1 + data[0] % 64);
  check(whole.size() == pieces.size());
  for (size_t i = 0; i < whole.size(); i++) {
    check(whole[i].type == pieces[i].type && whole[i].request == pieces[i].request &&
          whole[i].pty == pieces[i].pty && whole[i].payload == pieces[i].payload);
  }
  round_trip<pty::keeper::Hello>(bytes);
  round_trip<pty::keeper::Spawn>(bytes);
  round_trip<pty::keeper::Signal>(bytes);
  round_trip<pty::keeper::Grace>(bytes);
  round_trip<pty::keeper::Respawn>(bytes);
  round_trip<pty::keeper::StartBy>(bytes);
  round_trip<pty::keeper::Welcome>(bytes);
  round_trip<pty::keeper::Held>(bytes);
  round_trip<base::Error>(bytes);
  round_trip<pty::ExitStatus>(bytes);
  round_trip<pty::keeper::Gone>(bytes);
  round_trip<pty::Look>(bytes);
  return 0;
}
