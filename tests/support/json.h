// SPDX-License-Identifier: Apache-2.0
// Json: reads what another program prints as JSON. For tests: anything malformed, or of another kind than
// asked for, ends the test program with a message.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace support {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json, std::less<>>;

  Json() = default;
  static Json parse(std::string_view text);

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool boolean() const;
  double number() const;
  int integer() const { return static_cast<int>(number()); }
  const std::string& string() const;
  const Array& array() const;
  bool has(std::string_view key) const;
  const Json& operator[](std::string_view key) const;
  const Json& operator[](size_t index) const { return array()[index]; }

 private:
  friend class JsonReader;
  std::variant<std::monostate, bool, double, std::string, Array, Object> value_;
};

}  // namespace support
