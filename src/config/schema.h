// SPDX-License-Identifier: Apache-2.0
// The schema: one table (table.cc) with a row for each setting, from which everything else derives: what a
// file may say, which field of Config it fills, the names of the environment variables, what `tend config
// show` prints, and the reference in docs/configuration.md.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/value.h"

namespace config {

enum class Type {
  boolean,
  whole,    // number
  decimal,  // number
  choice,   // one of some words
  text,
  path,     // made absolute: from the folder of the file that names it
  texts,    // list
  map,      // of texts; layers merge key by key
  records,  // list of maps
};

enum class Secrecy { open, secret };

struct Limits {
  double least = 0;
  double most = 0;
};

struct Setting;
// Why this text will not do ("wants …"), or nothing.
using Check = std::optional<std::string> (*)(std::string_view);
using RecordCheck = std::optional<std::string> (*)(const Record&);
// Puts the value into `target`: the Config, or the record that the row is a field of.
using Put = void (*)(const Setting&, const Value&, void* target);

struct Setting {
  enum class Need { optional, required };

  std::string_view path;  // channels.telegram.token_file; in a record the field's name alone
  Type type = Type::text;
  // As a file would have it. Nothing: it is not set.
  std::optional<std::string_view> fallback = {};
  std::string_view about = {};
  Put store = nullptr;  // none for a setting that has lost its meaning
  Limits limits = {};   // of numbers
  std::span<const std::string_view> choices = {};
  Check check = nullptr;  // of a text or number, of each item of a list
  Secrecy secrecy = Secrecy::open;
  std::span<const Setting> fields = {};  // of records
  RecordCheck check_record = nullptr;
  Need need = Need::optional;  // of a field of a record
  std::string_view gone = {};  // why it has lost its meaning: still read, with a warning
};

struct Section {
  std::string_view name;
  std::string_view about;
};

// In the order in which they are shown; the settings of a section, and of a map in it, stand together.
std::span<const Section> sections();
std::span<const Setting> settings();

const Setting* find_setting(std::string_view path);
// A section, or a map of settings in one.
bool is_group(std::string_view path);

// TEND_CHANNELS_TELEGRAM_TOKEN_FILE
std::string variable_of(const Setting& setting);
const Setting* find_variable(std::string_view name);
// TEND_, a section's name, _ and anything. Other names that begin with TEND_ are no settings: TEND_HOME,
// TEND_SESSION.
bool is_variable_of_a_section(std::string_view name);

// " (did you mean 'port'?)" for a key that `group` ("" for the top) does not have, or nothing.
std::string suggestion(std::string_view group, std::string_view key);
// The same among some words.
std::string suggestion(std::span<const std::string_view> words, std::string_view word);

// "wants …": what a value of this setting looks like.
std::string wanted(const Setting& setting);

}  // namespace config
