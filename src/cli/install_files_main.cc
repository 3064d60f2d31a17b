// SPDX-License-Identifier: Apache-2.0
// install_files FOLDER: what an installation has beside the programs, made of the command line itself: the
// manual, and completions for shells. A part of the build.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>

#include "cli/app.h"
#include "cli/completions.h"
#include "cli/man_pages.h"

namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out.exceptions(std::ios::failbit | std::ios::badbit);
  out << text;
  out.close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: install_files FOLDER\n");
    return 2;
  }
  try {
    const std::filesystem::path share = argv[1];
    cli::Program program;
    const auto app = cli::make_app(program);
    for (const cli::ManPage& page : cli::man_pages(*app, TEND_VERSION))
      write(share / "man" / fmt::format("man{}", page.file.back()) / page.file, page.text);
    const auto commands = cli::completed_commands(*app);
    write(share / "bash-completion/completions/tend", cli::bash_completions(commands));
    write(share / "zsh/site-functions/_tend", cli::zsh_completions(commands));
    write(share / "fish/vendor_completions.d/tend.fish", cli::fish_completions(commands));
  } catch (const std::exception& wrong) {
    fmt::print(stderr, "install_files: {}\n", wrong.what());
    return 1;
  }
  return 0;
}
