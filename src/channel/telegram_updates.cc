// SPDX-License-Identifier: Apache-2.0
#include "channel/telegram_updates.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "channel/escape.h"
#include "wire/params.h"

namespace channel {
namespace {

namespace json = boost::json;

constexpr int64_t kMostNumber = int64_t{1} << 52;
constexpr size_t kMostText = 4096;
constexpr size_t kMostName = 64;
constexpr size_t kMostQuery = 128;

const json::object* object_in(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  return found != nullptr ? found->if_object() : nullptr;
}

int64_t number_in(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  if (found == nullptr || !found->is_int64()) return 0;
  const int64_t number = found->get_int64();
  return number > 0 && number <= kMostNumber ? number : 0;
}

std::string text_in(const json::object& object, std::string_view name, size_t most) {
  const json::value* found = object.if_contains(name);
  if (found == nullptr || !found->is_string() || found->get_string().size() > most * 4) return {};
  return std::string(found->get_string());
}

void read_person(const json::object& from, Update& update) {
  const int64_t id = number_in(from, "id");
  if (id == 0) return;
  update.user = std::to_string(id);
  const std::string name = text_in(from, "username", kMostName);
  update.name = name.empty() ? first_of(plain(text_in(from, "first_name", kMostName)), kMostName)
                             : "@" + first_of(plain(name), kMostName);
}

bool is_private(const json::object& message, const Update& update) {
  const json::object* chat = object_in(message, "chat");
  return chat != nullptr && !update.user.empty() && std::to_string(number_in(*chat, "id")) == update.user;
}

void read_message(const json::object& message, Update& update) {
  if (const json::object* from = object_in(message, "from")) read_person(*from, update);
  update.private_chat = is_private(message, update);
  update.message = number_in(message, "message_id");
  update.date = number_in(message, "date");
  update.text = text_in(message, "text", kMostText);
  if (const json::object* replied = object_in(message, "reply_to_message"))
    update.reply_to = number_in(*replied, "message_id");
}

void read_press(const json::object& query, Update& update) {
  if (const json::object* from = object_in(query, "from")) read_person(*from, update);
  update.query = text_in(query, "id", kMostQuery);
  update.data = text_in(query, "data", kMostQuery);
  const json::object* message = object_in(query, "message");
  if (message == nullptr) return;
  update.private_chat = is_private(*message, update);
  update.message = number_in(*message, "message_id");
}

}  // namespace

std::vector<Update> read_updates(const json::value& result) {
  std::vector<Update> updates;
  const json::array* list = result.if_array();
  if (list == nullptr) return updates;
  for (const json::value& each : *list) {
    const json::object* entry = each.if_object();
    if (entry == nullptr) continue;
    Update update{.id = number_in(*entry, "update_id")};
    if (update.id == 0) continue;
    if (const json::object* query = object_in(*entry, "callback_query"))
      read_press(*query, update);
    else if (const json::object* message = object_in(*entry, "message"))
      read_message(*message, update);
    updates.push_back(std::move(update));
  }
  std::stable_sort(updates.begin(), updates.end(),
                   [](const Update& a, const Update& b) { return a.id < b.id; });
  return updates;
}

bool Seen::add(int64_t id) {
  if (std::find(newest_.begin(), newest_.end(), id) != newest_.end()) return false;
  newest_.push_back(id);
  if (newest_.size() > kMost) newest_.pop_front();
  return true;
}

}  // namespace channel
