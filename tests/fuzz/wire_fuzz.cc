// SPDX-License-Identifier: Apache-2.0
// Bytes from the socket: frames come out the same however the bytes are cut; whatever is a message serializes
// to what parses to the same again; and parameters that pass their table can be read.
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "wire/frame.h"
#include "wire/message.h"
#include "wire/params.h"

namespace {

using wire::Kind;
using wire::Need;

void check(bool holds) {
  if (!holds) std::abort();
}

std::vector<std::string> frames_of(std::string_view bytes, size_t piece) {
  wire::FrameReader reader;
  std::vector<std::string> frames;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    reader.append(bytes.substr(at, piece));
    for (;;) {
      const auto frame = reader.next();
      if (!frame) return frames;
      if (!*frame) break;
      frames.push_back(wire::make_frame((*frame)->type, (*frame)->payload));
    }
  }
  return frames;
}

constexpr std::array<wire::Param, 6> kTable = {{{"a", Kind::text},
                                                {"b", Kind::integer, Need::optional, 0, 1000},
                                                {"c", Kind::number},
                                                {"d", Kind::flag},
                                                {"e", Kind::texts},
                                                {"f", Kind::map}}};

void check_params(const wire::json::object& params) {
  if (!wire::check(params, kTable)) return;
  (void)wire::text(params, "a");
  const auto number = wire::integer(params, "b");
  check(!number || (*number >= 0 && *number <= 1000));
  (void)wire::flag(params, "d");
  (void)wire::texts(params, "e");
  (void)wire::text_map(params, "f");
}

void check_message(std::string_view text) {
  const auto message = wire::parse_message(text);
  if (!message) {
    // What is answered to it is a message.
    check(wire::parse_message(wire::make_error(message.error())).has_value());
    return;
  }
  if (const auto* request = std::get_if<wire::Request>(&*message)) {
    check_params(request->params);
    const std::string again = request->id ? wire::make_request(*request->id, request->method, request->params)
                                          : wire::make_notification(request->method, request->params);
    const auto same = wire::parse_message(again);
    check(same.has_value() && std::get<wire::Request>(*same).method == request->method);
    check(std::get<wire::Request>(*same).id.has_value() == request->id.has_value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  check(frames_of(bytes, bytes.size() + 1) == frames_of(bytes, 1 + data[0] % 64));
  check_message(bytes);
  return 0;
}
