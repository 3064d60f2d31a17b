// SPDX-License-Identifier: Apache-2.0
// What getUpdates gives, held against what it should look like. Pure: any JSON may come in, and what is not
// an update of a person in a private chat comes to nothing.
#pragma once
#include <boost/json/value.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace channel {

struct Update {
  int64_t id = 0;
  std::string user = {};      // the number of who sent it; empty: nothing that is of interest
  std::string name = {};      // @name, or the first name
  bool private_chat = false;  // with the bot alone
  int64_t date = 0;           // seconds since the epoch; 0: not known
  int64_t message = 0;        // the message that it is, or whose button was pressed
  int64_t reply_to = 0;       // the message that it replies to, or 0
  std::string query = {};     // of a button that was pressed
  std::string data = {};      // what the button carries
  std::string text = {};      // of a message
};

// In the order of their numbers. Entries without a number are left out.
std::vector<Update> read_updates(const boost::json::value& result);

// Which updates have been here before: servers send some twice, or in another order.
class Seen {
 public:
  static constexpr size_t kMost = 1000;
  // False if it is known.
  bool add(int64_t id);

 private:
  std::deque<int64_t> newest_;
};

}  // namespace channel
