// SPDX-License-Identifier: Apache-2.0
// Medium: one way to reach people (Telegram, Slack, a webhook), behind an interface so small that another one
// is a pair of files and a row in kinds.cc. A medium shows notices, changes them when they have ended, and
// hands what people say to the Desk. It belongs to the loop's thread, never blocks it, and keeps trying by
// itself: what goes wrong is told by health().
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace channel {

struct Choice {
  std::string key;  // may be empty
  std::string label;
};

// A prompt as people are to see it. Nothing in it is escaped, and any bytes may stand in the texts.
struct Notice {
  std::string prompt;  // its id
  std::string nonce;
  std::string session;  // its name
  uint32_t pty = 0;
  std::string type;  // YES_NO, CONFIRM_ENTER, MULTIPLE_CHOICE, FREE_TEXT, PAGER, UNKNOWN
  std::string question;
  std::string excerpt;  // the last 200 characters before the cursor
  std::vector<Choice> choices;
  std::optional<std::string> fallback;  // what Enter alone gives
  bool secret = false;                  // see Desk::may_answer
  bool ambiguous = false;               // somebody waits, and the question is not known
  int64_t created_at = 0;               // microseconds since the epoch
  int64_t expires_at = 0;
};

// Whether a notice may be answered where it is shown: a secret may not, unless the user has said so.
enum class Answerable { here, elsewhere };

// What became of it.
struct Ending {
  enum class State { answered, expired, cancelled, failed };
  State state = State::expired;
  std::string outcome;  // accepted, rejected, unknown; of one that was answered
  std::string by;       // who; may be empty
  std::string channel;  // by which way
};

struct Reply {
  enum class Kind { text, choice, enter, cancel };
  std::string prompt;
  std::string nonce;
  Kind kind = Kind::text;
  std::string text = {};
  uint32_t choice = 0;  // counted from 1
  std::string who;      // for the audit: "telegram:1001"
};

// What an answer came to. One that was too late is an error that says who was faster.
struct Outcome {
  std::string state;    // answered, cancelled
  std::string outcome;  // accepted, rejected, unknown; empty after a cancel
};

struct Health {
  enum class State { starting, good, troubled };
  State state = State::starting;
  std::string detail = {};  // for a person; without secrets
  bool operator==(const Health&) const = default;
};

class Medium {
 public:
  virtual ~Medium() = default;
  // Once, when what was remembered can be recalled; before any other call.
  virtual void start() = 0;
  // A prompt that waits. After a restart also for one that was shown before: recall() tells.
  virtual void show(const Notice& notice) = 0;
  // A prompt that was shown, now or before a restart, has ended. When it has told everybody, the medium says
  // Desk::finished().
  virtual void change(const Notice& notice, const Ending& ending) = 0;
  virtual Health health() const = 0;
  // Sends a message that says it is a test. The result is a line for a person.
  using Tested = std::function<void(base::Result<std::string>)>;
  virtual void test(Tested done) = 0;
};

}  // namespace channel
