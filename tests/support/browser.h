// SPDX-License-Identifier: Apache-2.0
// Browser: Debian's Chromium without a window, with a profile of its own, no network, and DejaVu for its only
// font, so that a page looks the same wherever the tests run.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace support {

class Browser {
 public:
  Browser();

  // A picture of the page, as PNG bytes; empty if that failed, and then error() says why.
  std::string picture(const std::filesystem::path& page, int width, int height);
  // The page's text when its scripts have run.
  std::string run(const std::filesystem::path& page);

  const std::string& error() const { return error_; }

 private:
  std::string start(const std::vector<std::string>& arguments);

  TempDir folder_;
  std::string error_;
};

}  // namespace support
