// SPDX-License-Identifier: Apache-2.0
// tend completions: scripts that make a shell complete commands, options, choices, files and the names of
// sessions. They are made of the app that parses the command line, so that they cannot be behind it.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cli {

// What may stand in one place.
enum class Words { anything, sessions, files, folders, program, choices };

struct CompletedOption {
  std::vector<std::string> names;  // with their dashes
  std::string type;                // what --help calls its value
  std::string help;
  bool required = false;
  bool takes_value = false;
  bool takes_many = false;
  Words value = Words::anything;
  std::vector<std::string> choices = {};
};

struct CompletedCommand {
  std::string path;  // "audit show"; empty for tend itself
  std::string help;
  std::vector<std::string> commands;  // below it
  std::vector<CompletedOption> options;
  std::vector<CompletedOption> arguments;  // positional ones, in order
};

// The app and all commands below it, but for hidden ones.
std::vector<CompletedCommand> completed_commands(const CLI::App& app);

std::string bash_completions(const std::vector<CompletedCommand>& commands);
std::string zsh_completions(const std::vector<CompletedCommand>& commands);
std::string fish_completions(const std::vector<CompletedCommand>& commands);

int print_completions(const std::string& shell, const CLI::App& app);

}  // namespace cli
