// SPDX-License-Identifier: Apache-2.0
// The manual: tend(1), a page for each command, and tend.yml(5). Made of the app that parses the command line
// and of the table of settings, so that they cannot be behind it. The build makes them, for installations.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct ManPage {
  std::string file;  // "tend-run.1"
  std::string text;  // for man(7)
};

std::vector<ManPage> man_pages(const CLI::App& app, std::string_view version);

}  // namespace cli
