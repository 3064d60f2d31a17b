// SPDX-License-Identifier: Apache-2.0
// House: a daemon of a scenario's own, in a home that is made for it, with sessions whose programs ask. It
// owns all of that: when it goes, the daemon, its channels, its sessions and the home are gone too, whatever
// became of them in between.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "lab/trial.h"
#include "wire/client.h"

namespace lab {

namespace json = boost::json;

class House {
 public:
  explicit House(Trial& trial);
  ~House();
  House(const House&) = delete;
  House& operator=(const House&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  // Writes a file that nobody else may read; its path.
  std::string put(const std::string& name, const std::string& text) const;
  // Starts the daemon with this configuration. False, with a failed check, if it does not.
  bool start(std::string config);
  // Kills the daemon as no program can prevent, and waits for the one that the keepers bring. False, with a
  // failed check, if none comes.
  bool lose_daemon();

  // Asks the daemon; null, with a failed check, where that is an error.
  json::value ask(std::string_view method, const json::object& params = {});

  // A session with a program that asks this (as printf's %b has it), writes down the line it reads, and
  // stays. Its id; empty, with a failed check, if it does not start.
  std::string asks(const std::string& name, const std::string& question, json::object more = {});
  std::string read_by(const std::string& name) const;
  // The same with a script of its own, which gets the path of what read_by() reads as $1.
  std::string run(const std::string& name, const std::string& script);

  // Fields of what is known; empty where it is not.
  std::string channel_state(std::string_view kind);
  json::object open_prompt(const std::string& session);  // the only one
  std::string prompt_state(const std::string& prompt);
  // How many answers have this result in the audit.
  size_t answers(std::string_view result);
  // Whether it is in the store's files.
  bool is_stored(std::string_view text) const;

 private:
  enum class Kind { keeper, other };
  std::vector<pid_t> processes(Kind kind) const;
  bool connect();
  void end_all();

  Trial& trial_;
  std::string path_;  // empty if it could not be made
  int no_home_ = 0;   // and why, as errno has it
  std::optional<wire::Client> client_;
};

// A text of an object, or empty.
std::string text_of(const json::value& object, std::string_view name);

}  // namespace lab
