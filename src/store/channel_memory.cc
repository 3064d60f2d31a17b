// SPDX-License-Identifier: Apache-2.0
#include "store/channel_memory.h"

namespace store {

using base::fail;
using base::Result;

Result<void> remember(Connection& connection, const ChannelEntry& entry, int64_t most) {
  auto insert = connection.prepare(
      "INSERT OR REPLACE INTO channel_memory (channel, key, value, prompt) VALUES (?1, ?2, ?3, ?4)");
  if (!insert) return fail(insert);
  insert->bind(1, std::string_view(entry.channel));
  insert->bind(2, std::string_view(entry.key));
  insert->bind(3, std::string_view(entry.value));
  insert->bind(4, std::string_view(entry.prompt));
  if (auto done = insert->run(); !done) return done;
  auto prune = connection.prepare(
      "DELETE FROM channel_memory WHERE channel = ?1 AND number <= (SELECT number FROM channel_memory WHERE "
      "channel = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)");
  if (!prune) return fail(prune);
  prune->bind(1, std::string_view(entry.channel));
  prune->bind(2, most);
  return prune->run();
}

Result<std::vector<ChannelEntry>> recall(Connection& connection, std::string_view channel) {
  auto select = connection.prepare(
      "SELECT channel, key, value, prompt FROM channel_memory WHERE channel = ?1 ORDER BY number");
  if (!select) return fail(select);
  select->bind(1, channel);
  std::vector<ChannelEntry> entries;
  for (;;) {
    auto row = select->step();
    if (!row) return fail(row);
    if (!*row) return entries;
    entries.push_back({.channel = select->text(0),
                       .key = select->text(1),
                       .value = select->text(2),
                       .prompt = select->text(3)});
  }
}

}  // namespace store
