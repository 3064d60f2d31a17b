// SPDX-License-Identifier: Apache-2.0
#include "support/browser.h"

#include <fmt/format.h>

#include "support/terminal.h"

namespace support {
namespace {

constexpr const char* kFonts = R"(<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts/truetype/dejavu</dir>
  <cachedir>{}</cachedir>
  <alias binding="same">
    <family>monospace</family>
    <prefer><family>DejaVu Sans Mono</family></prefer>
  </alias>
</fontconfig>
)";

}  // namespace

Browser::Browser() {
  write_file(folder_.file("fonts.conf"), fmt::format(fmt::runtime(kFonts), folder_.file("font-cache")));
}

std::string Browser::start(const std::vector<std::string>& arguments) {
  error_.clear();
  Start start{.argv = {"chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                       "--no-first-run", "--disable-background-networking", "--disable-component-update",
                       "--disable-sync", "--hide-scrollbars", "--force-device-scale-factor=1",
                       "--force-color-profile=srgb", "--font-render-hinting=none", "--disable-lcd-text",
                       "--user-data-dir=" + folder_.file("profile")},
              .env = {{"FONTCONFIG_FILE", folder_.file("fonts.conf")}},
              .cwd = folder_.path().string()};
  start.argv.insert(start.argv.end(), arguments.begin(), arguments.end());
  Terminal terminal(start);
  const std::optional<int> status = terminal.wait_exit();
  std::string output = terminal.output();
  if (status == 0) return output;
  error_ = status ? fmt::format("chromium ended with status {} (is the package chromium installed?): {}",
                                *status, output)
                  : "chromium does not end: " + output;
  return {};
}

std::string Browser::picture(const std::filesystem::path& page, int width, int height) {
  const std::string file = folder_.file("picture.png");
  std::filesystem::remove(file);
  const std::string output = start(
      {fmt::format("--window-size={},{}", width, height), "--screenshot=" + file, "file://" + page.string()});
  if (!error_.empty()) return {};
  if (!std::filesystem::exists(file)) error_ = "chromium took no picture: " + output;
  return error_.empty() ? read_file(file) : std::string();
}

std::string Browser::run(const std::filesystem::path& page) {
  return start({"--virtual-time-budget=20000", "--dump-dom", "file://" + page.string()});
}

}  // namespace support
