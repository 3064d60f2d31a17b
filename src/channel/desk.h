// SPDX-License-Identifier: Apache-2.0
// Desk: the daemon as a channel sees it. It follows the prompts and tells the medium of those that a person
// is to be asked, gives the daemon what people answer, keeps what the medium wants to remember across
// restarts, and says again and again that the channel lives. The daemon watches for that.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "channel/medium.h"
#include "channel/pace.h"
#include "event/loop.h"
#include "wire/client.h"

namespace channel {

struct DeskOptions {
  std::string kind;  // of the channel
  base::Duration report_every = std::chrono::seconds(13);
  bool secrets_remote = false;  // prompts.secrets_remote
};

// A session as `/sessions` lists it.
struct SessionLine {
  std::string name;
  std::string state;
  std::string question;  // of what it asks; empty: nothing
};

class Desk {
 public:
  template <typename T>
  using Done = std::function<void(base::Result<T>)>;

  Desk(event::Loop& loop, wire::Client client, DeskOptions options);
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  // Starts the medium once what was remembered is there, then shows it what is asked. `lost`: the daemon is
  // gone, or does not want this process; there is nothing left to do.
  void open(Medium& medium, std::function<void(const base::Error&)> lost);

  event::Loop& loop() { return loop_; }

  void answer(const Reply& reply, Done<Outcome> done);
  void sessions(Done<std::vector<SessionLine>> done);
  // The last 2,000 characters of what a terminal shows, without empty lines at its end. NAME or NAME:N.
  void screen(const std::string& target, Done<std::string> done);
  // The same for the terminal of a prompt.
  void screen_of(const std::string& prompt, Done<std::string> done);

  // What is asked now, the oldest first.
  std::vector<const Notice*> open_notices() const;
  const Notice* find(std::string_view prompt) const;
  // A secret is answered at the terminal or in the browser, unless the settings say otherwise; then there are
  // no buttons, and the daemon refuses what comes nevertheless.
  bool may_answer(const Notice& notice) const { return !notice.secret || options_.secrets_remote; }

  // Small texts (a key up to 128 bytes, a value up to 512) that outlive this process and the daemon. One that
  // names a prompt goes when the store forgets the prompt. At most 2,000 are kept, the newest.
  std::optional<std::string> recall(std::string_view key) const;
  // All whose key begins with this.
  std::vector<std::pair<std::string, std::string>> recall_all(std::string_view prefix) const;
  void remember(std::string key, std::string value, std::string prompt = {});
  // Everybody has been told how it ended: change() is not called for it again.
  void finished(const std::string& prompt);

  // Somebody who may not answer has tried to; a row in the audit, as far as its bound goes.
  void refused(const std::string& who, const std::string& what);

  // The medium's health has changed.
  void report();

 private:
  using Answer = std::function<void(base::Result<wire::json::value>)>;

  struct Entry {
    std::string value;
    std::string prompt;
  };

  void ask(std::string_view method, wire::json::object params, Answer then);
  void flush();
  void receive();
  void take(const wire::Request& notification);
  void lose(const base::Error& error);
  void recalled(const base::Result<wire::json::value>& entries);
  void follow();
  void listed(const base::Result<wire::json::value>& prompts);
  void asked(const std::string& prompt);
  void look_at_new();
  void look(const std::string& prompt);
  void looked(const wire::json::object& prompt);
  void show_screen(wire::json::object params, Done<std::string> done);
  void too_late(const std::string& prompt, const base::Error& error, const Done<Outcome>& done);

  event::Loop& loop_;
  wire::Client client_;
  DeskOptions options_;
  base::RealClock clock_;
  Medium* medium_ = nullptr;
  std::function<void(const base::Error&)> lost_;
  event::Watch watch_;
  event::Timer report_;
  event::Timer new_;  // for the prompts that have just been asked
  std::map<uint64_t, Answer> waiting_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::map<std::string, Notice, std::less<>> open_;  // shown, by prompt
  std::map<std::string, base::Moment> fresh_;        // asked, and when to look whether they still are
  Pace refusals_;
  int64_t unaudited_ = 0;
  Health reported_;
};

}  // namespace channel
