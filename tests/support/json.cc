// SPDX-License-Identifier: Apache-2.0
#include "support/json.h"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>

namespace support {
namespace {

[[noreturn]] void give_up(const char* what, std::string_view near) {
  fmt::print(stderr, "json: {} near: {}\n", what, near.substr(0, 80));
  std::abort();
}

void append_utf8(std::string& out, uint32_t c) {
  const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    tail(12), tail(6), tail(0);
  }
}

}  // namespace

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : rest_(text) {}

  Json document() {
    Json result = value();
    skip_space();
    if (!rest_.empty()) give_up("something follows the value", rest_);
    return result;
  }

 private:
  void skip_space() {
    while (!rest_.empty() && std::string_view(" \t\r\n").contains(rest_[0])) rest_.remove_prefix(1);
  }

  bool accept(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  void demand(char c) {
    skip_space();
    if (!accept({&c, 1})) give_up("unexpected character", rest_);
  }

  Json value() {
    skip_space();
    if (rest_.empty()) give_up("a value is missing", rest_);
    Json result;
    if (rest_[0] == '{')
      result.value_ = object();
    else if (rest_[0] == '[')
      result.value_ = array();
    else if (rest_[0] == '"')
      result.value_ = string();
    else if (accept("true"))
      result.value_ = true;
    else if (accept("false"))
      result.value_ = false;
    else if (!accept("null"))
      result.value_ = number();
    return result;
  }

  Json::Object object() {
    Json::Object result;
    demand('{');
    skip_space();
    if (accept("}")) return result;
    do {
      skip_space();
      std::string key = string();
      demand(':');
      result.emplace(std::move(key), value());
      skip_space();
    } while (accept(","));
    demand('}');
    return result;
  }

  Json::Array array() {
    Json::Array result;
    demand('[');
    skip_space();
    if (accept("]")) return result;
    do {
      result.push_back(value());
      skip_space();
    } while (accept(","));
    demand(']');
    return result;
  }

  double number() {
    double result = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), result);
    if (error != std::errc()) give_up("not a value", rest_);
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return result;
  }

  uint32_t hex() {
    uint32_t result = 0;
    const auto [end, error] =
        std::from_chars(rest_.data(), rest_.data() + std::min<size_t>(rest_.size(), 4), result, 16);
    if (error != std::errc() || end != rest_.data() + 4) give_up("not four hex digits", rest_);
    rest_.remove_prefix(4);
    return result;
  }

  void escape(std::string& out) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (accept("u")) {
      uint32_t c = hex();
      if (c >= 0xD800 && c < 0xDC00 && accept("\\u")) c = 0x10000 + ((c - 0xD800) << 10) + (hex() - 0xDC00);
      append_utf8(out, c);
      return;
    }
    const size_t at = rest_.empty() ? kNames.npos : kNames.find(rest_[0]);
    if (at == kNames.npos) give_up("unknown escape", rest_);
    out += kMeanings[at];
    rest_.remove_prefix(1);
  }

  std::string string() {
    std::string result;
    demand('"');
    for (;;) {
      const size_t plain = rest_.find_first_of("\"\\");
      if (plain == rest_.npos) give_up("a string does not end", rest_);
      result += rest_.substr(0, plain);
      rest_.remove_prefix(plain);
      if (accept("\"")) return result;
      accept("\\");
      escape(result);
    }
  }

  std::string_view rest_;
};

Json Json::parse(std::string_view text) { return JsonReader(text).document(); }

namespace {
template <typename T, typename V>
const T& get(const V& value, const char* kind) {
  const T* found = std::get_if<T>(&value);
  if (found == nullptr) give_up("another kind of value was expected:", kind);
  return *found;
}
}  // namespace

bool Json::boolean() const { return get<bool>(value_, "boolean"); }
double Json::number() const { return get<double>(value_, "number"); }
const std::string& Json::string() const { return get<std::string>(value_, "string"); }
const Json::Array& Json::array() const { return get<Array>(value_, "array"); }
bool Json::has(std::string_view key) const { return get<Object>(value_, "object").contains(key); }

const Json& Json::operator[](std::string_view key) const {
  const Object& object = get<Object>(value_, "object");
  const auto found = object.find(key);
  if (found == object.end()) give_up("no such key:", key);
  return found->second;
}

}  // namespace support
