// SPDX-License-Identifier: Apache-2.0
// Those who race for a prompt through the real media: each attempt goes the whole way that a person's answer
// goes, and hears what came of it as that person would.
#pragma once
#include <cstdint>
#include <string>
#include <sys/types.h>

#include "bot_server.h"

namespace media_test {

// What somebody hears of his answer.
enum class Heard {
  accepted,
  rejected,
  unknown,
  refused,     // by the daemon: it came too late, or for nothing that is asked
  turned_off,  // by the channel, which does not know such a prompt (yet): the daemon was not asked
  nothing,     // in time
};

struct Target {
  std::string prompt;
  std::string nonce;
  int64_t expires = 0;  // seconds since the epoch
};

// A button of a message in Telegram: its number, for telegram_heard().
std::string tap(channel_test::BotServer& bot, int64_t user, const Target& target, uint32_t choice);
Heard tap_heard(const channel_test::BotServer& bot, const std::string& press);

// A POST to the signed URL that a webhook was given.
struct Hook {
  uint16_t port = 0;
  std::string key;
};
Heard post_answer(const Hook& hook, const Target& target, const std::string& answer);

// `tend answer PROMPT VALUE`, that runs meanwhile.
class Command {
 public:
  Command(const std::string& prompt, const std::string& value);
  Heard heard();

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

}  // namespace media_test
