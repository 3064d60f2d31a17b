// SPDX-License-Identifier: Apache-2.0
// tend inbox: messages between agents, and people.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cli {

struct InboxListOptions {
  std::optional<std::string> to;
  std::optional<std::string> thread;
  std::optional<std::string> state;
  bool json = false;
};
int list_inbox(const InboxListOptions& options);

// Who speaks: `as`, or TEND_AGENT_ID, or the user's name. One claims and another says done, so it cannot be
// the process, as elsewhere.
struct InboxSendOptions {
  std::optional<std::string> as;
  std::optional<std::string> to;
  std::optional<std::string> subject;
  std::string body;  // "-": standard input
  std::optional<std::string> thread;
  std::vector<std::string> evidence;
  bool json = false;
};
int send_message(const InboxSendOptions& options);

struct InboxClaimOptions {
  std::optional<std::string> as;
  std::optional<std::string> id;
  std::optional<std::string> to;
  bool json = false;
};
int claim_message(const InboxClaimOptions& options);

struct InboxDoneOptions {
  std::optional<std::string> as;
  std::string id;
  std::optional<std::string> result;  // "-": standard input
  bool json = false;
};
int finish_message(const InboxDoneOptions& options);

}  // namespace cli
