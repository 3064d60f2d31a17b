// SPDX-License-Identifier: Apache-2.0
// Module by module what libqrencode draws, which chooses its mask by rules of its own.
#include "cli/qr.h"

#include <gtest/gtest.h>
#include <memory>
#include <qrencode.h>

namespace cli {
namespace {

QrCode theirs(const std::string& text, const QrCode& ours) {
  const int version = static_cast<int>(ours.size - 17) / 4;
  const std::unique_ptr<QRcode, void (*)(QRcode*)> code(
      QRcode_encodeData(static_cast<int>(text.size()), reinterpret_cast<const unsigned char*>(text.data()),
                        version, QR_ECLEVEL_L),
      QRcode_free);
  QrCode result{static_cast<size_t>(code->width), {}};
  for (int i = 0; i < code->width * code->width; i++) result.modules.push_back((code->data[i] & 1) != 0);
  return result;
}

TEST(Qr, IsWhatLibqrencodeDraws) {
  for (size_t length = 1; length <= 134; length += length < 20 ? 1 : 7) {
    std::string text;
    // Small letters: what could be written shorter, in another mode, libqrencode would write so.
    for (size_t i = 0; i < length; i++) text += static_cast<char>('a' + i * 7 % 26);
    const auto ours = make_qr(text);
    ASSERT_TRUE(ours) << length;
    const QrCode wanted = theirs(text, *ours);
    ASSERT_EQ(ours->size, wanted.size) << length;
    bool found = false;
    for (int mask = 0; mask < 8; mask++) found = found || make_qr(text, mask)->modules == wanted.modules;
    EXPECT_TRUE(found) << length;
  }
}

TEST(Qr, HasNoRoomForMore) {
  EXPECT_TRUE(make_qr(std::string(134, 'x')));
  EXPECT_FALSE(make_qr(std::string(135, 'x')));
}

TEST(Qr, IsTwoRowsInALine) {
  const std::string text = to_terminal(*make_qr("a"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), (21 + 4 + 1) / 2);
}

}  // namespace
}  // namespace cli
