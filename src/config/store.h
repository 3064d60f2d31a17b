// SPDX-License-Identifier: Apache-2.0
// How a row of the table fills its field: put<&Config::web, &Web::port> goes down the members and assigns
// what the value holds, converted to the field's own type. The schema has checked type and range before, so
// that nothing can go wrong here. Private to the table.
#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "config/schema.h"
#include "config/value.h"

namespace config {

template <typename>
struct ClassOf;
template <typename Class, typename Member>
struct ClassOf<Member Class::*> {
  using type = Class;
};

// The member at the end of the chain.
template <auto First, auto... Rest>
auto& member_of(void* root) {
  return ((static_cast<typename ClassOf<decltype(First)>::type*>(root)->*First).*....*Rest);
}

inline void assign(const Setting& /*setting*/, const Value& value, bool& field) {
  field = std::get<bool>(value.is);
}
template <typename T>
  requires std::integral<T> && (!std::same_as<T, bool>)
void assign(const Setting& /*setting*/, const Value& value, T& field) {
  field = static_cast<T>(std::get<int64_t>(value.is));
}
inline void assign(const Setting& /*setting*/, const Value& value, double& field) {
  field = std::get<double>(value.is);
}
inline void assign(const Setting& /*setting*/, const Value& value, std::string& field) {
  field = std::get<std::string>(value.is);
}
inline void assign(const Setting& /*setting*/, const Value& value, std::vector<std::string>& field) {
  field = std::get<Texts>(value.is);
}
inline void assign(const Setting& /*setting*/, const Value& value,
                   std::map<std::string, std::string>& field) {
  field.clear();
  for (const auto& [key, text] : std::get<TextMap>(value.is)) {
    if (text) field.emplace(key, *text);
  }
}
template <typename Period>
void assign(const Setting& /*setting*/, const Value& value, std::chrono::duration<int64_t, Period>& field) {
  // In the unit of the key's name: that of the field, or, with a point in it, seconds.
  if (const auto* seconds = std::get_if<double>(&value.is))
    field = std::chrono::duration<int64_t, Period>(std::llround(*seconds * Period::den / Period::num));
  else
    field = std::chrono::duration<int64_t, Period>(std::get<int64_t>(value.is));
}
template <typename T>
  requires std::is_enum_v<T>
void assign(const Setting& setting, const Value& value, T& field) {
  const auto word =
      std::find(setting.choices.begin(), setting.choices.end(), std::get<std::string>(value.is));
  field = static_cast<T>(word - setting.choices.begin());
}
template <typename T>
  requires std::is_class_v<T> && std::default_initializable<T>
void assign(const Setting& setting, const Value& value, std::vector<T>& field) {
  field.clear();
  for (const Record& record : std::get<Records>(value.is)) {
    T& item = field.emplace_back();
    for (size_t i = 0; i < setting.fields.size(); i++)
      setting.fields[i].store(setting.fields[i], record[i], &item);
  }
}
template <typename T>
void assign(const Setting& setting, const Value& value, std::optional<T>& field) {
  if (!value.is_set())
    field.reset();
  else
    assign(setting, value, field.emplace());
}

template <auto... Members>
void put(const Setting& setting, const Value& value, void* root) {
  assign(setting, value, member_of<Members...>(root));
}

// The text goes through `Convert` on its way.
template <auto Convert, auto... Members>
void put_as(const Setting& /*setting*/, const Value& value, void* root) {
  member_of<Members...>(root) = Convert(std::get<std::string>(value.is));
}

// Each text of a list goes through `Convert` on its way.
template <auto Convert, auto... Members>
void put_each(const Setting& /*setting*/, const Value& value, void* root) {
  auto& field = member_of<Members...>(root);
  field.clear();
  for (const std::string& item : std::get<Texts>(value.is)) field.push_back(Convert(item));
}

}  // namespace config
